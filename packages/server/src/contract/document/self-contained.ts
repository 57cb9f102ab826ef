// Refuses references out of the document.
import { CORE_SCHEMA, mapTag } from 'js-yaml';
import { EXACT_INTEGER, keepExact, toDoubles } from './exact-numbers';

// RFC 6901, as a fragment. Redocly takes everything before a second # for a file name.
const WITHIN = /^#\/[^#]*$/;
const NAME = /^[\w.-]+$/;
const FILE = /\.(?:ya?ml|json)$/i;

const selfContainedMapTag: typeof mapTag = {
  ...mapTag,
  addPair(map, key, value) {
    const [outside] = listOutside(key, value);
    if (outside === undefined) return addNumbers(map, key, value);
    return `${JSON.stringify(outside)} leads out of the document: contract-kit bundle makes one of several files`;
  },
};

/** Adds a pair with doubles for its bigints, and keeps the exact values aside. Returns an error, or ''. */
function addNumbers(map: Parameters<typeof mapTag.addPair>[0], key: unknown, value: unknown): string {
  const numbers = toDoubles(value);
  if (numbers !== value) keepExact(map, String(key), value);
  return mapTag.addPair(map, key, numbers);
}

/**
 * The YAML tags of a contract, which is one document. The parser refuses a reference to another document, so that no
 * tool follows it.
 */
export const SELF_CONTAINED = CORE_SCHEMA.withTags(selfContainedMapTag, EXACT_INTEGER);

/**
 * Lists the references to other documents in one key of an object.
 *
 * @example listOutside('$ref', './pet.yaml') // ['./pet.yaml']
 */
export function listOutside(key: unknown, value: unknown): string[] {
  if (key === '$ref' || key === 'externalValue') {
    return typeof value === 'string' && !WITHIN.test(value) ? [value] : [];
  }
  return key === 'discriminator' ? namesOf(value).filter((name) => !isSchemaName(name)) : [];
}

// OpenAPI 3.1 section 4.8.25: a schema's name, or a URI reference.
function namesOf(discriminator: unknown): string[] {
  const { mapping, defaultMapping } = (discriminator ?? {}) as Record<string, unknown>;
  return [...Object.values((mapping ?? {}) as Record<string, unknown>), defaultMapping].filter(
    (name) => typeof name === 'string',
  );
}

function isSchemaName(name: string): boolean {
  return WITHIN.test(name) || (NAME.test(name) && !FILE.test(name));
}
