// Checks a request against the contract, and makes the input of its handler.
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

/** Whether a readOnly property in a request is removed, or the request is refused. */
export type ReadOnlyRule = 'drop' | 'refuse';

/**
 * Makes the input of a handler: without readOnly properties, with defaults, and with each int64 as a bigint, digit for digit. An
 * object keeps only the properties that its schema lists, unless the schema has `additionalProperties`. A request that is not
 * valid is refused, with at most ten faults.
 *
 * @param request parts of its value are changed
 */
export type RequestCheck = (request: Omit<ReadRequest, 'contentType' | 'file'>) => CheckedRequest | Refusal;

/** The values of a request: the groups of parameters that the contract declares, and the body if it has one. */
export interface CheckedRequest extends Partial<Record<'path' | 'query' | 'headers' | 'cookies', Groups>> {
  readonly querystring?: unknown;
  readonly body?: unknown;
}

export function createRequestCheck(
  { judgeRequest, findFaults }: Pick<Validator, 'judgeRequest' | 'findFaults'>,
  readOnly: ReadOnlyRule,
): RequestCheck {
  return function checkRequest({ message, value, unlisted }) {
    const { shape } = message;
    const known = unlisted.slice(0, MAX_FAULTS).map(toUnlistedFault);
    const refuse = (faults: readonly RequestFault[]): Refusal =>
      toFaultRefusal(faults.map((found) => toFault(shape, found)));
    try {
      dropReadOnly(shape, value, readOnly === 'refuse', '');
      const faults = judgeRequest(message, value);
      if (faults.length > 0) {
        // The validator stops at the first wrong field. A second validation of a large request would cost too much.
        const first = addFaults(known, faults);
        return refuse(isSmall(value) ? findFaults(message, value, first) : first);
      }
      return known.length > 0 ? refuse(known) : (convertByShape(shape, value) as CheckedRequest);
    } catch (cause) {
      if (cause instanceof ValidationError) return refuse(cause.faults);
      // The stack overflowed: a recursive schema accepts a body of any depth.
      if (cause instanceof RangeError) return toDepthRefusal();
      throw cause;
    }
  };
}

function toUnlistedFault(name: string): RequestFault {
  const pointer = shortenPointer(`/query/${toPointerKey(name)}`);
  return { pointer, rule: 'listed', message: `Unknown query parameter '${shortenPointer(name)}'` };
}

/**
 * Converts a valid request by the shape of its schema: int64s become bigints, and properties that the schema does not list are
 * dropped. Parts of the value are changed.
 *
 * @throws ValidationError for a number that only its double takes for an int64, in a property that the matching alternative does
 *   not describe
 */
function convertByShape(root: Shape, request: unknown): unknown {
  // The keys that lead to the value that is being converted, such as `body` and `id`: a text for each value would cost too much.
  const path: (string | number)[] = [];
  return convert(root, request);

  function convert(shape: Shape, value: unknown): unknown {
    if (typeof value === 'bigint' || (typeof value === 'number' && shape.isInt64)) {
      const number = toInt64(shape, value);
      if (typeof number === 'bigint' || Number.isFinite(number)) return number;
      throw new ValidationError([toRequestFault(`/${path.join('/')}`, 'type', 'must be integer')]);
    }
    if (typeof value !== 'object' || value === null || value instanceof Blob || isLeaf(shape)) return value;
    // The shape of the alternative that the discriminator names, if there is one.
    const alternative = narrowShape(shape, value);
    const members = value as Record<string | number, unknown>;
    // keepsUndeclared: undeclared properties reach the handler. Else copy the declared ones: deleting others is slower.
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

/** A valid number as a handler has it: a bigint if it is one of the int64s of a shape, else a double. */
export function toInt64({ int64Formats }: Shape, value: bigint | number): bigint | number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return int64Formats.some((format) => isIntegerOf(format, value)) ? value : Number(value);
}

/** Whether a value needs no conversion: neither it nor a value below it is an int64 or an object with properties. */
function isLeaf(shape: Shape): boolean {
  const { holdsInt64, properties, prefixItems, items } = shape;
  const hasProperties = properties.size > 0 || describesUndeclared(shape);
  // The shape of a value that no schema describes is also that of its items.
  const hasItems = prefixItems.length > 0 || items?.items !== items;
  return !holdsInt64 && !hasProperties && !hasItems;
}

/** The keys to read: if possible only declared ones, as an object may have a million others. Those of a list are numbers. */
function keysToRead(shape: Shape, value: object): Iterable<string | number> {
  if (Array.isArray(value)) return value.keys();
  return describesUndeclared(shape) ? Object.keys(value) : shape.properties.keys();
}

/** The shape of an item or of a property. */
export function childShape(shape: Shape | undefined, value: object, key: string | number): Shape | undefined {
  return Array.isArray(value) ? itemShape(shape, Number(key)) : propertyShape(shape, String(key));
}

/**
 * Takes out readOnly properties, which `shape.excluded` lists: only the server sets them.
 *
 * @throws ValidationError for the first one, if it is to be refused
 */
function dropReadOnly(shape: Shape | undefined, value: unknown, isRefused: boolean, pointer: string): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  const members = value as Record<string | number, unknown>;
  for (const name of Array.isArray(value) ? [] : shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    if (isRefused)
      throw new ValidationError([
        toRequestFault(`${pointer}/${name}`, 'readOnly', 'is readOnly, and must not be sent'),
      ]);
    // oxlint-disable-next-line typescript/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  for (const key of keysToRead(shape, value)) {
    if (Object.hasOwn(value, key))
      dropReadOnly(childShape(shape, value, key), members[key], isRefused, `${pointer}/${String(key)}`);
  }
}

// Decides whether a request is small enough to look for all of its wrong fields.
const MAX_CHARACTERS = 65_536;
const MAX_VALUES = 1_000;

/** Whether a value has less than 64 kB of names and strings, and at most a thousand values: validating it again is cheap. */
function isSmall(value: unknown): boolean {
  // A list, not recursion: a value may be nested deeper than the stack.
  const values = [value];
  let characters = 0;
  // The loop goes on with the members that are added during it.
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
