import { resolveReference, subschemas, type Document, type Schema } from './document';

const ANNOTATIONS = [
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'deprecated',
  'externalDocs',
  '$comment',
];

// What the kit follows wherever it matters to it; anything else could hide an int64, or say what is not enforced.
const SUPPORTED = new Set([
  ...ANNOTATIONS,
  ...['type', 'format', 'nullable', 'enum', 'const', 'default'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems'],
  ...['required', 'properties', 'patternProperties', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not'],
]);

// Where an int64 would be one of several types, or stand under a name that is not known beforehand.
const AMBIGUOUS = ['anyOf', 'oneOf', 'not', 'additionalProperties', 'patternProperties', 'prefixItems'] as const;
const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const', 'default'];

/**
 * Makes sure that the kit can enforce a schema and all that it refers to.
 *
 * @throws Error that names the keyword, when it cannot
 */
export function assertSupportedSchema(document: Document, node: Schema, seen = new Set<Schema>()): void {
  const beside = Object.keys(node).filter((keyword) => keyword !== '$ref' && !ANNOTATIONS.includes(keyword));
  if (node.$ref !== undefined && beside.length > 0)
    throw new Error(`${beside.join(', ')} beside $ref is not supported`);
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const keyword of Object.keys(schema)) {
    const isKnown = SUPPORTED.has(keyword) || keyword.startsWith('x-');
    if (!isKnown) throw new Error(`the schema keyword ${keyword} is not supported`);
  }
  if (schema.format === 'binary') throw new Error('the format binary is not supported in JSON');
  assertExact(document, schema);
  for (const child of subschemas(schema)) assertSupportedSchema(document, child, seen);
}

/** Whether a schema is an int64 itself. */
export function isInt64Schema({ format }: Schema): boolean {
  return format === 'int64';
}

/** Whether there is an int64 at the place of a schema or below it. */
export function holdsInt64(document: Document, node: Schema, seen = new Set<Schema>()): boolean {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return isInt64Schema(schema) || subschemas(schema).some((child) => holdsInt64(document, child, seen));
}

function assertExact(document: Document, schema: Schema): void {
  for (const keyword of AMBIGUOUS) {
    const children = subschemas({ [keyword]: schema[keyword] });
    if (children.some((child) => holdsInt64(document, child))) {
      throw new Error(`an int64 inside ${keyword} is not supported`);
    }
  }
  if (schema.uniqueItems === true && schema.items && holdsInt64(document, schema.items)) {
    throw new Error('uniqueItems cannot tell int64s apart exactly');
  }
  if (isInt64Schema(schema) && ![schema.type].flat().includes('integer')) {
    throw new Error('the format int64 needs the type integer');
  }
  const isDouble = [schema.type].flat().includes('number');
  for (const [keyword, limit] of Object.entries(schema).filter(([name]) => LIMITS.includes(name))) {
    if (!isDouble && [limit].flat().some(isRounded)) {
      throw new Error(`${keyword} ${JSON.stringify(limit)} is beyond 2^53 and cannot be checked exactly`);
    }
  }
}

function isRounded(limit: unknown): boolean {
  return Number.isInteger(limit) && !Number.isSafeInteger(limit);
}
