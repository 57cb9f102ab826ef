import { CORE_SCHEMA, mapTag } from 'js-yaml';

// RFC 6901, as a fragment. A second # would make Redocly take what is before it for a file.
const WITHIN = /^#\/[^#]*$/;
const NAME = /^[\w.-]+$/;
const FILE = /\.(?:ya?ml|json)$/i;

const selfContainedMapTag: typeof mapTag = {
  ...mapTag,
  addPair(map, key, value) {
    const outside = findOutside(key, value);
    if (outside === undefined) return mapTag.addPair(map, key, value);
    return `${JSON.stringify(outside)} leads out of the document: bring what it refers to into components`;
  },
};

/**
 * The tags of a contract in YAML: it is one document. A reference to another one, be it a file or remote, is refused when
 * it is read, before a tool can follow it.
 */
export const SELF_CONTAINED = CORE_SCHEMA.withTags(selfContainedMapTag);

function findOutside(key: unknown, value: unknown): string | undefined {
  if (key === '$ref' || key === 'externalValue') {
    return typeof value === 'string' && !WITHIN.test(value) ? value : undefined;
  }
  return key === 'discriminator' ? namesOf(value).find((name) => !isSchemaName(name)) : undefined;
}

// OpenAPI 3.1 section 4.8.25: a name of a schema, or a URI reference.
function namesOf(discriminator: unknown): string[] {
  const { mapping, defaultMapping } = (discriminator ?? {}) as Record<string, unknown>;
  return [...Object.values((mapping ?? {}) as Record<string, unknown>), defaultMapping].filter(
    (name) => typeof name === 'string',
  );
}

function isSchemaName(name: string): boolean {
  return WITHIN.test(name) || (NAME.test(name) && !FILE.test(name));
}
