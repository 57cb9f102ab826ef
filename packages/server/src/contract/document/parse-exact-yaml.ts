import { CORE_SCHEMA, intCoreTag, load, type ScalarTagDefinition } from 'js-yaml';

const exactIntTag: ScalarTagDefinition<number | bigint> = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value;
  },
};

/** The YAML tags of a document whose integers are exact. */
export const EXACT = CORE_SCHEMA.withTags(exactIntTag);

/**
 * Parses a YAML text. An integer that a double cannot hold becomes a bigint.
 *
 * @throws YAMLException
 * @example parseExactYaml('id: 9007199254740993') // { id: 9007199254740993n }
 */
export function parseExactYaml(source: string): unknown {
  return load(source, { schema: EXACT });
}
