import { Refusal } from './errors';
import { isInt64, parseInt64 } from './int64';
import type { Shape } from './shape';

/**
 * A request body as the handler gets it: each int64 a bigint, digit for digit. Changes the value in place.
 *
 * @param value a body that is valid under the schema, its numbers doubles
 * @param tokens the same body with its numbers as they were written; undefined where the doubles are exact
 * @throws Refusal when an integer is out of the range of int64, which a double cannot tell
 */
export function readExactBody(shape: Shape, value: unknown, tokens: unknown, at = 'request/body'): unknown {
  if (shape.isInt64 && typeof value === 'number') {
    const exact = parseInt64(typeof tokens === 'string' ? tokens : String(value));
    if (exact === undefined) throw new Refusal('INVALID_BODY', `${at} must be an integer in the range of int64`);
    return exact;
  }
  if (!shape.holdsInt64 || typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const child = Array.isArray(value) ? shape.items : shape.properties.get(key);
    const token = (tokens as Record<string, unknown> | undefined)?.[key];
    if (child) members[key] = readExactBody(child, members[key], token, `${at}/${key}`);
  }
  return value;
}

/**
 * A reply body as express-openapi-validator can check it: each int64 a number, for it knows no bigint.
 *
 * @returns a copy of plain data, so that what is checked is what is written
 * @throws Error when the body has a property that the schema does not declare, is not plain data, or has an int64
 *   that is not a bigint in range
 */
export function toCheckableBody(shape: Shape | undefined, value: unknown, at = 'response'): unknown {
  if (shape?.isInt64 && value !== null) {
    if (!isInt64(value)) throw new Error(`${at} must be a bigint in the range of int64`);
    return Number(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => toCheckableBody(shape?.items, item, `${at}/${String(index)}`));
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error(`${at} is not a plain object`);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const child = shape?.properties.get(key);
    if (shape && !child && !shape.isOpen) throw new Error(`${at}/${key} is not declared by the contract`);
    copy[key] = toCheckableBody(child, member, `${at}/${key}`);
  }
  return copy;
}
