import { Refusal, toDepthRefusal } from './refusal';
import { isInt64, isNearInt64, parseInt64 } from './int64';
import { childOf, type Shape } from './shape';

const OWN = { enumerable: true, writable: true, configurable: true };

/**
 * A request as the handler gets it: each int64 a bigint, digit for digit, and of an object whose schema lists properties
 * only these, unless the schema says `additionalProperties`.
 *
 * @param value a request that is valid under the schema, its numbers doubles; changed in places
 * @param tokens the same with its int64s as they were written, or undefined where the doubles are exact
 * @throws Refusal when an integer is out of the range of int64, which a double cannot tell
 */
export function readExactly(shape: Shape, value: unknown, tokens: unknown): unknown {
  try {
    return read(shape, value, tokens, 'request');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

function read(shape: Shape, value: unknown, tokens: unknown, at: string): unknown {
  if (shape.isInt64 && typeof value === 'number') return toBigint(value, tokens, at);
  if (typeof value !== 'object' || value === null || isLeaf(shape)) return value;
  const members = value as Record<string, unknown>;
  // A copy: deleting what is not declared would cost as much as there is of it.
  const isCopied = !Array.isArray(value) && !shape.isOpen;
  const result: Record<string, unknown> = isCopied ? {} : members;
  for (const key of namesOf(shape, value)) {
    const child = Array.isArray(value) ? shape.items : childOf(shape, key);
    if (!child || !Object.hasOwn(value, key)) continue;
    const token = (tokens as Record<string, unknown> | undefined)?.[key];
    const member = read(child, members[key], token, `${at}/${key}`);
    // As an ordinary member, it would be the prototype of the copy.
    if (key === '__proto__') Object.defineProperty(result, key, { ...OWN, value: member });
    else result[key] = member;
  }
  return result;
}

function toBigint(value: number, tokens: unknown, at: string): bigint | number {
  if (tokens === undefined && Number.isSafeInteger(value)) return BigInt(value);
  const exact = parseInt64(typeof tokens === 'string' ? tokens : String(value));
  // With anyOf and oneOf the branch that matched may be a plain number; then this value is no int64 and stays as it is.
  if (exact === undefined && isNearInt64(value)) {
    const name = at.startsWith('request/body') ? 'INVALID_BODY' : 'INVALID_PARAMETER';
    throw new Refusal(name, `${at} must be an integer in the range of int64`);
  }
  return exact ?? value;
}

/** Whether nothing at or below a place is an int64 or an object with listed properties, as in a long list of strings. */
function isLeaf({ holdsInt64, properties, others, items }: Shape): boolean {
  // The items of what has none are themselves like this.
  return !holdsInt64 && properties.size === 0 && !others && items?.items === items;
}

/** Of an object that may have a million undeclared names, only those that are declared. */
function namesOf(shape: Shape, value: object): Iterable<string> {
  return Array.isArray(value) || shape.others ? Object.keys(value) : shape.properties.keys();
}

/**
 * A reply body as plain data of our own, so that what is checked is what is written, whatever the handler's is made of.
 *
 * @throws Error when the body has a property that the schema does not declare, is not plain data, or has an int64
 *   that is not a bigint in range
 */
export function toPlainBody(shape: Shape | undefined, value: unknown, at = 'response'): unknown {
  if (shape?.isInt64 && (typeof value === 'number' || (typeof value === 'bigint' && !isInt64(value)))) {
    throw new Error(`${at} must be a bigint in the range of int64`);
  }
  if (typeof value === 'function') throw new Error(`${at} is a function`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => toPlainBody(shape?.items, item, `${at}/${String(index)}`));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Error(`${at} is not a plain object`);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const child = childOf(shape, key);
    if (key === '__proto__' || (shape && !child && !shape.isOpen))
      throw new Error(`${at}/${key} is not declared by the contract`);
    // A text needs no place to name.
    copy[key] = typeof member === 'string' ? member : toPlainBody(child, member, `${at}/${key}`);
  }
  return copy;
}

/** The same body with each bigint a number, for express-openapi-validator knows no bigint. */
export function withNumbers(shape: Shape | undefined, value: unknown): unknown {
  if (shape?.isInt64 && typeof value === 'bigint') return Number(value);
  if (!shape?.holdsInt64 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withNumbers(shape.items, item));
  const members = Object.entries(value).map(([key, member]) => [key, withNumbers(childOf(shape, key), member)]);
  return Object.fromEntries(members) as unknown;
}
