// One value before one schema, as the checks of keywords see it.
import { escapeKey } from '../contract/pointer';
import { toList, type Dialect } from '../contract/read-contract';
import { isJsonList, isJsonObject, isSame, toText, writeJson, type Json, type JsonObject } from '../wire/json';
import type { FormatCheck } from './formats';
import { matches } from '../contract/pattern';
import type { WorkLimit } from './work-limit';

/** A rule that a value breaks. Most are of branches that do not count, so only those that are reported write texts. */
export class SchemaError {
  readonly path: Path | undefined;
  readonly keyword: string;
  readonly #text: string;

  constructor({ path }: Pick<EvaluationNode, 'path'>, keyword: string, text: string) {
    [this.path, this.keyword, this.#text] = [path, keyword, text];
  }

  /** The JSON pointer of the part that is wrong, within the value. */
  get at(): string {
    return writePath(this.path);
  }

  /** Such as `/id breaks maximum 100`. */
  get text(): string {
    const { at, keyword } = this;
    return `${at === '' ? 'the value' : at} ${this.#text} (${keyword})`;
  }
}

/** The values that all schemas of one call of `validate` share. */
export interface Scope {
  readonly root: JsonObject;
  readonly dialect: Dialect;
  /** The keywords of each schema object that was read, in the order of their evaluation. */
  readonly keywords: WeakMap<JsonObject, readonly string[]>;
  readonly formats: ReadonlyMap<string, FormatCheck>;
  /** Of each list and object of the value. */
  readonly verdicts: WeakMap<object, EvaluationNode['verdicts']>;
  /** By schema, the properties in `required` that may be missing: readOnly ones in requests, writeOnly ones in replies. */
  readonly optionalProperties: ReadonlyMap<Json, ReadonlySet<string>>;
  /** The JSON pointer of the outermost schema, for messages about schemas that cannot be read. */
  readonly pointer: string;
  readonly workLimit: WorkLimit;
}

export interface Verdict {
  readonly errors: SchemaError[];
  readonly evaluatedKeys: ReadonlySet<string | number> | undefined;
}

export interface EvaluationNode {
  readonly scope: Scope;
  readonly schema: Json;
  readonly value: Json;
  readonly path: Path | undefined;
  /** The evaluated names or indexes; undefined unless `unevaluatedProperties` or `unevaluatedItems` needs them. */
  readonly evaluatedKeys: Set<string | number> | undefined;
  /** What schemas say of the value: where many ways lead to a schema, each would judge it anew. */
  readonly verdicts: Map<Json, Verdict>;
  /** How many schemas in a row were applied to this value. */
  readonly inPlaceDepth: number;
}

/** The way from the outermost value to a part of it: written as a pointer only when something is wrong. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
  readonly depth: number;
}

function writePath(path: Path | undefined): string {
  const keys: string[] = [];
  for (let step = path; step; step = step.parent) keys.push(`/${escapeKey(step.key)}`);
  return keys.reverse().join('');
}

/** Says what is wrong with a value, or returns the empty string. */
type Assertion = (rule: Json, value: Json, node: EvaluationNode) => string;

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  type: (rule, value) =>
    say(
      toList(rule).some((name) => isOfType(value, name)),
      `is not of type ${toList(rule).map(toText).join(' or ')}`,
    ),
  enum: (rule, value) =>
    say(
      toList(rule).some((allowed) => isSame(allowed, value)),
      'is not in the enum',
    ),
  const: (rule, value) => say(isSame(rule, value), 'is not the value of const'),
  format: (rule, value, { scope }) =>
    say(scope.formats.get(toText(rule))?.(value) !== false, `is not a valid ${toText(rule)}`),
};

const NUMBER_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minimum: (rule, value) => say(toNumber(value) >= toNumber(rule), `is less than ${toText(rule)}`),
  maximum: (rule, value) => say(toNumber(value) <= toNumber(rule), `is more than ${toText(rule)}`),
  exclusiveMinimum: (rule, value) => say(toNumber(value) > toNumber(rule), `is not more than ${toText(rule)}`),
  exclusiveMaximum: (rule, value) => say(toNumber(value) < toNumber(rule), `is not less than ${toText(rule)}`),
  multipleOf: (rule, value) => say(isMultiple(toNumber(value), toNumber(rule)), `is not a multiple of ${toText(rule)}`),
};

