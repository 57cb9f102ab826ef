// Refuses what the kit cannot enforce: schemas by their dialect of JSON Schema and their keywords.
import type { Document, NormalizedDocument } from './document';
import { CONDITIONAL_APPLICATORS, findDefault, inPlaceSchemasOf, outermostSchemas, subschemasOf } from './find-schemas';
import { describeForeignSyntax } from './foreign-pattern';
import type { AccessMode } from './read-write-only';
import { DocumentError } from '../text/document-error';
import {
  isAnnotation,
  isOpenApi30,
  isSchema,
  subschemas,
  toRegExp,
  valueKindOf,
  omitKeywords,
  type NormalizedSchema,
  type SchemaKeywords,
  type WrittenSchema,
} from './schema';

/** The differences between versions of JSON Schema. */
interface Dialect {
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
  /** Whether `exclusiveMinimum` is a boolean beside `minimum`, not a number. */
  readonly hasFlags: boolean;
  /** Keywords that are not enforced as this dialect has them, each with what to write instead. */
  readonly unsupported: ReadonlyMap<string, string>;
}

const DEPENDENCIES: readonly [string, string] = [
  'dependencies',
  'is not supported: write dependentRequired for names, or dependentSchemas for schemas',
];
const DEPENDS_ON_CONTEXT = 'is not supported, because its target depends on the schemas around it: write $ref';
const IN_2019_09: readonly (readonly [string, string])[] = [
  ['$recursiveRef', DEPENDS_ON_CONTEXT],
  // What `contains` matches is evaluated since 2020-12 only (Core 2020-12, 10.3.1.3).
  ['unevaluatedItems', 'has had another meaning since 2020-12: declare that dialect'],
];
// The versions, each with the keywords that it added, and what else is not enforced in it.
const VERSIONS = [
  ['draft-0[45]', [], [DEPENDENCIES]],
  ['draft-06', ['const', 'contains', 'propertyNames'], [DEPENDENCIES]],
  ['draft-07', ['if', 'then', 'else'], [DEPENDENCIES]],
  [
    'draft/2019-09',
    'minContains maxContains dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties'.split(' '),
    IN_2019_09,
  ],
  ['draft/2020-12', ['prefixItems', '$dynamicRef'], [['$dynamicRef', DEPENDS_ON_CONTEXT]]],
] as const;
const DIALECTS = VERSIONS.map(([version, , others], index): [name: RegExp, dialect: Dialect] => {
  // Refuses keywords that are newer than the dialect, since validators would ignore them.
  const newer = VERSIONS.slice(index + 1).flatMap(([, keywords]) => keywords);
  const unsupported = new Map([
    ...newer.map((keyword) => [keyword, 'is newer than the dialect of the schema: declare a newer one'] as const),
    ...others,
  ]);
  const dialect = { hasSiblings: index >= 3, hasFlags: index === 0, unsupported };
  return [new RegExp(`^https?://json-schema\\.org/${version}/schema#?$`), dialect];
});
const OPENAPI_3_0_DIALECT: Dialect = { hasSiblings: false, hasFlags: true, unsupported: new Map() };
// That of OpenAPI 3.1 and 3.2 has another name for each edition, and the keywords of this one.
const OPENAPI_DIALECT = /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//;
const BASE_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Finds the dialect of a schema: by its `$schema`, or else by the contract's jsonSchemaDialect (OpenAPI 3.1, Schema Object).
 * undefined if the kit does not know it.
 *
 * @example findDialect(document, { $schema: 'http://json-schema.org/draft-04/schema#' })?.hasFlags // true
 */
