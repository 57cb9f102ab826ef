// Makes valid and invalid values for any schema.
import {
  choiceOf,
  ruleId,
  ruleIds,
  rulesOf,
  negationsOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { OPEN_BRANCH } from '../contract/tag-alternatives';
import { Untriable } from '../contract/untried';
import type { LeftOpen } from '../left-open';
import { isJsonList, isSame, toJson, writeJson, type Wire } from '../wire/json';
import { makeBaseArray, badArrays, goodArrays } from './arrays';
import { NOTHING, type Given } from './given';
import { createMemo } from './memo';
import { badNumbers, goodNumbers, makeBaseNumber } from './numbers';
import { badObjects, goodObjects, makeBaseObject, placesKey } from './objects';
import { obstacleOf } from './obstacle';
import { badStrings, goodStrings, makeBaseString } from './strings';
import { fits, pointerOf, createVariant, type Inside, type Values, type Variant } from './variant';
import type { Validate } from '../validator';

/** @param mark the string where any string is valid */
export function createValues(
  validate: Validate,
  mark: string,
  given: Given = NOTHING,
  validateUntagged = validate,
): Values {
  const once = createMemo();
  const values: Values = {
    validate,
    validateUntagged,
    given,
    mark,
    baseOf: (schema, inside = []) => once('base', schema, inside, () => findBase(values, schema, inside)),
    goodValues: (schema, inside = []) => once('good', schema, inside, () => findGood(values, schema, inside)),
    badValues: (schema, inside = []) => once('bad', schema, inside, () => makeBad(values, schema, inside)),
  };
  return values;
}

/** Makes one valid value, or takes an example of the contract or the team. */
function findBase(values: Values, schema: Schema, inside: Inside): Wire {
  const obstacle = obstacleOf(values.given, schema) ?? findEndlessness(schema, inside);
  try {
    if (obstacle) throw obstacle;
    const base = makeBase(values, schema, inside);
    if (!fits(values, schema, base)) throwUntriable(schema, 'values');
    return base;
  } catch (error) {
    const [shown] = error instanceof Untriable ? examplesOf(values, schema) : [];
    if (shown === undefined) throw error;
    return shown.value;
  }
}

/** Makes valid values, or takes the examples of the contract or the team. */
function findGood(values: Values, schema: Schema, inside: Inside): Variant[] {
  const { untried } = schema.contract;
  const obstacle = obstacleOf(values.given, schema);
  const shown = examplesOf(values, schema);
  if (obstacle && shown.length === 0) untried.add(obstacle);
  return obstacle ? shown : untried.attempt(() => makeGood(values, schema, inside), shown);
}

// A schema that requires itself has no finite value.
function findEndlessness(schema: Schema, inside: Inside): Untriable | undefined {
  const key = placesKey(schema);
  const times = inside.filter((one) => one === key).length;
  return times > 1 ? new Untriable('schemas that are endless', pointerOf(schema)) : undefined;
}

function examplesOf(values: Values, schema: Schema): Variant[] {
  const shown = schema.places.flatMap(({ schema: { example, examples, default: usual }, pointer }) => [
    ...(values.given.places.get(pointer) ?? []),
    ...[example, ...(isJsonList(examples) ? examples : []), usual].filter((value) => value !== undefined),
  ]);
  return shown
    .filter((value) => fits(values, schema, value))
    .map((value) =>
      createVariant(schema, { keyword: 'example', label: `as shown, ${writeJson(value).slice(0, 40)}` }, value),
    );
}

/** Makes one valid value: of the first branch that works, from the enum, or of the first type but null. */
function makeBase(values: Values, schema: Schema, inside: Inside): Wire {
  const choice = choiceOf(schema);
  if (choice) {
    const { untried } = schema.contract;
    const bases = choice.branches.map((branch) => untried.attempt(() => values.baseOf(branch, inside), undefined));
    return bases.find((base) => base !== undefined && fits(values, schema, base)) ?? throwUntriable(schema, 'values');
  }
  const [listed] = enumVariants(schema);
  if (listed) return listed.value;
  for (const type of typesOf(schema)) {
    if (type === 'null' && typesOf(schema).size > 1) continue;
    return MAKERS[type].base(values, schema, inside);
  }
  return throwUntriable(schema, 'types');
}

/** Makes valid values for each branch and each type. */
function makeGood(values: Values, schema: Schema, inside: Inside): Variant[] {
  const choice = choiceOf(schema);
  if (choice) {
    return choice.branches.flatMap((branch, index) => {
      const [leftOpen] = rulesOf(branch, OPEN_BRANCH).map(({ value }) => value as LeftOpen);
      const fitting = values.goodValues(branch, inside).filter(({ value }) => fits(values, schema, value));
      if (fitting.length === 0) schema.contract.untried.add(toUntriable(branch, 'values of one branch alone'));
      return fitting.map((made) => ({
        ...made,
        covers: [...made.covers, choice.rule],
        label: `branch ${String(index)}, ${made.label}`,
        leftOpen: made.leftOpen ?? leftOpen,
      }));
    });
  }
  const negated = ruleIds(schema, 'not');
  if (rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length > 0) return enumVariants(schema);
  return [...typesOf(schema)].flatMap((type) =>
    MAKERS[type]
      .good(values, schema, inside)
      .filter(({ value }) => negated.length === 0 || fits(values, schema, value))
      .map((made) => ({ ...made, covers: [...made.covers, ...typeRuleIds(schema), ...negated] })),
  );
}

/**
 * Makes values that break a rule: wrong types, outside of an enum, matching no branch or several, or matching `not`.
 */
function makeBad(values: Values, schema: Schema, inside: Inside): Variant[] {
  const choice = choiceOf(schema);
  if (choice) {
    const wrong = choice.branches.flatMap((branch, index) =>
      values
        .badValues(branch, inside)
        .filter(({ value }) => !fits(values, schema, value))
        .map((made) => ({
          ...made,
          covers: [...made.covers, choice.rule],
          label: `branch ${String(index)}, ${made.label}`,
        })),
    );
    const several = choice.branches
      .flatMap((branch) => values.goodValues(branch, inside))
      .filter(({ value }) => !fits(values, schema, value))
      .map((made) => ({
        ...made,
        keyword: 'oneOf',
        covers: [choice.rule],
        label: `more than one branch, ${made.label}`,
      }));
    return [...wrong, ...several];
  }
  const types = typesOf(schema);
  const ofTypes = [...types].flatMap((type) =>
    schema.contract.untried.attempt(() => MAKERS[type].bad(values, schema, inside), []),
  );
  const negated = negationsOf(schema, 'not').flatMap(({ rule, opposite }) => {
    const made = values.goodValues(opposite, inside).filter(({ value }) => !fits(values, schema, value));
    return made.map(({ label, value }) =>
      createVariant(schema, { keyword: 'not', label: `not, ${label}` }, value, [rule]),
    );
  });
  return [...wrongTypes(schema), ...outsideEnum(schema), ...ofTypes, ...negated];
}

interface Maker {
  readonly base: (values: Values, schema: Schema, inside: Inside) => Wire;
  readonly good: (values: Values, schema: Schema, inside: Inside) => Variant[];
  readonly bad: (values: Values, schema: Schema, inside: Inside) => Variant[];
}

const MAKERS: Readonly<Record<TypeName, Maker>> = {
  null: {
    base: () => null,
    good: (_values, schema) => [createVariant(schema, { keyword: 'value', label: 'null' }, null)],
    bad: () => [],
  },
  boolean: {
    base: () => true,
    good: (_values, schema) =>
      [true, false].map((value) => createVariant(schema, { keyword: 'value', label: String(value) }, value)),
    bad: () => [],
  },
  integer: {
    base: (_values, schema) => makeBaseNumber(schema),
    good: (_values, schema) => goodNumbers(schema),
    bad: (_values, schema) => badNumbers(schema),
  },
  number: {
    base: (_values, schema) => makeBaseNumber(schema),
    good: (_values, schema) => goodNumbers(schema),
    bad: (_values, schema) => badNumbers(schema),
  },
  string: { base: makeBaseString, good: goodStrings, bad: badStrings },
  array: { base: makeBaseArray, good: goodArrays, bad: badArrays },
  object: { base: makeBaseObject, good: goodObjects, bad: badObjects },
};

// A value of each type, and strings that a lenient parser takes for another type.
const OF_TYPE: readonly (readonly [type: TypeName, label: string, value: Wire])[] = [
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

// `1` and `1.5` are no wrong types where numbers or integers are allowed: makers of numbers create such cases.
function wrongTypes(schema: Schema): Variant[] {
  const types = typesOf(schema);
  const covers = typeRuleIds(schema);
  if (covers.length === 0) return [];
  return OF_TYPE.filter(([type]) => !types.has(type) && !(type === 'integer' && types.has('number')))
    .filter(([type]) => !(type === 'number' && types.has('integer')))
    .map(([, label, value]) => createVariant(schema, { keyword: 'type', label: `type, ${label}` }, value, covers));
}

function typeRuleIds(schema: Schema): string[] {
  return ruleIds(schema, 'type');
}

function enumVariants(schema: Schema): Variant[] {
  const lists = [
    ...rulesOf(schema, 'enum').map(({ value, place }) => ({
      allowed: value as readonly Wire[],
      rule: ruleId(place, 'enum'),
    })),
    ...rulesOf(schema, 'const').map(({ value, place }) => ({ allowed: [value], rule: ruleId(place, 'const') })),
  ];
  const covers = [...lists.map(({ rule }) => rule), ...typeRuleIds(schema)];
  const [first, ...others] = lists;
  return (first?.allowed ?? [])
    .filter((value) => others.every(({ allowed }) => allowed.some((other) => isSame(toJson(other), toJson(value)))))
    .map((value) => createVariant(schema, { keyword: 'enum', label: `enum, ${writeJson(value)}` }, value, covers));
}

function outsideEnum(schema: Schema): Variant[] {
  const listed = enumVariants(schema);
  const [first] = listed;
  if (!first) return [];
  const others: Wire[] =
    typeof first.value === 'string'
      ? [`${first.value}x`, first.value.toUpperCase(), first.value.toLowerCase(), ` ${first.value}`, '']
      : [typeof first.value === 'bigint' ? first.value + 1_000_003n : 'text'];
  return others
    .filter((other) => !listed.some(({ value }) => isSame(toJson(value), toJson(other))))
    .map((other) =>
      createVariant(schema, { keyword: 'enum', label: `enum, ${writeJson(other)} is not listed` }, other, first.covers),
    );
}

function throwUntriable(schema: Schema, what: string): never {
  throw toUntriable(schema, what);
}

function toUntriable(schema: Schema, what: string): Untriable {
  return new Untriable(`rules that no ${what} were found for`, pointerOf(schema));
}