const STRING_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minLength: (rule, value) => say(countCharacters(value) >= toNumber(rule), `is shorter than ${toText(rule)}`),
  maxLength: (rule, value) => say(countCharacters(value) <= toNumber(rule), `is longer than ${toText(rule)}`),
  pattern: (rule, value, { scope }) =>
    say(matches(toText(rule), toText(value), scope.pointer), `does not match ${JSON.stringify(rule)}`),
};

const OF_LISTS: Readonly<Record<string, Assertion>> = {
  minItems: (rule, value) => say(toList(value).length >= toNumber(rule), `has fewer items than ${toText(rule)}`),
  maxItems: (rule, value) => say(toList(value).length <= toNumber(rule), `has more items than ${toText(rule)}`),
  uniqueItems: (rule, value) => {
    const items = toList(value);
    // A text for each item: comparing all pairs of a long list would take too long.
    return say(rule !== true || new Set(items.map(writeSorted)).size === items.length, 'has an item twice');
  },
};

const OF_OBJECTS: Readonly<Record<string, Assertion>> = {
  minProperties: (rule, value) =>
    say(namesOf(value).length >= toNumber(rule), `has fewer members than ${toText(rule)}`),
  maxProperties: (rule, value) => say(namesOf(value).length <= toNumber(rule), `has more members than ${toText(rule)}`),
  required: (rule, value, { scope, schema }) => {
    const optional = scope.optionalProperties.get(schema);
    const missing = findMissing(rule, value).filter((name) => !optional?.has(name));
    return say(missing.length === 0, `lacks ${missing.join(', ')}`);
  },
  dependentRequired: (rule, value) => {
    const present = Object.entries(isJsonObject(rule) ? rule : {}).filter(([name]) =>
      Object.hasOwn(Object(value) as object, name),
    );
    const missing = present.flatMap(([, names]) => (isJsonList(names) ? findMissing(names, value) : []));
    return say(missing.length === 0, `lacks ${missing.join(', ')}`);
  },
};

/** The assertions that apply to a value. */
export function assertionOf(keyword: string, value: Json): Assertion | undefined {
  return ASSERTIONS[keyword] ?? tableOf(value)[keyword];
}

function tableOf(value: Json): Readonly<Record<string, Assertion>> {
  if (typeof value === 'string') return STRING_ASSERTIONS;
  if (typeof value === 'bigint' || typeof value === 'number') return NUMBER_ASSERTIONS;
  if (isJsonList(value)) return OF_LISTS;
  return isJsonObject(value) ? OF_OBJECTS : {};
}

function say(isRight: boolean, text: string): string {
  return isRight ? '' : text;
}

// The suite reads JSON integers as bigint, so that they are exact, and other numbers as number.
function isOfType(value: Json, name: Json): boolean {
  switch (name) {
    case 'integer':
      return typeof value === 'bigint';
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    case 'null':
      return value === null;
    case 'array':
      return isJsonList(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === name;
  }
}

// JavaScript compares a bigint with a number exactly.
function toNumber(value: Json): bigint | number {
  return typeof value === 'bigint' ? value : Number(value);
}

function isMultiple(value: bigint | number, divisor: bigint | number): boolean {
  const [digits, power] = toDecimal(value);
  const [divisorDigits, divisorPower] = toDecimal(divisor);
  const common = Math.min(power, divisorPower);
  const scale = (number: bigint, from: number): bigint => number * 10n ** BigInt(from - common);
  const scaledDivisor = scale(divisorDigits, divisorPower);
  return scaledDivisor !== 0n && scale(digits, power) % scaledDivisor === 0n;
}

// The digits and the power of ten: 12.5e3 is [125, 2].
function toDecimal(value: bigint | number): [digits: bigint, power: number] {
  if (typeof value === 'bigint') return [value, 0];
  if (!Number.isFinite(value)) return [0n, 0];
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}

// Counts code points, as minLength and maxLength do.
function countCharacters(value: Json): number {
  return Array.from(toText(value)).length;
}

function namesOf(value: Json): string[] {
  return Object.keys(Object(value) as object);
}

function findMissing(names: Json, value: Json): string[] {
  return toList(names)
    .map(toText)
    .filter((name) => !Object.hasOwn(Object(value) as object, name));
}

// JSON with the names of objects in order, so that equal values have equal texts.
function writeSorted(value: Json): string {
  if (isJsonList(value)) return `[${value.map(writeSorted).join(',')}]`;
  if (!isJsonObject(value)) return writeJson(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeSorted(member)}`).join(',')}}`;
}
