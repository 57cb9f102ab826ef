import { resolveReference, type Document } from './document';
import { holds } from './parts';
import { remember } from './marks';
import type { Schema } from './schema';

/** Whether numbers that match a schema are int64s. A schema of strings only is not an int64, whatever its format. */
export function isInt64Schema({ format, type }: Schema): boolean {
  return format === 'int64' && mayBeNumber(type);
}

/** Whether a schema, or any schema below it, is an int64. */
export function holdsInt64(document: Document, node: Schema): boolean {
  return remember(KNOWN_TO_HOLD, node, () => holds(document, node, isInt64Schema));
}

const KNOWN_TO_HOLD = new WeakMap<Schema, boolean>();

/** Whether a schema, all of its allOf, and at least one alternative of its anyOf and oneOf allow a number that is no int64. */
export function mayBeOtherNumber(document: Document, node: Schema): boolean {
  const schema = resolveReference(document, node);
  if (isInt64Schema(schema) || !mayBeNumber(schema.type)) return false;
  const { allOf = [], anyOf, oneOf } = schema;
  const allows = (one: Schema): boolean => mayBeOtherNumber(document, one);
  return allOf.every(allows) && (anyOf?.some(allows) ?? true) && (oneOf?.some(allows) ?? true);
}

function mayBeNumber(type: Schema['type']): boolean {
  return type === undefined || [type].flat().some((one) => one === 'integer' || one === 'number');
}
