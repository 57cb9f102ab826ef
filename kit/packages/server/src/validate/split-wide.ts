// Schemas with thousands of members: Ajv nests the code of one in that of the one before it, and V8 cannot parse such code.
import { mapValues, type ValidatorSchema } from '@contract-kit/contract';

const MOST_NESTED = 100;

/** Splits the members of a schema into parts that Ajv can compile. The same values match. */
export function splitWideSchema(schema: ValidatorSchema): ValidatorSchema {
  const { properties = {}, allOf = [], anyOf = [] } = schema;
  const names = Object.keys(properties);
  if ([names, allOf, anyOf].every(({ length }) => length <= MOST_NESTED)) return schema;
  const parts =
    names.length <= MOST_NESTED
      ? []
      : chunk(Object.entries(properties)).map((some) => ({ properties: Object.fromEntries(some) }));
  const all = [...allOf, ...parts];
  return {
    ...schema,
    // The names stay: additionalProperties asks for them.
    ...(parts.length > 0 && { properties: mapValues(properties, () => ({})) }),
    ...(all.length > 0 && { allOf: all.length <= MOST_NESTED ? all : chunk(all).map((some) => ({ allOf: some })) }),
    ...(anyOf.length > MOST_NESTED && { anyOf: chunk(anyOf).map((some) => ({ anyOf: some })) }),
  };
}

function chunk<T>(list: readonly T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(list.length / MOST_NESTED) }, (_, index) => index * MOST_NESTED);
  return starts.map((start) => list.slice(start, start + MOST_NESTED));
}
