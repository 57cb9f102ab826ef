import type { Schema } from './document';
import { toRegExp } from '../text/to-reg-exp';
import { Mistake } from './mistake';

/**
 * Asserts that the patterns of a schema itself are regular expressions.
 *
 * @throws Mistake
 */
export function assertPatterns(schema: Schema): void {
  const { pattern, patternProperties = {} } = schema;
  if (pattern !== undefined) assertPattern(schema, 'pattern', pattern);
  for (const name of Object.keys(patternProperties)) assertPattern(schema, 'patternProperties', name);
}

function assertPattern(schema: Schema, keyword: string, pattern: string): void {
  try {
    toRegExp(pattern);
  } catch (error) {
    throw new Mistake(schema, (error as Error).message, keyword);
  }
}
