import { Refusal, toDepthRefusal } from '../refusal/refusal';
import { isNearInt64, parseInt64 } from '../json/int64';
import { childOf, type Shape } from '../document/shape';

const OWN = { enumerable: true, writable: true, configurable: true };

/**
 * A request as the handler gets it: each int64 a bigint, digit for digit, and of an object whose schema lists properties
 * only these, unless the schema says `additionalProperties`.
 *
 * @param value a request that is valid under the schema, its numbers doubles; changed in places
 * @param tokens the same with its int64s as they were written, or undefined where the doubles are exact
 * @throws Refusal when an integer is out of the range of int64, which a double cannot tell
 */
export function toHandlerInput(shape: Shape, value: unknown, tokens: unknown): unknown {
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
