// Arbitraries of fast-check for values near a schema.
import * as fc from 'fast-check';
import {
  additionalOf,
  choiceOf,
  itemsOf,
  requiredOf,
  rulesOf,
  sentProperties,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { textsMatching } from '../values/strings';
import { isJsonList, isJsonObject, type Json, type Wire, type WireObject } from '../wire/json';

const MAX_DEPTH = 4;

/** Random values near a schema: mostly of its types, sometimes of any, with and without what it names. */
export function arbitraryOf(schema: Schema, depth = 0): fc.Arbitrary<Wire> {
  if (depth > MAX_DEPTH) return arbitraryJson();
  const choice = choiceOf(schema);
  const usual = choice
    ? choice.branches.map((branch) => arbitraryOf(branch, depth + 1))
    : arbitrariesOfTypes(schema, depth);
  return fc.oneof({ weight: 30, arbitrary: fc.oneof(...usual) }, { weight: 1, arbitrary: arbitraryJson() });
}

function arbitrariesOfTypes(schema: Schema, depth: number): fc.Arbitrary<Wire>[] {
  const listed = rulesOf(schema, 'enum').flatMap(({ value }) => (isJsonList(value) ? [fc.constantFrom(...value)] : []));
  return [...listed, ...[...typesOf(schema)].map((type) => arbitraryOfType(schema, type, depth))];
}

function arbitraryOfType(schema: Schema, type: TypeName, depth: number): fc.Arbitrary<Wire> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(...arbitraryIntegers(schema), fc.bigInt({ min: -9n, max: 9n }));
    case 'number':
      return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt({ min: -9n, max: 9n }));
    case 'string':
      return fc.oneof(...arbitraryMatchingTexts(schema), arbitraryText(), arbitraryText(), fc.constant('\u0000'));
    case 'array':
      return fc.array(arbitraryItem(schema, depth), { maxLength: 4 });
    case 'object':
      return arbitraryObject(schema, depth);
  }
}

// RFC 7493 section 2.2: beyond a double's safe integers, only int64 is interoperable.
function arbitraryIntegers(schema: Schema): fc.Arbitrary<bigint>[] {
  const isLong = rulesOf(schema, 'format').some(({ value }) => value === 'int64');
  if (!isLong) return [fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n })];
  return [fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })];
}

function arbitraryObject(schema: Schema, depth: number): fc.Arbitrary<Wire> {
  const properties = Object.fromEntries(
    [...sentProperties(schema)].map(([name, property]) => [name, arbitraryOf(property, depth + 1)]),
  );
  const required = [...requiredOf(schema).keys()].filter((name) => name in properties);
  const additional = additionalOf(schema);
  const more = typeof additional === 'object' ? arbitraryOf(additional, depth + 1) : arbitraryJson();
  const complete = fc.record(properties, { requiredKeys: required }) as fc.Arbitrary<WireObject>;
  const partial = fc.record(properties, { requiredKeys: [] }) as typeof complete;
  const open = fc
    .tuple(complete, fc.dictionary(arbitraryText(), more, { maxKeys: 2 }))
    .map(([named, others]) => ({ ...others, ...named }));
  return fc.oneof(
    { weight: 6, arbitrary: complete },
    { weight: 1, arbitrary: partial },
    { weight: 2, arbitrary: open },
  );
}

function arbitraryItem(schema: Schema, depth: number): fc.Arbitrary<Wire> {
  const items = itemsOf(schema);
  return items ? arbitraryOf(items, depth + 1) : arbitraryJson();
}

function arbitraryMatchingTexts(schema: Schema): fc.Arbitrary<string>[] {
  return rulesOf(schema, 'pattern').flatMap(({ value }) => textsMatching(value) ?? []);
}

function arbitraryText(): fc.Arbitrary<string> {
  return fc.string({ unit: 'binary', maxLength: 40 });
}

function arbitraryJson(): fc.Arbitrary<Wire> {
  return fc.jsonValue({ maxDepth: 3 }).filter((value) => hasPlainPrototypes(value)) as fc.Arbitrary<Json>;
}

// fast-check may put `__proto__` into objects.
function hasPlainPrototypes(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasPlainPrototypes);
  if (!isJsonObject(value)) return true;
  return !Object.hasOwn(value, '__proto__') && Object.values(value).every(hasPlainPrototypes);
}
