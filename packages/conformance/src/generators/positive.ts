import type { Case } from '../case';
import type { Content, Example, Operation } from '../contract/model';
import { allBranchesOf, isReadOnly, propertiesOf } from '../contract/schema';
import type { Level } from '../level';
import { fits, type Values } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson, type JsonObject } from '../wire/json';
import { baseBody, goodBodies } from './body-values';
import { createRule, type Rule, type SentBody } from './sent-body';
import { toBody, validRequest } from './valid-request';
import { withMark } from './with-mark';

/** Creates cases with valid bodies, and with the same value in other spellings. */
export function createPositiveCases(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  const createCase = (one: SentBody | Rule, content?: Content): Case => ({
    operation: operation.id,
    class: 'positive',
    pointer: one.pointer,
    label: content && operation.body?.contents[0] !== content ? `${content.mediaType}, ${one.label}` : one.label,
    keyword: one.keyword,
    covers: one.covers,
    request: validRequest(values, operation, { body: undefined, ...one, ...(content && { content }) }),
    expect: 'accepted',
    leftOpen: one.leftOpen,
    ...('meaning' in one && { meant: { place: 'body', value: one.meaning, without: one.without } }),
    ...(one.level && { level: one.level }),
  });
  if (!body) return [createCase({ pointer: operation.pointer, label: 'no body', keyword: 'body', covers: [] })];
  const none = { pointer: body.pointer, label: 'no body', keyword: 'body', covers: [`${body.pointer} required`] };
  return [
    ...body.contents.flatMap((content) =>
      [
        ...goodBodies(values, content),
        ...fittingExamples(values, content).map(({ name, pointer, value }): SentBody => {
          const text = writeJson(withMark(values, content.schema, value));
          return { pointer, label: `the example ${name}`, keyword: 'example', covers: [], body: toBody(text) };
        }),
        ...withReadOnlyProperty(values, content),
        ...otherSpellings(values, content).map(([label, text, level]): SentBody => {
          const meaning = toJson(values.baseOf(content.schema));
          const rule = { pointer: body.pointer, label, keyword: 'spelling', covers: [] };
          return { ...rule, body: toBody(text), meaning, ...(level && { level }) };
        }),
      ].map((one) => createCase(one, content)),
    ),
    ...(body.isRequired ? [] : [createCase(none)]),
  ];
}

// OpenAPI, Schema Object: readOnly properties SHOULD NOT be sent, but a client that sends back a resource that it read
// includes them.
function withReadOnlyProperty(values: Values, { kind, schema }: Content): SentBody[] {
  const base = kind === 'json' ? toJson(values.baseOf(schema)) : null;
  if (!isJsonObject(base)) return [];
  const properties = new Map(allBranchesOf(schema).flatMap((branch) => [...propertiesOf(branch)]));
  return [...properties].flatMap(([name, property]): SentBody[] => {
    if (!isReadOnly(property)) return [];
    const value = schema.contract.untried.attempt(() => values.baseOf(property), null);
    const rule = createRule(property, 'readOnly', `${name}, which is readOnly`);
    const body = toBody(writeJson({ ...base, [name]: value }));
    return [
      { ...rule, body, meaning: base, without: [name], leftOpen: 'OpenAPI 3.0.3, 3.1.0 Schema Object (readOnly)' },
    ];
  });
}

// Only of JSON: `goodBodies` has the examples of other media types.
function fittingExamples(values: Values, { kind, schema, examples }: Content): readonly Example[] {
  return kind === 'json' ? examples.filter(({ value }) => fits(values, schema, value)) : [];
}

/** The level is set only when it differs from the class's. */
type Spelling = readonly [label: string, text: string, level?: Level];

function otherSpellings(values: Values, content: Content): Spelling[] {
  if (content.kind === 'json') return jsonSpellings(values, content);
  if (content.kind !== 'form') return [];
  const text = baseBody(values, content).toString('utf8');
  const [first = '', ...others] = text.split('&');
  return [
    ['names and values encoded', text.replace(/[a-z]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)],
    ['a space as %20', text.replaceAll('+', '%20')],
    ['the first member last', [...others, first].join('&')],
  ];
}

// RFC 8259: white space, escapes and the order of members do not matter; which of two equal names counts is left open.
function jsonSpellings(values: Values, { schema }: Content): Spelling[] {
  const base = toJson(values.baseOf(schema));
  const text = writeJson(base);
  const spaced: [string, string] = ['white space around', ` \t\r\n${text}\n `];
  if (!isJsonObject(base) || Object.keys(base).length === 0) return [spaced];
  return [
    spaced,
    ['white space between', text.replaceAll('{', '{ ').replaceAll('}', '\n}')],
    ['members in another order', writeJson(Object.fromEntries(Object.entries(base).reverse()))],
    ['escaped names', escapeNames(base)],
    [
      'the first of two equal names is wrong',
      writeJson(new Members([...nullForFirstName(base), ...Object.entries(base)])),
      'strict',
    ],
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

function nullForFirstName(object: JsonObject): [string, null][] {
  return Object.keys(object)
    .slice(0, 1)
    .map((name) => [name, null]);
}
