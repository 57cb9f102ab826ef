import { assertPatterns } from './assert-patterns';
import { assertDialect } from './dialect';
import { resolveReference, type Document } from './document';
import { isKeyword } from './keywords';
import { Mistake } from './mistake';
import { holds } from './parts';
import { subschemas, type Schema } from './schema';

const ANNOTATIONS = [
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'deprecated',
  'externalDocs',
  '$comment',
  '$schema',
  // About bodies of XML, which are not served.
  'xml',
];

// The keywords that the kit handles. Any other keyword could hide an int64, or a rule that is not enforced.
const SUPPORTED = new Set([
  ...ANNOTATIONS,
  ...['type', 'format', 'nullable', 'enum', 'const', 'default'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems'],
  ...['required', 'properties', 'patternProperties', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'discriminator', 'readOnly', 'writeOnly'],
]);

const INSTEAD: Readonly<Record<string, string>> = {
  if: 'write the cases as alternatives of oneOf',
};

// Below these keywords the kit cannot know beforehand which member of a value is an int64.
const AMBIGUOUS = ['not', 'patternProperties', 'prefixItems'] as const;
const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const', 'default'];

/**
 * Asserts that the kit can enforce a schema and every schema below it.
 *
 * @throws Mistake that names the keyword
 */
export function assertSupportedSchema(document: Document, node: Schema, seen = new Set<Schema>()): void {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  assertDialect(document, schema);
  for (const keyword of Object.keys(schema)) {
    const isKnown = SUPPORTED.has(keyword) || keyword.startsWith('x-') || !isKeyword(document, keyword);
    const instead = Object.hasOwn(INSTEAD, keyword) ? `: ${String(INSTEAD[keyword])}` : '';
    if (!isKnown) throw new Mistake(schema, `the schema keyword ${keyword} is not supported${instead}`, keyword);
  }
  if (schema.format === 'binary') {
    throw new Mistake(schema, 'the format binary is not supported in JSON: write byte, which is Base64', 'format');
  }
  assertPatterns(schema);
  if (schema.readOnly === true && schema.writeOnly === true) {
    throw new Mistake(schema, 'what is readOnly cannot be writeOnly too: leave one of them out', 'writeOnly');
  }
  assertExact(document, schema);
  for (const child of subschemas(schema)) assertSupportedSchema(document, child, seen);
}

/** Whether a keyword says nothing of which values are valid. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.includes(keyword) || keyword.startsWith('x-');
}

/** Whether a schema itself is an int64. */
export function isInt64Schema({ format }: Schema): boolean {
  return format === 'int64';
}

/** Whether a schema, or any schema below it, is an int64. */
export function holdsInt64(document: Document, node: Schema): boolean {
  return holds(document, node, isInt64Schema);
}

function assertExact(document: Document, schema: Schema): void {
  for (const keyword of AMBIGUOUS) {
    const children = subschemas({ [keyword]: schema[keyword] });
    if (children.some((child) => holdsInt64(document, child))) {
      throw new Mistake(schema, `an int64 inside ${keyword} is not supported`, keyword);
    }
  }
  if (schema.uniqueItems === true && schema.items && holdsInt64(document, schema.items)) {
    throw new Mistake(schema, 'uniqueItems cannot tell int64s apart exactly', 'uniqueItems');
  }
  const types = [schema.type].flat();
  if (
    isInt64Schema(schema) &&
    !(types.includes('integer') && types.every((type) => type === 'integer' || type === 'null'))
  ) {
    throw new Mistake(schema, 'the format int64 needs the type integer, and no other', 'format');
  }
  const isDouble = types.includes('number');
  for (const [keyword, limit] of Object.entries(schema).filter(([name]) => LIMITS.includes(name))) {
    if (!isDouble && [limit].flat().some(isRounded)) {
      const message = `${keyword} ${JSON.stringify(limit)} is beyond 2^53 and cannot be checked exactly`;
      throw new Mistake(schema, message, keyword);
    }
  }
}

function isRounded(limit: unknown): boolean {
  return Number.isInteger(limit) && !Number.isSafeInteger(limit);
}
