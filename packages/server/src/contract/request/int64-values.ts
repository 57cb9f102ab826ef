// Converts a valid request to the input of its handler.
import { Refusal, toDepthRefusal } from '../refusal/refusal';
import { isNearInt64, parseInt64 } from '../json/int64';
import { areUnique } from '../json/unique-items';
import { childOf, findBroken, hasOthers, itemOf, variantOf, type Shape } from '../document/shape';

const OWN = { enumerable: true, writable: true, configurable: true };

/**
 * Converts a valid request to the input of its handler. Each int64 becomes a bigint, digit for digit. An object keeps
 * only the properties that its schema lists, unless the schema has `additionalProperties`.
 *
 * @param value a request that is valid under the schema, its numbers doubles; parts of it are changed
 * @param tokens the same, with int64s as they were written; undefined if the doubles are exact
 * @throws Refusal when an integer is out of the range of int64, which its double does not show
 */
export function toHandlerInput(shape: Shape, value: unknown, tokens: unknown): unknown {
  try {
    return read(shape, value, tokens, 'request');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

function read(place: Shape, value: unknown, tokens: unknown, at: string): unknown {
  if (place.isInt64 && typeof value === 'number') return toBigint(place, value, tokens, at);
  if (typeof value !== 'object' || value === null || isLeaf(place)) return value;
  const shape = variantOf(place, value);
  if (shape.isUnique && Array.isArray(value) && !areUnique(value, tokens)) fail(at, 'NOT have duplicate items');
  const members = value as Record<string, unknown>;
  // Copy the declared properties: deleting undeclared ones would take time for each of them.
  const isCopied = !Array.isArray(value) && !shape.isOpen;
  const result: Record<string, unknown> = isCopied ? {} : members;
  for (const key of namesOf(shape, value)) {
    const child = Array.isArray(value) ? itemOf(shape, Number(key)) : childOf(shape, key);
    if (!child || !Object.hasOwn(value, key)) continue;
    const token = (tokens as Record<string, unknown> | undefined)?.[key];
    const member = read(child, members[key], token, `${at}/${key}`);
    // An assignment would set the prototype of the copy.
    if (key === '__proto__') Object.defineProperty(result, key, { ...OWN, value: member });
    else result[key] = member;
  }
  return result;
}

function toBigint(shape: Shape, value: number, tokens: unknown, at: string): bigint | number {
  const exact = toExact(shape, value, tokens);
  // With anyOf and oneOf the branch that matched may be a plain number; then this value is no int64 and stays as it is.
  if (exact === undefined && isNearInt64(value) && !shape.isOtherNumber)
    fail(at, 'be an integer in the range of int64');
  const broken = exact === undefined ? undefined : findBroken(shape, exact);
  if (broken !== undefined) fail(at, broken);
  return exact ?? value;
}

function toExact({ exactDefault }: Shape, value: number, token: unknown): bigint | undefined {
  if (typeof token === 'string') return parseInt64(token);
  if (Number.isSafeInteger(value)) return BigInt(value);
  // What a client sends has a token, so that this is a default.
  return exactDefault ?? parseInt64(String(value));
}

function fail(at: string, reason: string): never {
  throw new Refusal(at.startsWith('request/body') ? 'INVALID_BODY' : 'INVALID_PARAMETER', `${at} must ${reason}`);
}

/** Whether a value needs no conversion: neither it nor a value below it is an int64 or an object with properties. */
function isLeaf({ holdsInt64, properties, patterns, others, firstItems, items }: Shape): boolean {
  // Items without a schema have a shape whose items are the shape itself.
  const isOpaque = properties.size === 0 && patterns.length === 0 && !others;
  return !holdsInt64 && isOpaque && firstItems.length === 0 && items?.items === items;
}

/** Only the declared names: an object may have a million undeclared ones. */
function namesOf(shape: Shape, value: object): Iterable<string> {
  return Array.isArray(value) || hasOthers(shape) ? Object.keys(value) : shape.properties.keys();
}
