import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson } from '../wire/json';
import { toBody, validRequest } from './valid-request';

/** Every wrong value of a body, each on the wrong side of one rule, and a body that is missing. */
export function negative(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  if (!body) return [];
  const made = (
    sent: Buffer | undefined,
    pointer: string,
    label: string,
    covers: readonly string[],
    keyword: string,
  ): Case => ({
    operation: operation.id,
    class: 'negative',
    pointer,
    label,
    keyword,
    covers,
    request: validRequest(values, operation, { body: sent }),
    expect: 'refused',
  });
  const wrong = values.badValues(body.schema);
  const base = toJson(values.baseOf(body.schema));
  const [firstWrong] = wrong.flatMap(({ value }) => {
    const json = toJson(value);
    return isJsonObject(json) && isJsonObject(base)
      ? Object.entries(json)
          .filter(([name, member]) => base[name] !== undefined && member === null)
          .slice(0, 1)
      : [];
  });
  return [
    ...wrong.map(({ value, pointer, label, covers, keyword }) =>
      made(toBody(writeJson(value)), pointer, label, covers, keyword),
    ),
    ...(body.isRequired
      ? [
          made(undefined, body.pointer, 'required, no body', [`${body.pointer} required`], 'body'),
          made(Buffer.alloc(0), body.pointer, 'required, an empty body', [`${body.pointer} required`], 'body'),
        ]
      : []),
    ...(firstWrong && isJsonObject(base)
      ? [
          made(
            toBody(writeJson(new Members([...Object.entries(base), firstWrong]))),
            body.pointer,
            'the last of two equal names is wrong',
            [],
            'spelling',
          ),
        ]
      : []),
  ];
}
