import {
  examplesOf,
  isRecursive,
  isTyped,
  pointersOf,
  rulesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { unionOf, negationsOf, type Union } from '../contract/unions';
import { attempt, SkippedError } from '../contract/skipped';
import { isSame, toJson, writeJson, type Json, type Wire } from '../wire/json';
import { makeBaseArray, makeInvalidArrays, makeValidArrays } from './arrays';
import { NO_FIXTURES, type Fixtures } from './fixtures';
import { countValues, createVariant, fits, pointerOf, throwSkipped, type Values, type Variant } from './variant';
import { createValueCache, limitVariants } from './memo';
import { makeInvalidNumbers, makeValidNumbers, makeBaseNumber } from './numbers';
import { makeInvalidObjects, makeValidObjects, makeBaseObject } from './objects';
import { findSkipReason } from './skip-reason';
import { makeInvalidStrings, makeValidStrings, makeBaseString } from './strings';
import type { Validate } from '../validation/validator';
import { WorkLimit } from '../validation/work-limit';
import { makeValidMemberValues, isConditional, makeInvalidUnionValues, toNotFoundReason } from './unions';

export interface ValuesOptions extends Partial<Pick<Values, 'validateWithoutDiscriminators' | 'workLimit'>> {
  /** How deeply the tested part of a value may be nested; unlimited by default. */
  readonly maxDepth?: number;
}

/** Caches all values, because cases share most schemas. */
export function createValues(
  validate: Validate,
  marker: string,
  fixtures: Fixtures = NO_FIXTURES,
  { validateWithoutDiscriminators = validate, workLimit = new WorkLimit(), maxDepth = Infinity }: ValuesOptions = {},
): Values {
  const cacheValues = createValueCache();
  const cacheWithLimit: typeof cacheValues = (...args) => {
    workLimit.step();
    return cacheValues(...args);
  };
  const tooDeepPointers = new Set<string>();
  const skipTooDeepSchema = (schema: Schema): Variant[] => {
    tooDeepPointers.add(pointerOf(schema));
    return [];
  };
  const outermost = createLevel(maxDepth);
  return outermost;

  function createLevel(depth: number): Values {
    const make = (kind: string, find: (values: Values, schema: Schema) => Variant[]): Values['validValues'] =>
      depth < 0
        ? skipTooDeepSchema
        : (schema) => cacheWithLimit(`${kind} ${String(depth)}`, schema, () => limitVariants(find(values, schema)));
    let inner: Values | undefined;
    const values: Values = {
      validate,
      validateWithoutDiscriminators,
      fixtures,
      marker,
      workLimit,
      tooDeep: tooDeepPointers,
      isInnermost: depth < 0,
      baseOf: (schema) => cacheWithLimit(`base ${String(depth)}`, schema, () => findBase(values, schema)),
      validValues: make('good', findValidValues),
      invalidValues: make('bad', makeInvalidValues),
      get inner() {
        return (inner ??= depth < 0 || depth === Infinity ? values : createLevel(depth - 1));
      },
      get outermost() {
        return outermost;
      },
    };
    return values;
  }
}

// The most parts that a value may have, which is more than in any realistic request.
const MAX_VALUES = 20_000;

// Uses a fixture, a generated value, or an example in the contract, in this order. Throws a SkippedError if all fail.
function findBase(values: Values, schema: Schema): Wire {
  const fixture = findFixtures(values, schema).find((value) => fits(values, schema, value));
  if (fixture !== undefined) return fixture;
  const skipReason = findSkipReason(values.fixtures, schema) ?? findInfiniteRecursion(schema);
  try {
    if (skipReason) throw skipReason;
    const base = makeBase(values, schema);
    if (countValues(base) > MAX_VALUES) throwSkipped(schema, 'values with too many parts');
    if (!fits(values, schema, base)) throwSkipped(schema, toNotFoundReason('value'));
    return base;
  } catch (error) {
    const [example] = error instanceof SkippedError ? createExampleVariants(values, schema) : [];
    if (example === undefined) throw error;
    return example.value;
  }
}

function findValidValues(values: Values, schema: Schema): Variant[] {
  const skipReason = findSkipReason(values.fixtures, schema);
  const examples = createExampleVariants(values, schema);
  // A team that provides values thereby says that others are invalid, even if the contract allows them.
  if (findFixtures(values, schema).some((value) => fits(values, schema, value))) return examples;
  if (!skipReason) return schema.contract.skipped.attempt(() => makeValidValues(values, schema), examples);
  if (examples.length === 0) schema.contract.skipped.add(skipReason);
  return examples;
}

// Beyond this depth of repetition, a schema is taken to require itself, and so to have no finite value.
const MAX_EXCESS = 30;

function findInfiniteRecursion(schema: Schema): SkippedError | undefined {
  const { excess = 0 } = schema.recursion ?? {};
  return excess > MAX_EXCESS
    ? new SkippedError('schemas whose values would be infinite', pointerOf(schema))
    : undefined;
}

function findFixtures({ fixtures }: Values, { schemaObjects }: Schema): readonly Json[] {
  return schemaObjects.flatMap(({ pointer }) => fixtures.places.get(pointer) ?? []);
}

function createExampleVariants(values: Values, schema: Schema): Variant[] {
  const defaults = rulesOf(schema, 'default').map(({ value }) => value);
  const ownFixtures = findFixtures(values, schema);
  return (ownFixtures.length > 0 ? ownFixtures : [...examplesOf(schema), ...defaults])
    .filter((value) => fits(values, schema, value))
    .map((value) =>
      createVariant(schema, { keyword: 'example', label: `as shown, ${writeJson(value).slice(0, 40)}` }, value),
    );
}

// Prefers a oneOf or anyOf member, then the enum, and then any type but null. Keywords may imply a missing type.
function makeBase(values: Values, schema: Schema): Wire {
  const union = unionOf(schema);
  if (union) return makeBaseOfUnion(values, schema, union);
  const [enumVariant] = createEnumVariants(schema);
  if (enumVariant) return enumVariant.value;
  const types = [...typesOf(schema)];
  const impliedType = isTyped(schema)
    ? undefined
    : IMPLIED_TYPES.find(([, keywords]) => pointersOf(schema, ...keywords).length > 0);
  const type = impliedType?.[0] ?? types.find((name) => name !== 'null') ?? types[0];
  return type ? GENERATORS[type].base(values, schema) : throwSkipped(schema, toNotFoundReason('type'));
}

const IMPLIED_TYPES: readonly (readonly [type: TypeName, keywords: readonly string[]])[] = [
  ['object', ['properties']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
];

function makeBaseOfUnion(values: Values, schema: Schema, union: Union): Wire {
  let smallestValue: Wire | undefined;
  for (const member of union.members) {
    const make = (): Wire | undefined => values.baseOf(member);
    const isOneMemberEnough = isConditional(union) || isRecursive(schema);
    const base = isOneMemberEnough ? attempt(make, () => undefined) : schema.contract.skipped.attempt(make, undefined);
    if (base === undefined || !fits(values, schema, base)) continue;
    if (!isRecursive(schema)) return base;
    if (smallestValue === undefined || countValues(base) < countValues(smallestValue)) smallestValue = base;
  }
  return smallestValue ?? throwSkipped(schema, toNotFoundReason('value'));
}

function makeValidValues(values: Values, schema: Schema): Variant[] {
  if (isRecursive(schema))
    return [createVariant(schema, { keyword: 'value', label: 'as small as it can be' }, values.baseOf(schema))];
  const union = unionOf(schema);
  if (union)
    return union.members.flatMap((member, index) =>
      makeValidMemberValues(values, schema, member).map((variant) => ({
        ...variant,
        label: `union member ${String(index)}, ${variant.label}`,
      })),
    );
  if (hasEnum(schema)) return createEnumVariants(schema);
  const isChecked = pointersOf(schema, ...CHECKED_KEYWORDS).length > 0;
  return [...typesOf(schema)].flatMap((type) => {
    const valuesOfType = GENERATORS[type].valid(values, schema);
    return isChecked ? valuesOfType.filter(({ value }) => fits(values, schema, value)) : valuesOfType;
  });
}

// Keywords that the value generators ignore or support only partly.
const CHECKED_KEYWORDS = [
  ...['not', 'dependentRequired', 'dependencies', 'propertyNames', 'contains'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];

function makeInvalidValues(values: Values, schema: Schema): Variant[] {
  // The outer value of the same schema is tested instead.
  if (isRecursive(schema)) return makeValuesOfWrongType(schema);
  const union = unionOf(schema);
  if (union) return makeInvalidUnionValues(values, schema, union);
  const valuesOfTypes = [...typesOf(schema)].flatMap((type) =>
    schema.contract.skipped.attempt(() => GENERATORS[type].invalid(values, schema), []),
  );
  const negatedVariants = matchNegated(values, schema);
  return [...makeValuesOfWrongType(schema), ...makeValuesOutsideEnum(schema), ...valuesOfTypes, ...negatedVariants];
}

function matchNegated(values: Values, schema: Schema): Variant[] {
  return negationsOf(schema).flatMap(({ pointer, opposite }) =>
    values
      .validValues(opposite)
      .filter(({ value }) => !fits(values, schema, value))
      .map(({ label, value }) => createVariant(schema, { keyword: 'not', label: `not, ${label}`, pointer }, value)),
  );
}

interface Generator {
  readonly base: (values: Values, schema: Schema) => Wire;
  readonly valid: (values: Values, schema: Schema) => Variant[];
  readonly invalid: (values: Values, schema: Schema) => Variant[];
}

const NUMBER_GENERATOR: Generator = {
  base: (_values, schema) => makeBaseNumber(schema),
  valid: (_values, schema) => makeValidNumbers(schema),
  invalid: (_values, schema) => makeInvalidNumbers(schema),
};

const GENERATORS: Readonly<Record<TypeName, Generator>> = {
  null: {
    base: () => null,
    valid: (_values, schema) => [createVariant(schema, { keyword: 'value', label: 'null' }, null)],
    invalid: () => [],
  },
  boolean: {
    base: () => true,
    valid: (_values, schema) =>
      [true, false].map((value) => createVariant(schema, { keyword: 'value', label: String(value) }, value)),
    invalid: () => [],
  },
  integer: NUMBER_GENERATOR,
  number: NUMBER_GENERATOR,
  string: { base: makeBaseString, valid: makeValidStrings, invalid: makeInvalidStrings },
  array: { base: makeBaseArray, valid: makeValidArrays, invalid: makeInvalidArrays },
  object: { base: makeBaseObject, valid: makeValidObjects, invalid: makeInvalidObjects },
};

// Values of each type, including strings that a lenient parser may take for another type.
const TYPE_SAMPLES: readonly (readonly [type: TypeName, label: string, value: Wire])[] = [
  ['null', 'null', null],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['integer', '1', 1n],
  ['integer', '0', 0n],
  ['number', '1.5', 1.5],
  ['string', 'a string', 'text'],
  ['string', 'an empty string', ''],
  ['string', 'a numeric string', '1'],
  ['string', 'a boolean string', 'true'],
  ['array', 'an empty array', []],
  ['array', 'an array of one', [1n]],
  ['object', 'an empty object', {}],
];

// Treats integers and numbers as the same type, since `makeInvalidNumbers` makes fractions for integers.
function makeValuesOfWrongType(schema: Schema): Variant[] {
  const types = typesOf(schema);
  if (!isTyped(schema)) return [];
  const isNumeric = types.has('integer') || types.has('number');
  const isWrong = (type: TypeName): boolean =>
    type === 'integer' || type === 'number' ? !isNumeric : !types.has(type);
  return TYPE_SAMPLES.filter(([type]) => isWrong(type)).map(([, label, value]) =>
    createVariant(schema, { keyword: 'type', label: `type, ${label}` }, value),
  );
}

function hasEnum(schema: Schema): boolean {
  return rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length > 0;
}

function createEnumVariants(schema: Schema): Variant[] {
  const enums = [
    ...rulesOf(schema, 'enum').map(({ value, schemaObject }) => ({ allowed: value as readonly Wire[], schemaObject })),
    ...rulesOf(schema, 'const').map(({ value, schemaObject }) => ({ allowed: [value], schemaObject })),
  ];
  const [first, ...otherEnums] = enums;
  const allows = (allowed: readonly Wire[], value: Wire): boolean =>
    allowed.some((candidate) => isSame(toJson(candidate), toJson(value)));
  return (first?.allowed ?? [])
    .filter((value) => otherEnums.every(({ allowed }) => allows(allowed, value)))
    .map((value) =>
      createVariant(
        schema,
        { keyword: 'enum', label: `enum, ${writeJson(value)}`, pointer: first?.schemaObject.pointer },
        value,
      ),
    );
}

// A careless server may ignore an added suffix or prefix, or the letter case.
function makeValuesOutsideEnum(schema: Schema): Variant[] {
  const allowedVariants = createEnumVariants(schema);
  const [first] = allowedVariants;
  if (!first) return [];
  return listSimilarValues(first.value)
    .filter((similar) => !allowedVariants.some(({ value }) => isSame(toJson(value), toJson(similar))))
    .map((value) => ({ ...first, value, label: `enum, ${writeJson(value)} is not listed` }));
}

function listSimilarValues(value: Wire): Wire[] {
  if (typeof value === 'string') return [`${value}x`, value.toUpperCase(), value.toLowerCase(), ` ${value}`, ''];
  // An enum may list consecutive numbers, so this adds a large one.
  return [typeof value === 'bigint' ? value + 1_000_003n : 'text'];
}
