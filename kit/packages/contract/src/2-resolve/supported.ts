// Rejects schemas whose JSON Schema dialect or keywords the kit cannot enforce.
import type { Document, NormalizedDocument } from './document';
import { CONDITIONAL_APPLICATORS, findDefault, inPlaceSchemasOf, outermostSchemas, subschemasOf } from './find-schemas';
import { describeForeignSyntax } from './foreign-pattern';
import type { AccessMode } from './read-write-only';
import { DocumentError } from '../text/document-error';
import {
  KEYWORDS,
  findExpectedKind,
  isAnnotation,
  isOpenApi30,
  isSchema,
  subschemas,
  toRegExp,
  omitKeywords,
  type NormalizedSchema,
  type SchemaKeywords,
  type WrittenSchema,
} from './schema';

const DEPENDS_ON_CONTEXT = 'is not supported, because its target depends on the schemas around it: write $ref';
// Keywords that the kit does not support in some drafts of JSON Schema.
const UNSUPPORTED: readonly (readonly [keyword: string, first: number, last: number, problem: string])[] = [
  ['dependencies', 4, 7, 'is not supported: write dependentRequired for names, or dependentSchemas for schemas'],
  ['$recursiveRef', 2019, 2019, DEPENDS_ON_CONTEXT],
  // Since 2020-12, items that match `contains` are evaluated (JSON Schema Core 2020-12, section 10.3.1.3).
  ['unevaluatedItems', 2019, 2019, 'has had another meaning since 2020-12: declare that dialect'],
  ['$dynamicRef', 4, 2020, DEPENDS_ON_CONTEXT],
];
const DIALECT = /^https?:\/\/json-schema\.org\/draft(?:-0([4-7])|\/(2019-09|2020-12))\/schema#?$/;
// Matches the dialects of OpenAPI 3.1 and 3.2, which use the keywords of JSON Schema 2020-12.
const OPENAPI_DIALECT = /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//;
const BASE_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the JSON Schema draft of a schema's `$schema`, or of the contract's jsonSchemaDialect if it has none: 4 to 7, 2019
 * or 2020. The result is 0 in OpenAPI 3.0, and undefined for an unknown dialect.
 */
export function findDraft(
  { openapi, jsonSchemaDialect = BASE_DIALECT }: Pick<Document, 'openapi' | 'jsonSchemaDialect'>,
  { $schema = jsonSchemaDialect }: Pick<WrittenSchema, '$schema'>,
): number | undefined {
  if (isOpenApi30(openapi)) return 0;
  const [, number, year] = DIALECT.exec(OPENAPI_DIALECT.test($schema) ? BASE_DIALECT : $schema) ?? [];
  const draft = number ?? year;
  return draft === undefined ? undefined : Number.parseInt(draft, 10);
}

/** Copies each `$schema` to nested schemas without one (JSON Schema Core 2020-12, section 8.1.1). */
export function inheritDialects(schemas: Iterable<WrittenSchema>): void {
  for (const schema of schemas) {
    if (schema.$schema === undefined) continue;
    const inner = subschemas(schema, true).filter(({ $schema }) => $schema === undefined);
    for (const innerSchema of inner) Object.assign(innerSchema, { $schema: schema.$schema });
    inheritDialects(inner);
  }
}

