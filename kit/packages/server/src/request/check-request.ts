import {
  describesUndeclared,
  isIntegerOf,
  itemShape,
  narrowShape,
  propertyShape,
  setMember,
  toPointerKey,
  type Groups,
  type Shape,
} from '@contract-kit/contract';
import {
  addFaults,
  MAX_FAULTS,
  shortenPointer,
  toFault,
  toRequestFault,
  toDepthRefusal,
  toFaultRefusal,
  type Refusal,
  type RequestFault,
} from '../errors/refusal';
import { ValidationError, type Validator } from '../validate/validator';
import type { ReadRequest } from './read-request';

export type ReadOnlyRule = 'drop' | 'refuse';

/**
 * Checks a request and turns it into a handler's input: without readOnly properties, with defaults, and with each int64 as an exact
 * bigint. An object keeps only the properties that its schema lists, unless the schema has `additionalProperties`.
 *
 * @param request its value is modified
 */
export type RequestCheck = (request: Omit<ReadRequest, 'contentType' | 'file'>) => CheckedRequest | Refusal;

/** A handler's input, with only the groups of parameters that the contract declares. */
export interface CheckedRequest extends Partial<Record<'path' | 'query' | 'headers' | 'cookies', Groups>> {
  readonly querystring?: unknown;
  readonly body?: unknown;
}

export function createRequestCheck(
  { judgeRequest, findFaults }: Pick<Validator, 'judgeRequest' | 'findFaults'>,
  readOnly: ReadOnlyRule,
): RequestCheck {
  return function checkRequest({ message, value, unknownNames }) {
    const { shape } = message;
    const queryFaults = unknownNames.slice(0, MAX_FAULTS).map(toUnknownNameFault);
    const refuse = (faults: readonly RequestFault[]): Refusal =>
      toFaultRefusal(faults.map((fault) => toFault(shape, fault)));
    try {
      dropReadOnly(shape, value, readOnly === 'refuse', '');
      const faults = judgeRequest(message, value);
      if (faults.length > 0) {
        // The validator stops at the first invalid field. Validating a large request again to find the others would cost too much.
        const firstFaults = addFaults(queryFaults, faults);
        return refuse(isCheapToRevalidate(value) ? findFaults(message, value, firstFaults) : firstFaults);
      }
      return queryFaults.length > 0 ? refuse(queryFaults) : (convertByShape(shape, value) as CheckedRequest);
    } catch (cause) {
      if (cause instanceof ValidationError) return refuse(cause.faults);
      // The stack overflowed, since a recursive schema allows any depth.
      if (cause instanceof RangeError) return toDepthRefusal();
      throw cause;
    }
  };
}

function toUnknownNameFault(name: string): RequestFault {
  const pointer = shortenPointer(`/query/${toPointerKey(name)}`);
  return { pointer, rule: 'listed', message: `Unknown query parameter '${shortenPointer(name)}'` };
}

// Converts int64s to bigints, and drops undeclared properties. Throws a ValidationError for an integer beyond the range of doubles.
function convertByShape(root: Shape, request: unknown): unknown {
  // The keys that lead to the current value, such as `body` and `id`. Building a pointer for each value would cost too much.
  const path: (string | number)[] = [];
  return convert(root, request);

  function convert(shape: Shape, value: unknown): unknown {
    if (typeof value === 'bigint' || (typeof value === 'number' && shape.isInt64)) {
      const number = toInt64(shape, value);
      if (typeof number === 'bigint' || Number.isFinite(number)) return number;
      throw new ValidationError([toRequestFault(`/${path.join('/')}`, 'type', 'must be integer')]);
    }
    if (typeof value !== 'object' || value === null || value instanceof Blob || isLeaf(shape)) return value;
    const alternative = narrowShape(shape, value);
    const members = value as Record<string | number, unknown>;
    // Copying the declared properties is faster than deleting the others.
    const isCopied = !Array.isArray(value) && !alternative.keepsUndeclared;
    const result: Record<string | number, unknown> = isCopied ? {} : members;
    for (const key of keysToRead(alternative, value)) {
      const child = childShape(alternative, value, key);
      if (!child || (typeof key === 'string' && !Object.hasOwn(value, key))) continue;
      path.push(key);
      setMember(result, key, convert(child, members[key]));
      path.pop();
    }
    return result;
  }
}

/** Converts a valid number to a bigint if one of the shape's int64 formats covers it, or else to a double. */
export function toInt64({ int64Formats }: Shape, value: bigint | number): bigint | number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return int64Formats.some((format) => isIntegerOf(format, value)) ? value : Number(value);
}

// Whether a value needs no conversion, since it contains neither an int64 nor an object with properties at any depth.
function isLeaf(shape: Shape): boolean {
  const { holdsInt64, properties, prefixItems, items } = shape;
  const hasProperties = properties.size > 0 || describesUndeclared(shape);
  // If no schema describes a value, its shape is also the shape of its items.
  const hasItems = prefixItems.length > 0 || items?.items !== items;
  return !holdsInt64 && !hasProperties && !hasItems;
}

// Returns only the declared keys if possible, since an object may have a million others.
function keysToRead(shape: Shape, value: object): Iterable<string | number> {
  if (Array.isArray(value)) return value.keys();
  return describesUndeclared(shape) ? Object.keys(value) : shape.properties.keys();
}

export function childShape(shape: Shape | undefined, value: object, key: string | number): Shape | undefined {
  return Array.isArray(value) ? itemShape(shape, Number(key)) : propertyShape(shape, String(key));
}

// Deletes readOnly properties, or, if they are refused, throws a ValidationError for the first one.
function dropReadOnly(shape: Shape | undefined, value: unknown, isRefused: boolean, pointer: string): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  const members = value as Record<string | number, unknown>;
  for (const name of Array.isArray(value) ? [] : shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    if (isRefused)
      throw new ValidationError([
        toRequestFault(`${pointer}/${name}`, 'readOnly', 'is readOnly, and must not be sent'),
      ]);
    // oxlint-disable-next-line typescript/no-dynamic-delete -- cheaper than copying a large object
    delete members[name];
  }
  for (const key of keysToRead(shape, value)) {
    if (Object.hasOwn(value, key))
      dropReadOnly(childShape(shape, value, key), members[key], isRefused, `${pointer}/${String(key)}`);
  }
}

const MAX_CHARACTERS = 65_536;
const MAX_VALUES = 1_000;

// Whether a value is cheap to validate again: less than 64 kB of names and strings, and at most a thousand values.
function isCheapToRevalidate(value: unknown): boolean {
  // Not recursive, since deep nesting would overflow the stack.
  const values = [value];
  let characters = 0;
  // The loop also visits the members that it adds.
  for (const item of values) {
    if (typeof item === 'string') characters += item.length;
    else if (typeof item === 'object' && item !== null) {
      const members: unknown[] = Object.values(item);
      if (values.length + members.length > MAX_VALUES) return false;
      values.push(...members);
      if (!Array.isArray(item)) characters += Object.keys(item).join('').length;
    }
    if (characters >= MAX_CHARACTERS) return false;
  }
  return true;
}
