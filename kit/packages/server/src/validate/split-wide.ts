import { mapValues, type ValidatorSchema } from '@contract-kit/contract';

const MAX_MEMBERS = 100;

/**
 * Splits a schema's members into parts, without changing which values match. Ajv nests the code for each member inside the code for
 * the previous one, and V8 cannot parse thousands of levels.
 */
export function splitWideSchema(schema: ValidatorSchema): ValidatorSchema {
  const { properties = {}, allOf = [], anyOf = [] } = schema;
  const names = Object.keys(properties);
  if ([names, allOf, anyOf].every(({ length }) => length <= MAX_MEMBERS)) return schema;
  const parts =
    names.length <= MAX_MEMBERS
      ? []
      : chunk(Object.entries(properties)).map((entries) => ({ properties: Object.fromEntries(entries) }));
  const all = [...allOf, ...parts];
  return {
    ...schema,
    // additionalProperties still needs the names.
    ...(parts.length > 0 && { properties: mapValues(properties, () => ({})) }),
    ...(all.length > 0 && { allOf: all.length <= MAX_MEMBERS ? all : chunk(all).map((part) => ({ allOf: part })) }),
    ...(anyOf.length > MAX_MEMBERS && { anyOf: chunk(anyOf).map((part) => ({ anyOf: part })) }),
  };
}

function chunk<T>(list: readonly T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(list.length / MAX_MEMBERS) }, (_, index) => index * MAX_MEMBERS);
  return starts.map((start) => list.slice(start, start + MAX_MEMBERS));
}