/** Rewrites the flags of older dialects: `minimum: 5, exclusiveMinimum: true` becomes `exclusiveMinimum: 5`. */
export function rewriteExclusiveFlags<S extends SchemaKeywords<S>>(schema: S): S {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  const lower = exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum';
  const upper = exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum';
  return {
    ...omitKeywords(schema, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    ...(minimum !== undefined && { [lower]: minimum }),
    ...(maximum !== undefined && { [upper]: maximum }),
  };
}

/** @throws DocumentError if the dialect is unknown, or if the kit does not support a keyword in that dialect */
function assertDialect(document: NormalizedDocument, schema: NormalizedSchema): void {
  const draft = findDraft(document, schema);
  if (draft === undefined) {
    const [node, key] = schema.$schema === undefined ? [document, 'jsonSchemaDialect'] : [schema, '$schema'];
    throw new DocumentError(
      node,
      'names a dialect that the kit does not know: write a dialect of JSON Schema, from draft-04 to 2020-12',
      key,
    );
  }
  for (const keyword of Object.keys(schema)) {
    const problem = findProblem(keyword, draft);
    if (problem !== undefined) throw new DocumentError(schema, problem, keyword);
  }
}

function findProblem(keyword: string, draft: number): string | undefined {
  const unsupported = UNSUPPORTED.find(([name, first, last]) => name === keyword && first <= draft && draft <= last);
  if (unsupported) return unsupported[3];
  const since = KEYWORDS.get(keyword)?.since;
  if (draft === 0 && since !== 0 && !isAnnotation(keyword)) return `OpenAPI 3.0 has no schema keyword ${keyword}`;
  // Validators for an older draft ignore the keyword.
  return (since ?? 0) > draft ? 'is newer than the dialect of the schema: declare a newer one' : undefined;
}

// The maximum number of members. Ajv nests each one's code inside the previous one's, and V8 cannot parse twice as many.
const MAX_MEMBERS = 1_000;
const KEYWORDS_WITH_NESTED_CODE = [
  'oneOf',
  'prefixItems',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
] as const;

function assertMemberCount(schema: NormalizedSchema): void {
  for (const keyword of KEYWORDS_WITH_NESTED_CODE) {
    const count = Object.keys(schema[keyword] ?? {}).length;
    if (count <= MAX_MEMBERS) continue;
    const limit = MAX_MEMBERS.toLocaleString('en');
    throw new DocumentError(
      schema,
      `has ${count.toLocaleString('en')} members, but at most ${limit} are supported`,
      keyword,
    );
  }
}

/**
 * Asserts that the kit can enforce a schema and every schema below it.
 *
 * @param checked the schemas to skip; every checked schema is added to it
 * @param mode readOnly in a request, writeOnly in a reply
 */
export function assertSupportedSchema(
  document: NormalizedDocument,
  node: NormalizedSchema,
  checked: Set<NormalizedSchema>,
  mode?: AccessMode,
): void {
  for (const schema of subschemasOf(document, [node], checked)) {
    assertDialect(document, schema);
    assertMemberCount(schema);
    // This throws if the schema contains itself through `not`. Creating its shape finds all other cycles.
    if (schema.not !== undefined) inPlaceSchemasOf(document, schema, ['allOf', 'not', ...CONDITIONAL_APPLICATORS]);
    // OpenAPI 3.0 requires a valid `default` (Schema Object). The kit does not fill in defaults in replies.
    if (mode === 'readOnly' && isOpenApi30(document.openapi)) assertDefault(schema);
    if (schema.pattern !== undefined) assertRegExp(schema.pattern, schema, 'pattern');
    for (const pattern of Object.keys(schema.patternProperties ?? {})) {
      assertRegExp(pattern, schema, 'patternProperties');
      assertEnforceableName(schema, pattern);
    }
    for (const name of [schema.required ?? [], ...Object.values(schema.dependentRequired ?? {})].flat()) {
      assertEnforceableName(schema, name);
      if (name === '')
        throw new DocumentError(
          schema,
          'a property with an empty name cannot be required, because Ajv would not notice that it is missing: remove the name',
        );
    }
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      assertEnforceableName(schema, name, () => findDefault(document, child));
    }
    if (schema.readOnly === true && schema.writeOnly === true) {
      throw new DocumentError(
        schema,
        'a schema cannot be both readOnly and writeOnly: remove one of the two',
        'writeOnly',
      );
    }
  }
}

/** Removes keywords with malformed values, such as `properties: 5`, and returns the errors. */
export function removeMalformedKeywords(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  const errors = findMalformed(document, schemas);
  for (const { node, key } of errors) {
    if (schemas.has(node)) Reflect.deleteProperty(node, String(key));
    else Object.assign(node, { [String(key)]: {} });
  }
  return errors;
}

function findMalformed(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  const outermost = [...outermostSchemas(document)].filter(({ schema }) => !isSchema(schema));
  const missing = outermost.map(({ owner, key }) => new DocumentError(owner, `${key} must be a schema`, key));
  const malformed = [...schemas].flatMap((schema) => {
    const draft = findDraft(document, schema) ?? 2020;
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const expected = findExpectedKind(keyword, value, draft);
      return expected === undefined ? [] : [new DocumentError(schema, `${keyword} must be ${expected}`, keyword)];
    });
  });
  return [...missing, ...malformed];
}

// Checks only the type and the enum. The validator finds other errors in a default.
function assertDefault(schema: NormalizedSchema): void {
  const { default: value, type = [], enum: allowed, nullable } = schema;
  if (value === undefined || (value === null && nullable === true)) return;
  const types = [type].flat();
  const isOfType = types.length === 0 || jsonTypesOf(value).some((name) => types.includes(name));
  const isAllowed = allowed === undefined || typeof value === 'object' || allowed.includes(value);
  if (isOfType && isAllowed) return;
  throw new DocumentError(
    schema,
    'the default does not match its schema: OpenAPI 3.0 requires that it does',
    'default',
  );
}

/** Lists the types of a value. @example jsonTypesOf(1) // ['integer', 'number'] */
export function jsonTypesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'bigint' || Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

function assertRegExp(pattern: string, schema: object, keyword: string): void {
  const problem = describeForeignSyntax(pattern);
  if (problem !== undefined) throw new DocumentError(schema, `in ${JSON.stringify(pattern)}, ${problem}`, keyword);
  try {
    toRegExp(pattern);
  } catch (error) {
    throw new DocumentError(schema, (error as Error).message, keyword);
  }
}

/** The property names that every object inherits. @example INHERITED_NAMES.includes('constructor') // true */
export const INHERITED_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/**
 * Asserts that the validator can enforce the name of a property or parameter, or a pattern for names.
 *
 * @throws DocumentError at `owner` for `__proto__`, and for an inherited name with a default, which would not be filled in
 */
export function assertEnforceableName(owner: object, name: string, findValue?: () => unknown): void {
  if (name === '__proto__') throw new DocumentError(owner, 'the name __proto__ cannot be checked: remove it');
  if (!INHERITED_NAMES.includes(name) || findValue?.() === undefined) return;
  throw new DocumentError(
    owner,
    `the default of ${name} would never be filled in, because every object inherits this name: remove the default`,
  );
}