export function findDialect(
  { openapi, jsonSchemaDialect = BASE_DIALECT }: Pick<Document, 'openapi' | 'jsonSchemaDialect'>,
  { $schema = jsonSchemaDialect }: Pick<WrittenSchema, '$schema'>,
): Dialect | undefined {
  if (isOpenApi30(openapi)) return OPENAPI_3_0_DIALECT;
  const name = OPENAPI_DIALECT.test($schema) ? BASE_DIALECT : $schema;
  return DIALECTS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Gives the schemas inside of one with `$schema` its dialect (JSON Schema 2020-12, Core, 8.1.1). */
export function inheritDialects(schemas: Iterable<WrittenSchema>): void {
  for (const schema of schemas) {
    if (schema.$schema === undefined) continue;
    const inner = subschemas(schema, true).filter(({ $schema }) => $schema === undefined);
    for (const one of inner) Object.assign(one, { $schema: schema.$schema });
    inheritDialects(inner);
  }
}

/** Rewrites older dialects: `minimum: 5, exclusiveMinimum: true` becomes `exclusiveMinimum: 5`. Other schemas stay the same. */
export function withoutExclusiveFlags<S extends SchemaKeywords<S>>(schema: S): S {
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

/** @throws DocumentError when the kit does not know the dialect of a schema, or a keyword of it */
function assertDialect(document: NormalizedDocument, schema: NormalizedSchema): void {
  const dialect = findDialect(document, schema);
  for (const [keyword, problem] of dialect?.unsupported ?? []) {
    if (Object.hasOwn(schema, keyword)) throw new DocumentError(schema, problem, keyword);
  }
  if (dialect) return;
  // The error is where the dialect is named: in the schema itself, or in the contract for all schemas.
  const [node, key] = schema.$schema === undefined ? [document, 'jsonSchemaDialect'] : [schema, '$schema'];
  throw new DocumentError(
    node,
    'names a dialect that the kit does not know: write a dialect of JSON Schema, from draft-04 to 2020-12',
    key,
  );
}

// Ajv nests the code of each member in that of the one before it: with twice as many, V8 cannot parse what comes of it.
const MOST_MEMBERS = 1_000;
const WITH_NESTED_CODE = [
  'oneOf',
  'prefixItems',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
] as const;

/** @throws DocumentError when a keyword has more members than a validator can be made of */
function assertNarrow(schema: NormalizedSchema): void {
  for (const keyword of WITH_NESTED_CODE) {
    const count = Object.keys(schema[keyword] ?? {}).length;
    if (count <= MOST_MEMBERS) continue;
    const limit = MOST_MEMBERS.toLocaleString('en');
    throw new DocumentError(
      schema,
      `has ${count.toLocaleString('en')} members, but at most ${limit} are supported`,
      keyword,
    );
  }
}

/**
 * Asserts that the kit can enforce a schema and every schema below it, but for those `checked`, to which it adds them.
 *
 * @param mode the access mode that the message excludes: readOnly in a request
 *
 * @throws DocumentError that names the keyword
 */
export function assertSupportedSchema(
  document: NormalizedDocument,
  node: NormalizedSchema,
  checked: Set<NormalizedSchema>,
  mode?: AccessMode,
): void {
  const is30 = isOpenApi30(document.openapi);
  for (const schema of subschemasOf(document, [node], checked)) {
    assertDialect(document, schema);
    assertNarrow(schema);
    // This throws where `not` leads back to the schema; where the other keywords do, its shape does.
    if (schema.not !== undefined) inPlaceSchemasOf(document, schema, ['allOf', 'not', ...CONDITIONAL_APPLICATORS]);
    // In OpenAPI 3.1, an unknown keyword is allowed and ignored.
    const unknown = is30 ? Object.keys(schema).find((keyword) => isUnknownKeyword(document, keyword)) : undefined;
    if (unknown !== undefined) throw new DocumentError(schema, `OpenAPI 3.0 has no schema keyword ${unknown}`, unknown);
    // The rule of OpenAPI 3.0, Schema Object, `default`. In a reply nothing is filled in.
    if (mode === 'readOnly' && is30) assertDefault(schema);
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

/**
 * Whether OpenAPI has no such schema keyword, so that nothing checks it.
 *
 * @example isUnknownKeyword(document, 'minimun') // true
 */
export function isUnknownKeyword({ openapi }: Pick<Document, 'openapi'>, keyword: string): boolean {
  return valueKindOf(keyword, openapi) === undefined && !isAnnotation(keyword);
}

/** Takes out keywords whose values have the wrong type, such as `properties: 5`: all other readers rely on the types. */
export function takeOutMalformed(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
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
    // Whether exclusiveMinimum is a boolean in this dialect of JSON Schema; otherwise it is a number.
    const hasFlags = findDialect(document, schema)?.hasFlags;
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = valueKindOf(keyword, document.openapi, hasFlags);
      // OpenAPI does not define the values of a keyword that it does not know.
      if (kind === undefined || kind.isValid(value)) return [];
      return [new DocumentError(schema, `${keyword} must be ${kind.expected}`, keyword)];
    });
  });
  return [...missing, ...malformed];
}

/** Asserts that a default has the type of its schema, and is one of its values. The validator finds what else is wrong. */
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

/** The types that a value has. @example jsonTypesOf(1) // ['integer', 'number'] */
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

/** The names that every object has. @example INHERITED_NAMES.includes('constructor') // true */
export const INHERITED_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/**
 * Asserts that the validator can enforce a declared name of a property or parameter, or a pattern of such names.
 *
 * @param owner what is named in the error
 * @param findValue finds the default, if there is one
 * @throws DocumentError for `__proto__`, and for an inherited name with a default, which it would not fill in
 */
export function assertEnforceableName(owner: object, name: string, findValue?: () => unknown): void {
  if (name === '__proto__') throw new DocumentError(owner, 'the name __proto__ cannot be checked: remove it');
  if (!INHERITED_NAMES.includes(name) || findValue?.() === undefined) return;
  throw new DocumentError(
    owner,
    `the default of ${name} would never be filled in, because every object inherits this name: remove the default`,
  );
}
