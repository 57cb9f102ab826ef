// Converts a request for its handler: int64s become bigints, and what is readOnly is dropped.
import { MAX_FAULTS, toFault, toFoundFault, toDepthRefusal, toFaultRefusal, type FoundFault } from '../errors/refusal';
import { isNearInt64, parseInt64, setMember, areUnique, createIdentify, type Identify } from '../contract/json/int64';
import {
  propertyShape,
  findBrokenRule,
  hasUnnamedProperties,
  itemShape,
  narrowShape,
  type Shape,
} from '../contract/int64/shape';

/**
 * Converts a valid request to the input of its handler, by `convertByShape`: each int64 becomes a bigint, digit for digit,
 * and an object keeps only the properties that its schema lists, unless the schema has `additionalProperties`.
 *
 * @param value a request that is valid under the schema, its numbers doubles; parts of it are changed
 * @param tokens the same structure with the text of each int64 (see readInt64Tokens); undefined if the doubles are exact
 * @throws Refusal when an integer is out of the range of int64, which its double does not show
 */
export function toHandlerInput(shape: Shape, value: unknown, tokens: unknown): unknown {
  const { input, faults } = convertByShape(shape, value, tokens);
  if (faults.length > 0) throw toFaultRefusal(faults.map((found) => toFault(shape, found)));
  return input;
}

/**
 * Converts a request, which need not be valid, by the shape of its schema: int64s become bigints, and properties that the
 * schema does not list are dropped.
 *
 * @param value the parsed request, its numbers doubles; parts of it are changed
 * @param tokens the same structure with the text of each int64 (see readInt64Tokens); undefined if the doubles are exact
 * @returns the input of the handler, and at most ten faults that the doubles do not show
 * @throws Refusal when the value is nested deeper than the stack
 */
export function convertByShape(
  shape: Shape,
  value: unknown,
  tokens: unknown,
): { readonly input: unknown; readonly faults: readonly FoundFault[] } {
  const faults: FoundFault[] = [];
  let identify: Identify | undefined;
  try {
    return { input: convert(shape, value, tokens, ''), faults };
  } catch (cause) {
    // RangeError: the stack overflowed.
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }

  // Converts one value and all below it; `token` is its part of `tokens`, `pointer` its location such as `/body/id`.
  function convert(valueShape: Shape, member: unknown, token: unknown, pointer: string): unknown {
    if (valueShape.isInt64 && typeof member === 'number') return toBigint(valueShape, member, token, pointer);
    if (typeof member !== 'object' || member === null || isLeaf(valueShape)) return member;
    // The shape of the alternative that the discriminator names, if there is one.
    const variant = narrowShape(valueShape, member);
    if (variant.isUnique && Array.isArray(member) && !areUnique(member, (identify ??= createIdentify()), token)) {
      fail(pointer, 'uniqueItems', 'NOT have duplicate items');
    }
    const members = member as Record<string, unknown>;
    // isOpen: undeclared properties reach the handler. Otherwise copy the declared ones: deleting the others would be slower.
    const isCopied = !Array.isArray(member) && !variant.isOpen;
    const result: Record<string, unknown> = isCopied ? {} : members;
    for (const key of keysToRead(variant, member)) {
      const child = Array.isArray(member) ? itemShape(variant, Number(key)) : propertyShape(variant, key);
      if (!child || !Object.hasOwn(member, key)) continue;
      const converted = convert(
        child,
        members[key],
        (token as Record<string, unknown> | undefined)?.[key],
        `${pointer}/${key}`,
      );
      setMember(result, key, converted);
    }
    return result;
  }

  // Converts the double of an int64 to the bigint that was sent. A number that is no int64 stays a double.
  function toBigint(valueShape: Shape, double: number, token: unknown, pointer: string): bigint | number {
    const exact = toExact(valueShape, double, token);
    // isNearInt64: the validator took the double for an int64; any other double it has refused itself.
    // isOtherNumber: the value may match an alternative that is no int64.
    if (exact === undefined && isNearInt64(double) && !valueShape.isOtherNumber) {
      fail(pointer, 'int64', 'be an integer in the range of int64');
    }
    // A rule such as a maximum that more digits decide than a double has; what the value must be, such as `be > 5`.
    const brokenRule = exact === undefined ? undefined : findBrokenRule(valueShape, exact);
    if (brokenRule !== undefined) fail(pointer, 'int64', brokenRule);
    return exact ?? double;
  }

  function fail(pointer: string, rule: string, reason: string): void {
    if (faults.length < MAX_FAULTS) faults.push(toFoundFault(pointer, rule, `must ${reason}`));
  }
}

/** Returns the exact value of an int64; undefined if it is not an int64. `token` is its text, if its double may be rounded. */
function toExact({ exactDefault }: Shape, value: number, token: unknown): bigint | undefined {
  if (typeof token === 'string') return parseInt64(token);
  if (Number.isSafeInteger(value)) return BigInt(value);
  // An unsafe integer without a token is a default: what a client sends has one.
  return exactDefault ?? parseInt64(String(value));
}

/** Whether a value needs no conversion: neither it nor a value below it is an int64 or an object with properties. */
function isLeaf({ holdsInt64, properties, patterns, others, firstItems, items }: Shape): boolean {
  const hasProperties = properties.size > 0 || patterns.length > 0 || others !== undefined;
  // The shape of a value that no schema describes is also that of its items.
  const hasItems = firstItems.length > 0 || items?.items !== items;
  return !holdsInt64 && !hasProperties && !hasItems;
}

/** The keys to read: if possible only declared ones, as an object may have a million others. */
function keysToRead(shape: Shape, value: object): Iterable<string> {
  return Array.isArray(value) || hasUnnamedProperties(shape) ? Object.keys(value) : shape.properties.keys();
}

/** Whether a readOnly property that a client sends is taken out, or the request refused. */
export type ReadOnlyRule = 'drop' | 'refuse';

/** Only the server sets readOnly properties. @throws Refusal if the rule is `refuse` and one is there, or for deep nesting */
export function dropReadOnly(shape: Shape, value: unknown, rule: ReadOnlyRule): void {
  try {
    drop(shape, value, rule === 'refuse' ? refuse : undefined, '');
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }

  function refuse(pointer: string): never {
    throw toFaultRefusal([toFault(shape, toFoundFault(pointer, 'readOnly', 'is readOnly'))]);
  }
}

// `shape.excluded` has the readOnly properties. `refuse` is called for the first one instead, with a pointer such as `/body/id`.
function drop(
  shape: Shape | undefined,
  value: unknown,
  refuse: ((pointer: string) => never) | undefined,
  pointer: string,
): void {
  if (!shape?.holdsExcluded || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      drop(itemShape(shape, index), item, refuse, `${pointer}/${String(index)}`);
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of shape.excluded) {
    if (!Object.hasOwn(members, name)) continue;
    refuse?.(`${pointer}/${name}`);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- few of an object that may be large
    delete members[name];
  }
  // Only properties with a shape can have readOnly ones below: an object may have a million others.
  for (const name of hasUnnamedProperties(shape) ? Object.keys(members) : shape.properties.keys()) {
    if (Object.hasOwn(members, name)) drop(propertyShape(shape, name), members[name], refuse, `${pointer}/${name}`);
  }
}
