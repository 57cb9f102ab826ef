import { CORE_SCHEMA, intCoreTag, load, type ScalarTagDefinition } from 'js-yaml';

const exactIntTag: ScalarTagDefinition<number | bigint> = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value;
  },
};

/**
 * The value of a YAML text, in which an integer that a double cannot hold is a bigint.
 *
 * @throws YAMLException
 */
export function parseExactYaml(source: string): unknown {
  return load(source, { schema: CORE_SCHEMA.withTags(exactIntTag) });
}
