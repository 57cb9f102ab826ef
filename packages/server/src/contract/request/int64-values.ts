// Converts a valid request to the input of its handler.
import { MAX_FAULTS, toFault, toFound, type FoundFault } from '../refusal/fault';
import { toDepthRefusal, toFaultRefusal } from '../refusal/refusal';
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
  const { input, faults } = readInt64s(shape, value, tokens);
  if (faults.length > 0) throw toFaultRefusal(faults.map((found) => toFault(shape, found)));
  return input;
}

/**
 * Reads the int64s of a request, which need not be valid.
 *
 * @returns the input of the handler, and at most ten faults that the doubles do not show
 * @throws Refusal when the value is nested deeper than the stack
 */
export function readInt64s(
  shape: Shape,
  value: unknown,
  tokens: unknown,
): { readonly input: unknown; readonly faults: readonly FoundFault[] } {
  const faults: FoundFault[] = [];
  try {
    return { input: read(shape, value, tokens, ''), faults };
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }

  function read(place: Shape, member: unknown, token: unknown, at: string): unknown {
    if (place.isInt64 && typeof member === 'number') return toBigint(place, member, token, at);
    if (typeof member !== 'object' || member === null || isLeaf(place)) return member;
    const variant = variantOf(place, member);
    if (variant.isUnique && Array.isArray(member) && !areUnique(member, token)) {
      fail(at, 'uniqueItems', 'NOT have duplicate items');
    }
    const members = member as Record<string, unknown>;
    // Copy the declared properties: deleting undeclared ones would take time for each of them.
    const isCopied = !Array.isArray(member) && !variant.isOpen;
    const result: Record<string, unknown> = isCopied ? {} : members;
    for (const key of namesOf(variant, member)) {
      const child = Array.isArray(member) ? itemOf(variant, Number(key)) : childOf(variant, key);
      if (!child || !Object.hasOwn(member, key)) continue;
      const below = read(child, members[key], (token as Record<string, unknown> | undefined)?.[key], `${at}/${key}`);
      // An assignment would set the prototype of the copy.
      if (key === '__proto__') Object.defineProperty(result, key, { ...OWN, value: below });
      else result[key] = below;
    }
    return result;
  }

  function toBigint(place: Shape, double: number, token: unknown, at: string): bigint | number {
    const exact = toExact(place, double, token);
    // With anyOf and oneOf the branch that matched may be a plain number; then this value is no int64 and stays as it is.
    if (exact === undefined && isNearInt64(double) && !place.isOtherNumber) {
      fail(at, 'int64', 'be an integer in the range of int64');
    }
    const broken = exact === undefined ? undefined : findBroken(place, exact);
    if (broken !== undefined) fail(at, 'int64', broken);
    return exact ?? double;
  }

  function fail(pointer: string, rule: string, reason: string): void {
    if (faults.length < MAX_FAULTS) faults.push(toFound(pointer, rule, `must ${reason}`));
  }
}

function toExact({ exactDefault }: Shape, value: number, token: unknown): bigint | undefined {
  if (typeof token === 'string') return parseInt64(token);
  if (Number.isSafeInteger(value)) return BigInt(value);
  // What a client sends has a token, so that this is a default.
  return exactDefault ?? parseInt64(String(value));
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
