// Checks a request against the contract, and makes the input of its handler.
import {
  describeInteger,
  describesUndeclared,
  findBrokenRule,
  isNearInteger,
  itemShape,
  narrowShape,
  parseInt64,
  propertyShape,
  rememberExact,
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
  type RequestFault,
} from '../errors/refusal';
import { ValidationError, type Validator } from '../validate/validator';
import type { ReadRequest } from './read-request';

/** Whether a readOnly property in a request is removed, or the request is refused. */
export type ReadOnlyRule = 'drop' | 'refuse';

/**
 * Makes the input of a handler: without readOnly properties, with defaults, and with each int64 as a bigint, digit for digit. An
 * object keeps only the properties that its schema lists, unless the schema has `additionalProperties`.
 *
 * @param request parts of its value are changed
 * @throws Refusal when it is not valid, with at most ten faults
 */
export type RequestCheck = (request: Omit<ReadRequest, 'contentType' | 'file'>) => CheckedRequest;

/** The values of a request: the groups of parameters that the contract declares, and the body if it has one. */
export interface CheckedRequest extends Partial<Record<'path' | 'query' | 'headers' | 'cookies', Groups>> {
  readonly querystring?: unknown;
  readonly body?: unknown;
}

export function createRequestCheck(
  { assertRequest, findFaults }: Pick<Validator, 'assertRequest' | 'findFaults'>,
  readOnly: ReadOnlyRule,
): RequestCheck {
  return function checkRequest({ message, value, literals, unlisted }) {
    const { shape } = message;
    const known = unlisted.slice(0, MAX_FAULTS).map(toUnlistedFault);
    const refuse = (faults: readonly RequestFault[]): never => {
      throw toFaultRefusal(faults.map((found) => toFault(shape, found)));
    };
    try {
      dropReadOnly(shape, value, readOnly === 'refuse' ? refuse : undefined, '');
      if (shape.holdsInt64) rememberExact(value, literals);
      assertRequest(message, value);
      const { input, faults } = convertByShape(shape, value, literals);
      return known.length + faults.length > 0 ? refuse(addFaults(known, faults)) : (input as CheckedRequest);
    } catch (cause) {
      // The stack overflowed: a recursive schema accepts a body of any depth.
      if (cause instanceof RangeError) throw toDepthRefusal();
      if (!(cause instanceof ValidationError)) throw cause;
      // The validator stops at the first wrong field. A second validation of a large request would cost too much.
      const first = addFaults(known, cause.faults);
      if (!isSmall(value)) return refuse(first);
      const found = findFaults(message, value, first);
      // The validator sees only doubles; this finds int64s whose digits are out of range.
      return refuse(addFaults(found, convertByShape(shape, value, literals).faults));
    }
  };
}

function toUnlistedFault(name: string): RequestFault {
  const pointer = shortenPointer(`/query/${toPointerKey(name)}`);
  return { pointer, rule: 'listed', message: `Unknown query parameter '${shortenPointer(name)}'` };
}

/**
 * Converts a request, which need not be valid, by the shape of its schema: int64s become bigints, and properties that the
 * schema does not list are dropped.
 *
 * @param value the parsed request, its numbers doubles; parts of it are changed
 * @param literals the same structure with the text of each int64 (see ReadValue); undefined if the doubles are exact
 * @returns the input of the handler, and at most ten faults that the doubles do not show
 */
function convertByShape(
  shape: Shape,
  value: unknown,
  literals: unknown,
): { readonly input: unknown; readonly faults: readonly RequestFault[] } {
  const faults: RequestFault[] = [];
  // The keys that lead to the value that is being converted, such as `body` and `id`: a text for each value would cost too much.
  const path: (string | number)[] = [];
  return { input: convert(shape, value, literals), faults };

  // Converts one value and all below it; `literal` is its part of `literals`.
  function convert(valueShape: Shape, member: unknown, literal: unknown): unknown {
    if (valueShape.isInt64 && typeof member === 'number') return toBigint(valueShape, member, literal);
    if (typeof member !== 'object' || member === null || member instanceof Blob || isLeaf(valueShape)) return member;
    // The shape of the alternative that the discriminator names, if there is one.
    const alternative = narrowShape(valueShape, member);
    const members = member as Record<string | number, unknown>;
    // keepsUndeclared: undeclared properties reach the handler. Else copy the declared ones: deleting others is slower.
    const isCopied = !Array.isArray(member) && !alternative.keepsUndeclared;
    const result: Record<string, unknown> = isCopied ? {} : members;
    for (const key of keysToRead(alternative, member)) {
      const child = childShape(alternative, member, key);
      if (!child || (typeof key === 'string' && !Object.hasOwn(member, key))) continue;
      path.push(key);
      const converted = convert(child, members[key], (literal as typeof members | undefined)?.[key]);
      path.pop();
      if (typeof key === 'number') members[key] = converted;
      else setMember(result, key, converted);
    }
    return result;
  }

  // Converts the double of an int64 to the bigint that was sent. A number that is no int64 stays a double.
  function toBigint(valueShape: Shape, double: number, literal: unknown): bigint | number {
    const exact = toExact(valueShape, double, literal);
    const { int64Format } = valueShape;
    if (exact === undefined) {
      // isNearInteger: the validator took the double for an int64; any other double it has refused itself, unless an alternative
      // around it does not describe it. allowsOtherNumbers: the value may match an alternative that is not an int64.
      const isWrong = isNearInteger(double, int64Format) || !Number.isFinite(double);
      if (isWrong && !valueShape.allowsOtherNumbers) fail(int64Format, String(describeInteger(int64Format)));
      return double;
    }
    // A rule such as a maximum that more digits decide than a double has; what the value must be, such as `be > 5`.
    const brokenRule = findBrokenRule(valueShape, exact);
    if (brokenRule !== undefined) fail(int64Format, `must ${brokenRule}`);
    return exact;
  }

  function fail(rule: string, problem: string): void {
    if (faults.length < MAX_FAULTS) faults.push(toRequestFault(`/${path.join('/')}`, rule, problem));
  }
}

/** The exact value of an int64; undefined if it is not an int64. `literal` is its text, if its double may be rounded. */
export function toExact({ exactDefault, int64Format }: Shape, value: number, literal: unknown): bigint | undefined {
  if (typeof literal === 'string') return parseInt64(literal, int64Format);
  if (Number.isSafeInteger(value)) return BigInt(value);
  // An unsafe integer without a literal is a default: what a client sends has one.
  return exactDefault ?? parseInt64(String(value), int64Format);
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
 * Takes out readOnly properties, which `shape.excluded` lists: only the server sets them. If there is a function `refuse`, it is
 * called for the first one instead.
 */
function dropReadOnly(
  shape: Shape | undefined,
  value: unknown,
  refuse: ((faults: readonly RequestFault[]) => never) | undefined,
  pointer: string,
): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  const members = value as Record<string | number, unknown>;
  for (const name of Array.isArray(value) ? [] : shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    refuse?.([toRequestFault(`${pointer}/${name}`, 'readOnly', 'is readOnly, and must not be sent')]);
    // oxlint-disable-next-line typescript/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  for (const key of keysToRead(shape, value)) {
    if (Object.hasOwn(value, key))
      dropReadOnly(childShape(shape, value, key), members[key], refuse, `${pointer}/${String(key)}`);
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
