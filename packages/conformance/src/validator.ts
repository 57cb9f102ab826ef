import { Validator } from 'jsonschema';
import type { Contract } from './contract/read-contract';
import type { Json } from './wire/json';

/** What is wrong with a value by the schema at a pointer; empty when nothing is. */
export type Validate = (pointer: string, value: Json) => string[];

// Absolute, since the library resolves against a base that is not hierarchical.
const NAME = 'contract:/openapi';

// What the library's own types leave out.
type Extended = Validator & { types: Record<string, (value: unknown) => boolean> };

/** A validator that shares nothing with the server's, and to which 2^63 - 1 and 2^63 are two numbers. */
export function createValidator({ root }: Contract): Validate {
  const validator = new Validator() as Extended;
  validator.types['integer'] = (value) => typeof value === 'bigint';
  validator.types['number'] = (value) => typeof value === 'bigint' || typeof value === 'number';
  validator.customFormats['int32'] = fitsInto(32);
  validator.customFormats['int64'] = fitsInto(64);
  validator.customFormats['byte'] = (value: unknown) => typeof value !== 'string' || BASE64.test(value);
  const checkFormat = validator.attributes['format'];
  validator.attributes['format'] = (value: unknown, schema, options, context) =>
    isUnreal(value, schema.format)
      ? `is a ${String(schema.format)} that the calendar does not have`
      : (checkFormat?.call(validator, value, schema, options, context) ?? '');
  validator.attributes['multipleOf'] = (value: unknown, { multipleOf }) => describeRemainder(value, multipleOf);
  validator.addSchema(root, NAME);
  return function validate(pointer, value) {
    return validator.validate(value, { $ref: `${NAME}${pointer}` }).errors.map(({ stack }) => stack);
  };
}

// RFC 4648 section 4.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

// RFC 3339 section 5.7; the library takes any two digits for a day.
function isUnreal(value: unknown, format: unknown): boolean {
  if (typeof value !== 'string' || (format !== 'date' && format !== 'date-time')) return false;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0];
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day);
}

function fitsInto(bits: number): (value: unknown) => boolean {
  return (value) => typeof value !== 'bigint' || BigInt.asIntN(bits, value) === value;
}

function describeRemainder(value: unknown, divisor: unknown): string {
  if (typeof value !== 'bigint' && typeof value !== 'number') return '';
  const isMultiple =
    typeof value === 'bigint' && typeof divisor === 'bigint'
      ? value % divisor === 0n
      : Number.isInteger(Number(value) / Number(divisor));
  return isMultiple ? '' : `is not a multiple of ${String(divisor)}`;
}
