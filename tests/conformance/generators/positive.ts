import type { Case } from '../case';
import type { Body, Operation } from '../contract/model';
import { assertSide, type Values, type Variant } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson, type JsonObject } from '../wire/json';
import { toBody, validRequest } from './valid-request';
import { withMark } from './with-mark';

/** Every right value of a body, and the same value spelled in other ways that JSON has. */
export function positive(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  const made = (one: Pick<Variant, 'pointer' | 'label' | 'keyword' | 'covers'>, sent: Buffer | undefined): Case => ({
    operation: operation.id,
    class: 'positive',
    pointer: one.pointer,
    label: one.label,
    keyword: one.keyword,
    covers: one.covers,
    request: validRequest(values, operation, { body: sent }),
    expect: 'accepted',
  });
  if (!body) return [made({ pointer: operation.pointer, label: 'no body', keyword: 'body', covers: [] }, undefined)];
  return [
    ...assertSide(values, body.schema, values.goodValues(body.schema), true).map((variant) =>
      made(variant, toBody(writeJson(variant.value))),
    ),
    ...body.examples.map(({ name, pointer, value }) =>
      made(
        { pointer, label: `the example ${name}`, keyword: 'example', covers: [] },
        toBody(writeJson(withMark(values, body.schema, value))),
      ),
    ),
    ...(body.isRequired
      ? []
      : [
          made(
            { pointer: body.pointer, label: 'no body', keyword: 'body', covers: [`${body.pointer} required`] },
            undefined,
          ),
        ]),
    ...spellings(values, body).map(([label, text]) =>
      made({ pointer: body.pointer, label, keyword: 'spelling', covers: [] }, toBody(text)),
    ),
  ];
}

// RFC 8259: white space, escapes, the order of members. Of two equal names the last one counts.
function spellings(values: Values, { schema }: Body): [label: string, text: string][] {
  const base = toJson(values.baseOf(schema));
  const text = writeJson(base);
  const spaced: [string, string] = ['white space around', ` \t\r\n${text}\n `];
  if (!isJsonObject(base) || Object.keys(base).length === 0) return [spaced];
  return [
    spaced,
    ['white space between', text.replaceAll('{', '{ ').replaceAll('}', '\n}')],
    ['members in another order', writeJson(Object.fromEntries(Object.entries(base).reverse()))],
    ['escaped names', escapeNames(base)],
    ['the first of two equal names is wrong', writeJson(new Members([...wrongFirst(base), ...Object.entries(base)]))],
  ];
}

function escapeNames(object: JsonObject): string {
  const members = Object.entries(object).map(([name, value]) => {
    const escaped = name
      .split('')
      .map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
    return `"${escaped}":${writeJson(value)}`;
  });
  return `{${members.join(',')}}`;
}

function wrongFirst(object: JsonObject): [string, null][] {
  return Object.keys(object)
    .slice(0, 1)
    .map((name) => [name, null]);
}
