// Checks values against assertion keywords, such as `minimum` and `required`.
import { escapeKey } from '../contract/pointer';
import { toList, type Dialect } from '../contract/read-contract';
import { isJsonList, isJsonObject, isSame, toText, writeJson, type Json, type JsonObject } from '../wire/json';
import type { FormatCheck } from './formats';
import { matches } from '../contract/pattern';
import type { WorkLimit } from './work-limit';

/** Builds its text only on demand, since most errors come from union members that are then discarded. */
export class SchemaError {
  readonly path: Path | undefined;
  readonly keyword: string;
  readonly #text: string;

  constructor({ path }: Pick<EvaluationNode, 'path'>, keyword: string, text: string) {
    [this.path, this.keyword, this.#text] = [path, keyword, text];
  }

  /** JSON pointer to the invalid part of the value. */
  get valuePointer(): string {
    return toPointer(this.path);
  }

  /** For example, `/id is more than 100 (maximum)`. */
  get text(): string {
    const { valuePointer, keyword } = this;
    return `${valuePointer === '' ? 'the value' : valuePointer} ${this.#text} (${keyword})`;
  }
}

/** Shared by all schemas that one call to `validate` evaluates. */
export interface Scope {
  readonly root: JsonObject;
  readonly dialect: Dialect;
  readonly keywords: WeakMap<JsonObject, readonly string[]>;
  readonly formats: ReadonlyMap<string, FormatCheck>;
  readonly verdicts: WeakMap<object, EvaluationNode['verdicts']>;
  /** Required properties that may be missing, keyed by schema: readOnly ones in requests, writeOnly ones in replies. */
  readonly optionalProperties: ReadonlyMap<Json, ReadonlySet<string>>;
  /** The pointer to the validated schema, for messages about schemas that cannot be read. */
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
  /** Caches results by schema, since many references may lead to the same one. */
  readonly verdicts: Map<Json, Verdict>;
  readonly inPlaceDepth: number;
}

/** The path to a part of the value, turned into a JSON pointer only if something is wrong. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
  readonly depth: number;
}

function toPointer(path: Path | undefined): string {
  const keys: string[] = [];
  for (let step = path; step; step = step.parent) keys.push(`/${escapeKey(step.key)}`);
  return keys.reverse().join('');
}

/** Returns the text of an error, or an empty string if the value is valid. */
type Assertion = (rule: Json, value: Json, node: EvaluationNode) => string;

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  type: (rule, value) =>
    failUnless(
      toList(rule).some((name) => isOfType(value, name)),
      `is not of type ${toList(rule).map(toText).join(' or ')}`,
    ),
  enum: (rule, value) =>
    failUnless(
      toList(rule).some((allowed) => isSame(allowed, value)),
      'is not in the enum',
    ),
  const: (rule, value) => failUnless(isSame(rule, value), 'is not the value of const'),
  format: (rule, value, { scope }) =>
    failUnless(scope.formats.get(toText(rule))?.(value) !== false, `is not a valid ${toText(rule)}`),
};

const NUMBER_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minimum: (rule, value) => failUnless(toNumber(value) >= toNumber(rule), `is less than ${toText(rule)}`),
  maximum: (rule, value) => failUnless(toNumber(value) <= toNumber(rule), `is more than ${toText(rule)}`),
  exclusiveMinimum: (rule, value) => failUnless(toNumber(value) > toNumber(rule), `is not more than ${toText(rule)}`),
  exclusiveMaximum: (rule, value) => failUnless(toNumber(value) < toNumber(rule), `is not less than ${toText(rule)}`),
  multipleOf: (rule, value) =>
    failUnless(isMultiple(toNumber(value), toNumber(rule)), `is not a multiple of ${toText(rule)}`),
};

const STRING_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minLength: (rule, value) => failUnless(countCharacters(value) >= toNumber(rule), `is shorter than ${toText(rule)}`),
  maxLength: (rule, value) => failUnless(countCharacters(value) <= toNumber(rule), `is longer than ${toText(rule)}`),
  pattern: (rule, value, { scope }) =>
    failUnless(matches(toText(rule), toText(value), scope.pointer), `does not match ${JSON.stringify(rule)}`),
};

const LIST_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minItems: (rule, value) => failUnless(toList(value).length >= toNumber(rule), `has fewer items than ${toText(rule)}`),
  maxItems: (rule, value) => failUnless(toList(value).length <= toNumber(rule), `has more items than ${toText(rule)}`),
  uniqueItems: (rule, value) => {
    const items = toList(value);
    // Comparing all pairs of a long list would take too long.
    return failUnless(rule !== true || new Set(items.map(toSortedJson)).size === items.length, 'has an item twice');
  },
};

const OBJECT_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  minProperties: (rule, value) =>
    failUnless(namesOf(value).length >= toNumber(rule), `has fewer members than ${toText(rule)}`),
  maxProperties: (rule, value) =>
    failUnless(namesOf(value).length <= toNumber(rule), `has more members than ${toText(rule)}`),
  required: (rule, value, { scope, schema }) => {
    const optionalNames = scope.optionalProperties.get(schema);
    const missingNames = findMissingNames(rule, value).filter((name) => !optionalNames?.has(name));
    return failUnless(missingNames.length === 0, `lacks ${missingNames.join(', ')}`);
  },
  dependentRequired: (rule, value) => {
    const presentRules = Object.entries(isJsonObject(rule) ? rule : {}).filter(([name]) =>
      Object.hasOwn(Object(value) as object, name),
    );
    const missingNames = presentRules.flatMap(([, names]) => (isJsonList(names) ? findMissingNames(names, value) : []));
    return failUnless(missingNames.length === 0, `lacks ${missingNames.join(', ')}`);
  },
};

export function findAssertion(keyword: string, value: Json): Assertion | undefined {
  return ASSERTIONS[keyword] ?? assertionsFor(value)[keyword];
}

function assertionsFor(value: Json): Readonly<Record<string, Assertion>> {
  if (typeof value === 'string') return STRING_ASSERTIONS;
  if (typeof value === 'bigint' || typeof value === 'number') return NUMBER_ASSERTIONS;
  if (isJsonList(value)) return LIST_ASSERTIONS;
  return isJsonObject(value) ? OBJECT_ASSERTIONS : {};
}

function failUnless(isValid: boolean, text: string): string {
  return isValid ? '' : text;
}

// The suite reads JSON integers as bigints.
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
  const commonPower = Math.min(power, divisorPower);
  const scale = (number: bigint, fromPower: number): bigint => number * 10n ** BigInt(fromPower - commonPower);
  const scaledDivisor = scale(divisorDigits, divisorPower);
  return scaledDivisor !== 0n && scale(digits, power) % scaledDivisor === 0n;
}

// 12.5e3 becomes [125, 2].
function toDecimal(value: bigint | number): [digits: bigint, power: number] {
  if (typeof value === 'bigint') return [value, 0];
  if (!Number.isFinite(value)) return [0n, 0];
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}

// minLength and maxLength count code points.
function countCharacters(value: Json): number {
  return Array.from(toText(value)).length;
}

function namesOf(value: Json): string[] {
  return Object.keys(Object(value) as object);
}

function findMissingNames(names: Json, value: Json): string[] {
  return toList(names)
    .map(toText)
    .filter((name) => !Object.hasOwn(Object(value) as object, name));
}

// Sorts object members, so that equal values become equal strings.
function toSortedJson(value: Json): string {
  if (isJsonList(value)) return `[${value.map(toSortedJson).join(',')}]`;
  if (!isJsonObject(value)) return writeJson(value);
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toSortedJson(member)}`).join(',')}}`;
}
