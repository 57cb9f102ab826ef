import type { Schema } from './document';
import { toRegExp } from '../text/to-reg-exp';
import { Mistake } from './mistake';

/** @throws Mistake when `pattern` or a key of `patternProperties` is no regular expression; schemas inside are not checked */
export function assertPatterns(schema: Schema): void {
  const { pattern, patternProperties = {} } = schema;
  if (pattern !== undefined) assertRegExp(pattern, schema, 'pattern');
  for (const key of Object.keys(patternProperties)) assertRegExp(key, schema, 'patternProperties');
}

function assertRegExp(pattern: string, schema: Schema, keyword: string): void {
  try {
    toRegExp(pattern);
  } catch (error) {
    throw new Mistake(schema, (error as Error).message, keyword);
  }
}
