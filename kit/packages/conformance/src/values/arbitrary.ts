// Makes fast-check generators of random values (it calls them arbitraries) that are valid by a schema or nearly so.
import * as fc from 'fast-check';
import {
  additionalOf,
  isRecursive,
  itemOf,
  prefixLengthOf,
  requiredOf,
  rulesOf,
  requestPropertiesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { unionOf } from '../contract/unions';
import { isInt64 } from './numbers';
import { arbitraryMatching } from './strings';
import { isJsonList, isJsonObject, type Json, type Wire, type WireObject } from '../wire/json';

const MAX_DEPTH = 4;

/**
 * Generates 30 of 31 values with a type of the schema, which may break other rules, and one that is any JSON. Beyond
 * MAX_DEPTH all values are any JSON, so that recursive schemas end.
 */
export function arbitraryOf(schema: Schema, depth = 0): fc.Arbitrary<Wire> {
  if (depth > MAX_DEPTH || isRecursive(schema)) return arbitraryJson();
  const union = unionOf(schema);
  const typed = union
    ? union.members.map((member) => arbitraryOf(member, depth + 1))
    : arbitrariesOfTypes(schema, depth);
  // Schemas of one value may have no type in common.
  if (typed.length === 0) return arbitraryJson();
  return fc.oneof({ weight: 30, arbitrary: fc.oneof(...typed) }, { weight: 1, arbitrary: arbitraryJson() });
}

function arbitrariesOfTypes(schema: Schema, depth: number): fc.Arbitrary<Wire>[] {
  const enums = rulesOf(schema, 'enum').flatMap(({ value }) =>
    isJsonList(value) && value.length > 0 ? [fc.constantFrom(...value)] : [],
  );
  return [...enums, ...[...typesOf(schema)].map((type) => arbitraryOfType(schema, type, depth))];
}

// Limits are ignored. NUL is among the strings, since many databases refuse it.
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
      return arbitraryList(schema, depth);
    case 'object':
      return arbitraryObject(schema, depth);
  }
}

// Integers that every parser reads exactly (RFC 7493 section 2.2); with `format: int64` its whole range, and more.
function arbitraryIntegers(schema: Schema): fc.Arbitrary<bigint>[] {
  if (!isInt64(schema)) return [fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n })];
  return [fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })];
}

function arbitraryObject(schema: Schema, depth: number): fc.Arbitrary<Wire> {
  const properties = Object.fromEntries(
    [...requestPropertiesOf(schema)].map(([name, property]) => [name, arbitraryOf(property, depth + 1)]),
  );
  const required = [...requiredOf(schema).keys()].filter((name) => name in properties);
  const additional = additionalOf(schema);
  const additionalValue = typeof additional === 'object' ? arbitraryOf(additional, depth + 1) : arbitraryJson();
  const complete = fc.record(properties, { requiredKeys: required }) as fc.Arbitrary<WireObject>;
  const partial = fc.record(properties, { requiredKeys: [] }) as typeof complete;
  const extended = fc
    .tuple(complete, fc.dictionary(arbitraryText(), additionalValue, { maxKeys: 2 }))
    .map(([declared, others]) => ({ ...others, ...declared }));
  return fc.oneof(
    { weight: 6, arbitrary: complete },
    { weight: 1, arbitrary: partial },
    { weight: 2, arbitrary: extended },
  );
}

function arbitraryList(schema: Schema, depth: number): fc.Arbitrary<Wire> {
  const arbitraryItem = (index: number): fc.Arbitrary<Wire> => {
    const item = itemOf(schema, index);
    return item ? arbitraryOf(item, depth + 1) : arbitraryJson();
  };
  const prefix = Array.from({ length: prefixLengthOf(schema) }, (_unused, index) => arbitraryItem(index));
  return fc
    .tuple(fc.tuple(...prefix), fc.array(arbitraryItem(prefix.length), { maxLength: 4 }), fc.nat(4))
    .map(([first, others, length]) => (others.length > 0 ? [...first, ...others] : first.slice(0, length)));
}

function arbitraryMatchingTexts(schema: Schema): fc.Arbitrary<string>[] {
  return rulesOf(schema, 'pattern').flatMap(({ value }) => arbitraryMatching(value) ?? []);
}

// Any character but surrogates, as the unit 'binary', which first makes a table of all of them: a second, and 100 MB.
const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const character = fc.nat(0x10ffff - SURROGATES).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (text) => {
    const [first, ...others] = typeof text === 'string' ? text : '';
    // The library asks whether it could have made a text, such as one that servers often get wrong.
    if (first === undefined || others.length > 0) throw new Error('it is not one character');
    const point = Number(first.codePointAt(0));
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);

function arbitraryText(): fc.Arbitrary<string> {
  return fc.string({ unit: character, maxLength: 40 });
}

function arbitraryJson(): fc.Arbitrary<Wire> {
  return fc.jsonValue({ maxDepth: 3 }).filter((value) => hasPlainPrototypes(value)) as fc.Arbitrary<Json>;
}

// fast-check may make a member `__proto__`, which in JavaScript would set the prototype.
function hasPlainPrototypes(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasPlainPrototypes);
  if (!isJsonObject(value)) return true;
  return !Object.hasOwn(value, '__proto__') && Object.values(value).every(hasPlainPrototypes);
}
