import type { Schema } from './document';
import { toRegExp } from '../text/to-reg-exp';
import { Mistake } from './mistake';

/**
 * Asserts that `pattern` and the keys of `patternProperties` are regular expressions. Schemas inside the schema are not
 * checked.
 *
 * @throws Mistake that names the keyword
 */
export function assertPatterns(schema: Schema): void {
  const { pattern, patternProperties = {} } = schema;
  if (pattern !== undefined) assertRegExp(pattern, schema, 'pattern');
  for (const key of Object.keys(patternProperties)) assertRegExp(key, schema, 'patternProperties');
}

/** @throws Mistake at the keyword when JavaScript cannot compile the pattern */
function assertRegExp(pattern: string, schema: Schema, keyword: string): void {
  try {
    toRegExp(pattern);
  } catch (error) {
    throw new Mistake(schema, (error as Error).message, keyword);
  }
}
