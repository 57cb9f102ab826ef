// Reads rules that the kit enforces on int64s itself, and refuses those that only some values must match.
import type { Document } from './document';
import { exactRulesOf, hasExactItems, type ExactRule } from './exact-rules';
import { isInt64Schema } from './int64-schema';
import { Mistake } from './mistake';
import type { Schema } from './schema';

/** @throws Mistake for a rule inside an alternative, since the kit does not know which one matches, or away from its format */
export function readInt64Rules(schema: Schema, isConditional: (schema: Schema) => boolean): ExactRule[] {
  const rules = exactRulesOf(schema);
  const [keyword] = rules.keys();
  if (keyword === undefined) return [];
  const hasFormat = isInt64Schema(schema);
  if (hasFormat && !isConditional(schema)) return [...rules.values()];
  const where = hasFormat ? 'inside an alternative: write it outside' : 'away from its format: write them together';
  throw new Mistake(schema, `${keyword} is not checked by all digits of an int64 ${where}`, keyword);
}

/** @throws Mistake when uniqueItems of int64s, which the kit compares by all digits, is conditional */
export function hasUniqueInt64s(
  document: Document,
  schema: Schema,
  isConditional: (schema: Schema) => boolean,
): boolean {
  if (!hasExactItems(document, schema)) return false;
  if (!isConditional(schema)) return true;
  throw new Mistake(schema, 'uniqueItems inside an alternative cannot tell int64s apart exactly', 'uniqueItems');
}
