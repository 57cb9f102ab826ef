import { propertyShape, findBrokenRule, itemShape, narrowShape, type Shape } from '../document/shape';
import { isInt64 } from '../json/int64';
import { areUnique } from '../json/unique-items';

/**
 * Copies a reply to plain data, so that the kit writes the very values that it validated: a getter could return others.
 *
 * @param at the path of the value, for messages
 *
 * @throws Error when it has a property that the schema does not declare, is not plain data, or has an int64
 *   that is not a bigint in range
 */
export function toPlainBody(declared: Shape | undefined, value: unknown, at = 'response'): unknown {
  if (declared?.isInt64 && (typeof value === 'number' || typeof value === 'bigint'))
    return toInt64(declared, value, at);
  if (typeof value === 'function') throw new Error(`${at} is a function`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => toPlainBody(itemShape(declared, index), item, `${at}/${String(index)}`));
    if (declared?.isUnique && !areUnique(items)) throw new Error(`${at} must NOT have duplicate items`);
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Error(`${at} is not a plain object`);
  const shape = declared && narrowShape(declared, value);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const child = propertyShape(shape, key);
    if (shape?.excluded.has(key)) {
      if (member === undefined) continue;
      throw new Error(`${at}/${key} is writeOnly: no reply has it`);
    }
    if (key === '__proto__' || (shape && !child && !shape.isOpen))
      throw new Error(`${at}/${key} is not declared by the contract`);
    // Skip strings early: most members are strings.
    copy[key] = typeof member === 'string' ? member : toPlainBody(child, member, `${at}/${key}`);
  }
  return copy;
}

function toInt64(shape: Shape, value: bigint | number, at: string): bigint | number {
  if (typeof value === 'number' ? !shape.isOtherNumber : !isInt64(value)) {
    throw new Error(`${at} must be a bigint in the range of int64`);
  }
  const broken = typeof value === 'bigint' ? findBrokenRule(shape, value) : undefined;
  if (broken !== undefined) throw new Error(`${at} must ${broken}`);
  return value;
}

/** Converts each bigint of a body to a number: express-openapi-validator does not support bigint. */
export function withNumbers(shape: Shape | undefined, value: unknown): unknown {
  if (shape?.isInt64 && typeof value === 'bigint') return Number(value);
  if (!shape?.holdsInt64 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withNumbers(itemShape(shape, index), item));
  const members = Object.entries(value).map(([key, member]) => [key, withNumbers(propertyShape(shape, key), member)]);
  return Object.fromEntries(members) as unknown;
}
