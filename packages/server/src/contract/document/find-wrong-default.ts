import { Mistake } from './mistake';
import type { Schema } from './schema';

/** Finds a default of another type than its schema, or that is none of its values. The validator finds what else is wrong. */
export function findWrongDefault(schema: Schema, consequence: string): Mistake[] {
  const { default: value, type = [], enum: allowed, nullable } = schema;
  if (value === undefined || (value === null && nullable === true)) return [];
  const types = [type].flat();
  const isOfType = types.length === 0 || typesOf(value).some((one) => types.includes(one));
  const isAllowed = allowed === undefined || typeof value === 'object' || allowed.includes(value);
  if (isOfType && isAllowed) return [];
  return [new Mistake(schema, `the default is not valid under its schema: ${consequence}`, 'default')];
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}
