// Refuses references out of the document.
import { CORE_SCHEMA, mapTag } from 'js-yaml';
import { EXACT_INTEGER, keepExactValue, toDoubles } from './exact-numbers';

// RFC 6901, as a fragment. Redocly takes everything before a second # for a file name.
const REFERENCE_WITHIN = /^#\/[^#]*$/;
const COMPONENT_NAME = /^[\w.-]+$/;
const FILE_NAME = /\.(?:ya?ml|json)$/i;

const selfContainedMapTag: typeof mapTag = {
  ...mapTag,
  /** Returns '' or an error, which js-yaml throws with line and column: a reference to another document is one. */
  addPair(map, key, value) {
    const [outside] = listOutside(key, value);
    if (outside === undefined) return addRounded(map, key, value);
    return `${JSON.stringify(outside)} leads out of the document: contract-kit bundle makes one of several files`;
  },
};

/** Adds a key and its value, with doubles for bigints, and remembers the exact values aside. Returns an error, or ''. */
function addRounded(map: Parameters<typeof mapTag.addPair>[0], key: unknown, value: unknown): string {
  const rounded = toDoubles(value);
  if (rounded !== value) keepExactValue(map, String(key), value);
  return mapTag.addPair(map, key, rounded);
}

/** The YAML tags of a contract. The parser refuses a reference to another document, so that no tool follows it. */
export const SELF_CONTAINED = CORE_SCHEMA.withTags(selfContainedMapTag, EXACT_INTEGER);

/**
 * Lists the references to other documents in one key of an object.
 *
 * @example listOutside('$ref', './pet.yaml') // ['./pet.yaml']
 */
export function listOutside(key: unknown, value: unknown): string[] {
  if (key === '$ref' || key === 'externalValue') {
    return typeof value === 'string' && !REFERENCE_WITHIN.test(value) ? [value] : [];
  }
  return key === 'discriminator' ? targetsOf(value).filter((target) => !isWithin(target)) : [];
}

/** Lists what the mapping of a discriminator leads to: names of schemas, or references (OpenAPI 3.1, section 4.8.25). */
function targetsOf(discriminator: unknown): string[] {
  const { mapping, defaultMapping } = (discriminator ?? {}) as Record<string, unknown>;
  const targets = [...Object.values((mapping ?? {}) as Record<string, unknown>), defaultMapping];
  return targets.filter((target) => typeof target === 'string');
}

// A target such as pet.yaml could be a name, too: it counts as a file.
function isWithin(target: string): boolean {
  return REFERENCE_WITHIN.test(target) || (COMPONENT_NAME.test(target) && !FILE_NAME.test(target));
}
