// Makes valid and invalid values for any schema.
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
import { makeBaseArray, invalidArrays, validArrays } from './arrays';
import { NO_FIXTURES, type Fixtures } from './fixtures';
import { countValues, createVariant, fits, pointerOf, throwSkipped, type Values, type Variant } from './variant';
import { createMemo, limitVariants } from './memo';
import { invalidNumbers, validNumbers, makeBaseNumber } from './numbers';
import { invalidObjects, validObjects, makeBaseObject } from './objects';
import { findSkipReason } from './skip-reason';
import { invalidStrings, validStrings, makeBaseString } from './strings';
import type { Validate } from '../validation/validator';
import { WorkLimit } from '../validation/work-limit';
import { goodOfMember, isConditional, badOfUnion, noneFound } from './unions';

export interface ValuesOptions extends Partial<Pick<Values, 'validateWithoutDiscriminators' | 'workLimit'>> {
  /** How often the tested part of a value may be nested; without a limit by default. */
  readonly maxDepth?: number;
}

/** Creates the maker of values for any schema. Values are cached: cases share most schemas. */
export function createValues(
  validate: Validate,
  marker: string,
  fixtures: Fixtures = NO_FIXTURES,
  { validateWithoutDiscriminators = validate, workLimit = new WorkLimit(), maxDepth = Infinity }: ValuesOptions = {},
): Values {
  const memo = createMemo();
  const cached: typeof memo = (...args) => {
    workLimit.step();
    return memo(...args);
  };
  const tooDeep = new Set<string>();
  const leaveOut = (schema: Schema): Variant[] => {
    tooDeep.add(pointerOf(schema));
    return [];
  };
  const outermost = createLevel(maxDepth);
  return outermost;

  // The values of what is nested up to `depth` times.
  function createLevel(depth: number): Values {
    const make = (kind: string, find: (values: Values, schema: Schema) => Variant[]): Values['validValues'] =>
      depth < 0
        ? leaveOut
        : (schema) => cached(`${kind} ${String(depth)}`, schema, () => limitVariants(find(values, schema)));
    let inner: Values | undefined;
    const values: Values = {
      validate,
      validateWithoutDiscriminators,
      fixtures,
      marker,
      workLimit,
      tooDeep,
      isInnermost: depth < 0,
      baseOf: (schema) => cached(`base ${String(depth)}`, schema, () => findBase(values, schema)),
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

// A value of more parts is more than a request has.
const MAX_VALUES = 20_000;

// Takes what the team gives, or else, where no value can be made, an example of the contract.
// @throws SkippedError without one
function findBase(values: Values, schema: Schema): Wire {
  const given = givenValues(values, schema).find((value) => fits(values, schema, value));
  if (given !== undefined) return given;
  const skipReason = findSkipReason(values.fixtures, schema) ?? findEndlessness(schema);
  try {
    if (skipReason) throw skipReason;
    const base = makeBase(values, schema);
    if (countValues(base) > MAX_VALUES) throwSkipped(schema, 'values with too many parts');
    if (!fits(values, schema, base)) throwSkipped(schema, noneFound('value'));
    return base;
  } catch (error) {
    const [example] = error instanceof SkippedError ? exampleVariants(values, schema) : [];
    if (example === undefined) throw error;
    return example.value;
  }
}

// Takes examples where no values can be made; without any, the schema is listed as skipped.
function findValidValues(values: Values, schema: Schema): Variant[] {
  const skipReason = findSkipReason(values.fixtures, schema);
  const examples = exampleVariants(values, schema);
  // Who gives values says that no others are valid, although the contract allows them.
  if (givenValues(values, schema).some((value) => fits(values, schema, value))) return examples;
  if (!skipReason) return schema.contract.skipped.attempt(() => makeValidValues(values, schema), examples);
  if (examples.length === 0) schema.contract.skipped.add(skipReason);
  return examples;
}

// A schema that requires itself has no finite value: what it leads back to is as small as it can be, but does not end.
const MAX_EXCESS = 30;

function findEndlessness(schema: Schema): SkippedError | undefined {
  const { excess = 0 } = schema.recursion ?? {};
  return excess > MAX_EXCESS
    ? new SkippedError('schemas whose values would be infinite', pointerOf(schema))
    : undefined;
}

// From the file of `--fixtures`.
function givenValues({ fixtures }: Values, { schemaObjects }: Schema): readonly Json[] {
  return schemaObjects.flatMap(({ pointer }) => fixtures.places.get(pointer) ?? []);
}

function exampleVariants(values: Values, schema: Schema): Variant[] {
  const defaults = rulesOf(schema, 'default').map(({ value }) => value);
  const given = givenValues(values, schema);
  return (given.length > 0 ? given : [...examplesOf(schema), ...defaults])
    .filter((value) => fits(values, schema, value))
    .map((value) =>
      createVariant(schema, { keyword: 'example', label: `as shown, ${writeJson(value).slice(0, 40)}` }, value),
    );
}

// Of a oneOf or anyOf member that works, from the enum, or of the first type but null: where the contract says no type, of
// one that its keywords are about.
function makeBase(values: Values, schema: Schema): Wire {
  const union = unionOf(schema);
  if (union) return makeBaseOfUnion(values, schema, union);
  const [allowed] = createEnumVariants(schema);
  if (allowed) return allowed.value;
  const types = [...typesOf(schema)];
  const meant = isTyped(schema) ? undefined : MEANT.find(([, keywords]) => pointersOf(schema, ...keywords).length > 0);
  const type = meant?.[0] ?? types.find((name) => name !== 'null') ?? types[0];
  return type ? MAKERS[type].base(values, schema) : throwSkipped(schema, noneFound('type'));
}

const MEANT: readonly (readonly [type: TypeName, keywords: readonly string[]])[] = [
  ['object', ['properties']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
];

// The first value that fits, of a member each; the smallest where the schema leads back to itself.
function makeBaseOfUnion(values: Values, schema: Schema, union: Union): Wire {
  let smallest: Wire | undefined;
  for (const member of union.members) {
    const make = (): Wire | undefined => values.baseOf(member);
    // Of conditions, and of what has to end, one member is enough.
    const isOneEnough = isConditional(union) || isRecursive(schema);
    const base = isOneEnough ? attempt(make, () => undefined) : schema.contract.skipped.attempt(make, undefined);
    if (base === undefined || !fits(values, schema, base)) continue;
    if (!isRecursive(schema)) return base;
    if (smallest === undefined || countValues(base) < countValues(smallest)) smallest = base;
  }
  return smallest ?? throwSkipped(schema, noneFound('value'));
}

function makeValidValues(values: Values, schema: Schema): Variant[] {
  if (isRecursive(schema))
    return [createVariant(schema, { keyword: 'value', label: 'as small as it can be' }, values.baseOf(schema))];
  const union = unionOf(schema);
  if (union)
    return union.members.flatMap((member, index) =>
      goodOfMember(values, schema, member).map((variant) => ({
        ...variant,
        label: `union member ${String(index)}, ${variant.label}`,
      })),
    );
  if (hasEnum(schema)) return createEnumVariants(schema);
  const isChecked = pointersOf(schema, ...CHECKED_KEYWORDS).length > 0;
  return [...typesOf(schema)].flatMap((type) => {
    const ofType = MAKERS[type].valid(values, schema);
    return isChecked ? ofType.filter(({ value }) => fits(values, schema, value)) : ofType;
  });
}

// Keywords that the makers of values do not know, or not in all that they say.
const CHECKED_KEYWORDS = [
  ...['not', 'dependentRequired', 'dependencies', 'propertyNames', 'contains'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];

function makeInvalidValues(values: Values, schema: Schema): Variant[] {
  // The outer value of the same schema is tested.
  if (isRecursive(schema)) return wrongTypes(schema);
  const union = unionOf(schema);
  if (union) return badOfUnion(values, schema, union);
  const ofTypes = [...typesOf(schema)].flatMap((type) =>
    schema.contract.skipped.attempt(() => MAKERS[type].invalid(values, schema), []),
  );
  const matchingNot = matchNegated(values, schema);
  return [...wrongTypes(schema), ...outsideEnum(schema), ...ofTypes, ...matchingNot];
}

// Makes values that match the negated schema of `not` and all other rules.
function matchNegated(values: Values, schema: Schema): Variant[] {
  return negationsOf(schema).flatMap(({ pointer, opposite }) =>
    values
      .validValues(opposite)
      .filter(({ value }) => !fits(values, schema, value))
      .map(({ label, value }) => createVariant(schema, { keyword: 'not', label: `not, ${label}`, pointer }, value)),
  );
}

// A valid value of a type, valid ones at the edge of each rule, and invalid ones for each rule.
interface Maker {
  readonly base: (values: Values, schema: Schema) => Wire;
  readonly valid: (values: Values, schema: Schema) => Variant[];
  readonly invalid: (values: Values, schema: Schema) => Variant[];
}

const NUMBER_MAKER: Maker = {
  base: (_values, schema) => makeBaseNumber(schema),
  valid: (_values, schema) => validNumbers(schema),
  invalid: (_values, schema) => invalidNumbers(schema),
};

const MAKERS: Readonly<Record<TypeName, Maker>> = {
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
  integer: NUMBER_MAKER,
  number: NUMBER_MAKER,
  string: { base: makeBaseString, valid: validStrings, invalid: invalidStrings },
  array: { base: makeBaseArray, valid: validArrays, invalid: invalidArrays },
  object: { base: makeBaseObject, valid: validObjects, invalid: invalidObjects },
};

// Values of each type, with labels; among them strings that a lenient parser takes for another type.
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

// Numbers and integers never count as wrong types of each other: invalidNumbers makes such values.
function wrongTypes(schema: Schema): Variant[] {
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

// The values that every enum and const of the schema allows.
function createEnumVariants(schema: Schema): Variant[] {
  const enums = [
    ...rulesOf(schema, 'enum').map(({ value, schemaObject }) => ({ allowed: value as readonly Wire[], schemaObject })),
    ...rulesOf(schema, 'const').map(({ value, schemaObject }) => ({ allowed: [value], schemaObject })),
  ];
  const [first, ...others] = enums;
  const allows = (allowed: readonly Wire[], value: Wire): boolean =>
    allowed.some((other) => isSame(toJson(other), toJson(value)));
  return (first?.allowed ?? [])
    .filter((value) => others.every(({ allowed }) => allows(allowed, value)))
    .map((value) =>
      createVariant(
        schema,
        { keyword: 'enum', label: `enum, ${writeJson(value)}`, pointer: first?.schemaObject.pointer },
        value,
      ),
    );
}

// A careless server may accept the first string with another end, case or beginning.
function outsideEnum(schema: Schema): Variant[] {
  const allowedVariants = createEnumVariants(schema);
  const [first] = allowedVariants;
  if (!first) return [];
  return similarValues(first.value)
    .filter((similar) => !allowedVariants.some(({ value }) => isSame(toJson(value), toJson(similar))))
    .map((value) => ({ ...first, value, label: `enum, ${writeJson(value)} is not listed` }));
}

function similarValues(value: Wire): Wire[] {
  if (typeof value === 'string') return [`${value}x`, value.toUpperCase(), value.toLowerCase(), ` ${value}`, ''];
  // A large distance: an enum may list successive numbers.
  return [typeof value === 'bigint' ? value + 1_000_003n : 'text'];
}
