import { CORE_SCHEMA, load } from 'js-yaml';
import { EXACT_INTEGER } from './exact-numbers';

/** The YAML tags of a document whose integers are exact. */
export const EXACT = CORE_SCHEMA.withTags(EXACT_INTEGER);

/**
 * Parses a YAML text. An integer that a double cannot hold becomes a bigint.
 *
 * @throws YAMLException
 * @example parseExactYaml('id: 9007199254740993') // { id: 9007199254740993n }
 */
export function parseExactYaml(source: string): unknown {
  return load(source, { schema: EXACT });
}
