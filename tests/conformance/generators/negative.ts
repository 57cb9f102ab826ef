import type { Case } from '../case';
import type { Body, Operation } from '../contract/model';
import { assertSide, fits, type Values, type Variant } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson } from '../wire/json';
import { toBody, validRequest } from './valid-request';

type Rule = Pick<Variant, 'pointer' | 'label' | 'covers' | 'keyword'>;

/** Every wrong value of a body, each on the wrong side of one rule, and a body that is missing. */
export function negative(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  if (!body) return [];
  const made = (sent: Buffer | undefined, { pointer, label, covers, keyword }: Rule): Case => ({
    operation: operation.id,
    class: 'negative',
    pointer,
    label,
    keyword,
    covers,
    request: validRequest(values, operation, { body: sent }),
    expect: 'refused',
  });
  const required = { pointer: body.pointer, covers: [`${body.pointer} required`], keyword: 'body' };
  return [
    ...assertSide(values, body.schema, values.badValues(body.schema), false).map((variant) =>
      made(toBody(writeJson(variant.value)), variant),
    ),
    ...(body.isRequired
      ? [
          made(undefined, { ...required, label: 'required, no body' }),
          made(Buffer.alloc(0), { ...required, label: 'required, an empty body' }),
        ]
      : []),
    ...lastIsWrong(values, body).map((text) =>
      made(toBody(text), {
        pointer: body.pointer,
        label: 'the last of two equal names is wrong',
        covers: [],
        keyword: 'spelling',
      }),
    ),
  ];
}

// Null, where it is not allowed, behind what is right.
function lastIsWrong(values: Values, { schema }: Body): string[] {
  const base = toJson(values.baseOf(schema));
  if (!isJsonObject(base)) return [];
  const wrong = Object.keys(base).filter((name) => !fits(values, schema, { ...base, [name]: null }));
  return wrong.slice(0, 1).map((name) => writeJson(new Members([...Object.entries(base), [name, null]])));
}
