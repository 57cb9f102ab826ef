// Validates values by the schemas of a contract.
import { type Options, Validator, type ValidatorResult } from 'jsonschema';
import type { Contract } from './contract/read-contract';
import { Untriable } from './contract/untried';
import { createReferenceFollower } from './follow-reference';
import { listMarkedProperties } from './marked-properties';
import { matches } from './pattern';
import { NO_GIVEN_VALUES, type Given } from './values/given';
import type { Json } from './wire/json';

/** readOnly properties may be missing from requests, writeOnly ones from replies. */
export type Side = 'request' | 'reply';

/** Returns what is wrong; the side is the request by default. Throws Untriable for a schema that it cannot read. */
export type Validate = (pointer: string, value: Json, side?: Side) => string[];

// Members that the library's types leave out.
type Extended = Validator & {
  types: Record<string, (value: unknown) => boolean>;
  validateSchema: (value: unknown, schema: unknown, options: Options, path: ValuePath) => ValidatorResult;
};

// The library's path to the part of a value that it validates. Its own class resolves a URL at each step.
class ValuePath {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[]) {
    this.path = path;
  }

  makeChild(_schema: unknown, key?: string | number): ValuePath {
    return key === undefined ? this : new ValuePath([...this.path, key]);
  }
}

/** What the current call of `validate` is about; the checks of keywords need it. */
interface CurrentCall {
  pointer: string;
  /** The names of properties that need not be there, although they are in `required`. */
  optional: ReadonlySet<string>;
}

/** Creates a validator that is independent of the server's, and exact: 2^63 - 1 and 2^63 are two numbers. */
export function createValidator(
  { root, hasSiblings }: Pick<Contract, 'root' | 'hasSiblings'>,
  given: Pick<Given, 'formats'> = NO_GIVEN_VALUES,
): Validate {
  const validator = new Validator() as Extended;
  const call: CurrentCall = { pointer: '#', optional: new Set() };
  setNumberTypes(validator);
  setFormats(validator, given.formats);
  setKeywords(validator, call);
  // The library resolves a reference each time; the follower caches it.
  const followReference = createReferenceFollower(root, hasSiblings);
  const validateSchema = validator.validateSchema.bind(validator);
  validator.validateSchema = (value, schema, ...rest) =>
    validateSchema(value, followReference(schema as Json), ...rest);
  const optional = {
    request: listMarkedProperties(root, 'readOnly'),
    reply: listMarkedProperties(root, 'writeOnly'),
  };
  return function validate(pointer, value, side = 'request') {
    call.optional = optional[side];
    call.pointer = pointer;
    try {
      const { errors } = validator.validateSchema(value, { $ref: pointer }, {}, new ValuePath([]));
      return errors.map(({ stack }) => stack);
    } catch (error) {
      throw error instanceof Untriable ? error : new Untriable('schemas that their validator cannot read', pointer);
    }
  };
}

// The suite reads JSON integers as bigint, so that they are exact, and other numbers as number.
function setNumberTypes(validator: Extended): void {
  validator.types['integer'] = (value) => typeof value === 'bigint';
  validator.types['number'] = (value) => typeof value === 'bigint' || typeof value === 'number';
}

function setFormats(validator: Extended, givenFormats: Given['formats']): void {
  for (const bits of [8, 16, 32, 64]) {
    validator.customFormats[`int${String(bits)}`] = createIntegerCheck((value) => BigInt.asIntN(bits, value));
    validator.customFormats[`uint${String(bits)}`] = createIntegerCheck((value) => BigInt.asUintN(bits, value));
  }
  validator.customFormats['byte'] = (value: unknown) => typeof value !== 'string' || BASE64.test(value);
  for (const [name, { wrong }] of givenFormats)
    validator.customFormats[name] = (value: unknown) => !wrong.includes(String(value));
  const checkFormat = validator.attributes['format'];
  validator.attributes['format'] = (value: unknown, schema, options, context) => {
    const { format } = schema;
    if (isImpossibleDate(value, format)) return `is a ${String(format)} that the calendar does not have`;
    if (format !== 'time') return checkFormat?.call(validator, value, schema, options, context) ?? '';
    return typeof value !== 'string' || TIME.test(value) ? '' : 'is no time with an offset';
  };
}

// Replaces the library's checks of keywords. A check returns what is wrong, or the empty string.
function setKeywords(validator: Extended, call: CurrentCall): void {
  // The library's would not be exact for a bigint.
  validator.attributes['multipleOf'] = (value: unknown, { multipleOf }) => describeRemainder(value, multipleOf);
  // The library's has no timeout.
  validator.attributes['pattern'] = (value: unknown, { pattern }) =>
    typeof value !== 'string' || matches(String(pattern), value, call.pointer)
      ? ''
      : `does not match pattern ${JSON.stringify(pattern)}`;
  // The library's does not know readOnly and writeOnly.
  const checkRequired = validator.attributes['required'];
  validator.attributes['required'] = (value: unknown, schema, options, context) => {
    const { required } = schema;
    const changes = Array.isArray(required) ? { required: required.filter((name) => !call.optional.has(name)) } : {};
    return checkRequired?.call(validator, value, { ...schema, ...changes }, options, context) ?? '';
  };
}

// RFC 4648 section 4.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

// RFC 3339 section 5.6, full-time; the library expects the time of draft-03, without an offset.
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

// Whether a value of format `date` or `date-time` has a day such as 2026-02-30, which RFC 3339 section 5.7 excludes.
// The library takes any two digits for a day, and checks all else.
function isImpossibleDate(value: unknown, format: unknown): boolean {
  if (typeof value !== 'string' || (format !== 'date' && format !== 'date-time')) return false;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  // Date turns February 30 into March 2.
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day);
}

// Makes the check of an integer format; `wrap` cuts a number down to the bits of the format, so one that fits stays.
function createIntegerCheck(wrap: (value: bigint) => bigint): (value: unknown) => boolean {
  return (value) => typeof value !== 'bigint' || wrap(value) === value;
}

// Integers are compared exactly, others as doubles.
function describeRemainder(value: unknown, divisor: unknown): string {
  if (typeof value !== 'bigint' && typeof value !== 'number') return '';
  const isMultiple =
    typeof value === 'bigint' && typeof divisor === 'bigint'
      ? value % divisor === 0n
      : Number.isInteger(Number(value) / Number(divisor));
  return isMultiple ? '' : `is not a multiple of ${String(divisor)}`;
}
