// Validates values by the schemas of a contract.
import { type Options, Validator, type ValidatorResult } from 'jsonschema';
import type { Contract } from './contract/read-contract';
import { findReferenced } from './contract/find';
import { Untriable } from './contract/untried';
import { matches } from './pattern';
import { NO_GIVEN_VALUES, type Given } from './values/given';
import { isJsonList, isJsonObject, type Json, type JsonObject } from './wire/json';

/**
 * Whether a value is in a request or a reply: readOnly properties may be missing from requests, writeOnly ones from
 * replies.
 */
export type Side = 'request' | 'reply';

/**
 * Validates a value by the schema at a pointer, and returns what is wrong. The side is the request by default.
 *
 * @throws Untriable when the validator cannot read the schema
 */
export type Validate = (pointer: string, value: Json, side?: Side) => string[];

// Members that the library's types leave out.
type Extended = Validator & {
  types: Record<string, (value: unknown) => boolean>;
  validateSchema: (value: unknown, schema: unknown, options: Options, place: Place) => ValidatorResult;
};

/** The path of the library in a value. It replaces the library's class, which resolves a URL at each step. */
class Place {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[]) {
    this.path = path;
  }

  makeChild(_schema: unknown, key?: string | number): Place {
    return key === undefined ? this : new Place([...this.path, key]);
  }
}

/** Creates a validator that is independent of the server's, and exact: 2^63 - 1 and 2^63 are two numbers. */
export function createValidator(
  { root, hasSiblings }: Pick<Contract, 'root' | 'hasSiblings'>,
  { formats }: Pick<Given, 'formats'> = NO_GIVEN_VALUES,
): Validate {
  const validator = new Validator() as Extended;
  validator.types['integer'] = (value) => typeof value === 'bigint';
  validator.types['number'] = (value) => typeof value === 'bigint' || typeof value === 'number';
  for (const bits of [8, 16, 32, 64]) {
    validator.customFormats[`int${String(bits)}`] = fitsInto((value) => BigInt.asIntN(bits, value));
    validator.customFormats[`uint${String(bits)}`] = fitsInto((value) => BigInt.asUintN(bits, value));
  }
  validator.customFormats['byte'] = (value: unknown) => typeof value !== 'string' || BASE64.test(value);
  for (const [name, { wrong }] of formats)
    validator.customFormats[name] = (value: unknown) => !wrong.includes(String(value));
  const checkFormat = validator.attributes['format'];
  validator.attributes['format'] = (value: unknown, schema, options, context) => {
    const { format } = schema;
    if (isImpossibleDate(value, format)) return `is a ${String(format)} that the calendar does not have`;
    if (format !== 'time') return checkFormat?.call(validator, value, schema, options, context) ?? '';
    return typeof value !== 'string' || TIME.test(value) ? '' : 'is no time with an offset';
  };
  validator.attributes['multipleOf'] = (value: unknown, { multipleOf }) => describeRemainder(value, multipleOf);
  let at = '#';
  validator.attributes['pattern'] = (value: unknown, { pattern }) =>
    typeof value !== 'string' || matches(String(pattern), value, at)
      ? ''
      : `does not match pattern ${JSON.stringify(pattern)}`;
  const checkRequired = validator.attributes['required'];
  let excused: ReadonlySet<string> = new Set();
  validator.attributes['required'] = (value: unknown, schema, options, context) => {
    const { required } = schema;
    const own = Array.isArray(required) ? { required: required.filter((name) => !excused.has(name)) } : {};
    return checkRequired?.call(validator, value, { ...schema, ...own }, options, context) ?? '';
  };
  const resolved = new Map<string, Json>();
  const combinations = new Map<JsonObject, Json>();
  const validateSchema = validator.validateSchema.bind(validator);
  // The library resolves a reference each time; this caches it.
  validator.validateSchema = (value, schema, ...rest) =>
    validateSchema(value, followReference(schema as Json), ...rest);
  const names = { request: markedProperties(root, 'readOnly'), reply: markedProperties(root, 'writeOnly') };
  return function validate(pointer, value, side = 'request') {
    excused = names[side];
    at = pointer;
    try {
      return validator.validateSchema(value, { $ref: pointer }, {}, new Place([])).errors.map(({ stack }) => stack);
    } catch (error) {
      throw error instanceof Untriable ? error : new Untriable('schemas that their validator cannot read', pointer);
    }
  };

  function followReference(schema: Json, hops = 0): Json {
    if (!isJsonObject(schema) || typeof schema['$ref'] !== 'string') return schema;
    const { $ref: reference, ...beside } = schema;
    if (hasSiblings && Object.keys(beside).length > 0) return withSiblings(schema, reference, beside);
    // A reference without a target allows everything.
    const target =
      resolved.get(reference) ??
      (hops > MAX_HOPS ? {} : followReference(findReferenced(root, reference) ?? {}, hops + 1));
    resolved.set(reference, target);
    return target;
  }

  // Keywords beside a reference count from OpenAPI 3.1 on.
  function withSiblings(schema: JsonObject, reference: string, beside: JsonObject): Json {
    const { allOf } = beside;
    const made = combinations.get(schema) ?? {
      ...beside,
      allOf: [...(isJsonList(allOf) ? allOf : []), { $ref: reference }],
    };
    combinations.set(schema, made);
    return made;
  }
}

// OpenAPI, Schema Object: for readOnly and writeOnly properties, `required` counts only in replies or only in requests.
// A name that is marked in one schema counts as marked in all, since another part of an `allOf` may require it.
function markedProperties(root: JsonObject, mark: 'readOnly' | 'writeOnly'): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, property] of Object.entries(
      isJsonObject(node) && isJsonObject(node['properties']) ? node['properties'] : {},
    )) {
      if (isMarked(property)) names.add(name);
    }
    Object.values(node).forEach(visit);
  };
  const isMarked = (node: unknown, hops = 0): boolean => {
    if (!isJsonObject(node) || hops > MAX_HOPS) return false;
    const { $ref, allOf } = node;
    return (
      node[mark] === true ||
      (typeof $ref === 'string' && isMarked(findReferenced(root, $ref), hops + 1)) ||
      (isJsonList(allOf) && allOf.some((part) => isMarked(part, hops + 1)))
    );
  };
  visit(root);
  return names;
}

const MAX_HOPS = 10;

// RFC 4648 section 4.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

// RFC 3339 section 5.6, full-time; the library expects the time of draft-03, without an offset.
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

// RFC 3339 section 5.7; the library takes any two digits for a day.
function isImpossibleDate(value: unknown, format: unknown): boolean {
  if (typeof value !== 'string' || (format !== 'date' && format !== 'date-time')) return false;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day);
}

function fitsInto(wrap: (value: bigint) => bigint): (value: unknown) => boolean {
  return (value) => typeof value !== 'bigint' || wrap(value) === value;
}

function describeRemainder(value: unknown, divisor: unknown): string {
  if (typeof value !== 'bigint' && typeof value !== 'number') return '';
  const isMultiple =
    typeof value === 'bigint' && typeof divisor === 'bigint'
      ? value % divisor === 0n
      : Number.isInteger(Number(value) / Number(divisor));
  return isMultiple ? '' : `is not a multiple of ${String(divisor)}`;
}
