// Finds references out of the document.
import { CORE_SCHEMA, mapTag } from 'js-yaml';
import { isData, isMapByName } from './data';
import { EXACT_INTEGER, keepExactValue, toDoubles } from './exact-numbers';

// RFC 6901, as a fragment. Redocly takes everything before a second # for a file name.
const REFERENCE_WITHIN = /^#\/[^#]*$/;
const COMPONENT_NAME = /^[\w.-]+$/;
const FILE_NAME = /\.(?:ya?ml|json)$/i;

/** Adds a key and its value, with doubles for bigints, and remembers the exact values aside. Returns an error, or ''. */
function addRounded(map: Record<string, unknown>, key: unknown, value: unknown): string {
  const rounded = toDoubles(value);
  if (rounded !== value) keepExactValue(map, String(key), value);
  return mapTag.addPair(map, key, rounded);
}

/** The YAML tags of a contract. */
export const DOUBLES = CORE_SCHEMA.withTags({ ...mapTag, addPair: addRounded }, EXACT_INTEGER);

/** The same, but the parser refuses a reference, with its line and column. */
export function refusing(reference: string): typeof DOUBLES {
  const reason = reference.startsWith('#')
    ? 'is no JSON pointer: write one, such as #/components/schemas/Pet'
    : 'leads out of the document: contract-kit bundle makes one of several files';
  return DOUBLES.withTags({
    ...mapTag,
    // Returns '' or an error, which js-yaml throws.
    addPair: (map: Record<string, unknown>, key: unknown, value: unknown) =>
      listOutside(key, value).some((found) => found.reference === reference)
        ? `${JSON.stringify(reference)} ${reason}`
        : addRounded(map, key, value),
  });
}

interface Outside {
  readonly reference: string;
  /** Of each object and list on the way to its text. */
  readonly keys: readonly string[];
}

/**
 * Finds the references out of a document, also where a discriminator maps to them. What looks like one in data, as in an
 * example, is none.
 *
 * @example [...findOutside({ $ref: './pet.yaml' })] // [{ reference: './pet.yaml', keys: ['$ref'] }]
 */
export function* findOutside(
  node: unknown,
  keys: readonly string[] = [],
  hasNames = false,
  seen = new Set<object>(),
): Generator<Outside> {
  // YAML aliases make one object appear twice: its first place counts.
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (!hasNames && isData(key, value)) continue;
    const below = [...keys, key];
    if (!hasNames)
      for (const { reference, keys: inner } of listOutside(key, value)) yield { reference, keys: [...below, ...inner] };
    yield* findOutside(value, below, !hasNames && isMapByName(key, value), seen);
  }
}

// The references to other documents in one key of an object, with the keys below it.
function listOutside(key: unknown, value: unknown): Outside[] {
  if (key === '$ref' || key === 'externalValue') {
    return typeof value === 'string' && !REFERENCE_WITHIN.test(value) ? [{ reference: value, keys: [] }] : [];
  }
  return key === 'discriminator' ? targetsOf(value).filter(({ reference }) => !isWithin(reference)) : [];
}

/** Lists what the mapping of a discriminator leads to: names of schemas, or references (OpenAPI 3.1, section 4.8.25). */
function targetsOf(discriminator: unknown): Outside[] {
  const { mapping, defaultMapping } = (discriminator ?? {}) as Record<string, unknown>;
  const mapped = Object.entries((mapping ?? {}) as Record<string, unknown>);
  const targets = [...mapped.map(([name, to]) => [to, 'mapping', name]), [defaultMapping, 'defaultMapping']];
  return targets.flatMap(([reference, ...keys]) =>
    typeof reference === 'string' ? [{ reference, keys: keys as string[] }] : [],
  );
}

// A target such as pet.yaml could be a name, too: it counts as a file.
function isWithin(target: string): boolean {
  return REFERENCE_WITHIN.test(target) || (COMPONENT_NAME.test(target) && !FILE_NAME.test(target));
}
