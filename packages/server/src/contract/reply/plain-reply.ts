import { propertyShape, findBrokenRule, itemShape, narrowShape, type Shape } from '../document/shape';
import { isInt64 } from '../json/int64';
import { setMember } from '../json/set-member';
import { areUnique, createIdentify } from '../json/unique-items';

/**
 * Copies a reply to plain data, so that the very values are written that were validated: a getter could return others.
 *
 * @throws Error for an undeclared property, for what is no plain data, and for an int64 that is not a bigint in range
 */
export function toPlainBody(declared: Shape | undefined, value: unknown, path = 'response'): unknown {
  if (declared?.isInt64 && (typeof value === 'number' || typeof value === 'bigint'))
    return checkInt64(declared, value, path);
  if (typeof value === 'function') throw new Error(`${path} is a function`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => toPlainBody(itemShape(declared, index), item, `${path}/${String(index)}`));
    if (declared?.isUnique && !areUnique(items, createIdentify()))
      throw new Error(`${path} must NOT have duplicate items`);
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Error(`${path} is not a plain object`);
  const shape = declared && narrowShape(declared, value);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const child = propertyShape(shape, key);
    if (shape?.excluded.has(key)) {
      if (member === undefined) continue;
      throw new Error(`${path}/${key} is writeOnly: no reply has it`);
    }
    if (shape && !child && !shape.isOpen) throw new Error(`${path}/${key} is not declared by the contract`);
    // Skip strings early: most members are strings.
    setMember(copy, key, typeof member === 'string' ? member : toPlainBody(child, member, `${path}/${key}`));
  }
  return copy;
}

// Throws unless it is a bigint in range, or another number that an alternative of the schema allows (isOtherNumber).
function checkInt64(shape: Shape, value: bigint | number, path: string): bigint | number {
  if (typeof value === 'number' ? !shape.isOtherNumber : !isInt64(value)) {
    throw new Error(`${path} must be a bigint in the range of int64`);
  }
  // Such as `be > 5`, by all digits.
  const brokenRule = typeof value === 'bigint' ? findBrokenRule(shape, value) : undefined;
  if (brokenRule !== undefined) throw new Error(`${path} must ${brokenRule}`);
  return value;
}

/** Copies a body with each bigint as a number, for express-openapi-validator, which does not support bigint. */
export function withNumbers(shape: Shape | undefined, value: unknown): unknown {
  if (shape?.isInt64 && typeof value === 'bigint') return Number(value);
  // Most values have no int64s inside: these are not copied.
  if (!shape?.holdsInt64 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withNumbers(itemShape(shape, index), item));
  const members = Object.entries(value).map(([key, member]) => [key, withNumbers(propertyShape(shape, key), member)]);
  return Object.fromEntries(members) as unknown;
}
