import type { Document } from './document';
import { isOpenApi30 } from './keywords';
import { Mistake } from './mistake';
import { without, type Schema } from './schema';

/** The differences between versions of JSON Schema. */
export interface Dialect {
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
  /** Whether `exclusiveMinimum` is a boolean beside `minimum`, not a number. */
  readonly hasFlags: boolean;
  /** A keyword that only this dialect has, which is not enforced, with what to write instead. */
  readonly unsupported?: readonly [keyword: string, instead: string];
}

const DEPENDENCIES = [
  'dependencies',
  'is not enforced: write dependentRequired for names, dependentSchemas for schemas',
] as const;
const RECURSIVE_REFERENCE = ['$recursiveRef', 'what it refers to depends on the schema around it: write $ref'] as const;

const OPENAPI_3_0_DIALECT: Dialect = { hasSiblings: false, hasFlags: true };
const DIALECTS_BY_NAME: readonly (readonly [RegExp, Dialect])[] = [
  [
    /^https?:\/\/json-schema\.org\/draft-0[45]\/schema#?$/,
    { hasSiblings: false, hasFlags: true, unsupported: DEPENDENCIES },
  ],
  [
    /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/,
    { hasSiblings: false, hasFlags: false, unsupported: DEPENDENCIES },
  ],
  [
    /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/,
    { hasSiblings: true, hasFlags: false, unsupported: RECURSIVE_REFERENCE },
  ],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, { hasSiblings: true, hasFlags: false }],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/base$/, { hasSiblings: true, hasFlags: false }],
];
const OPENAPI_3_1_DIALECT_NAME = 'https://spec.openapis.org/oas/3.1/dialect/base';

/**
 * Finds the dialect of a schema: by its `$schema`, or else by the contract's jsonSchemaDialect (OpenAPI 3.1, Schema Object).
 * undefined if the kit does not know it.
 *
 * @example findDialect(document, { $schema: 'http://json-schema.org/draft-04/schema#' })?.hasFlags // true
 */
export function findDialect(document: Document, { $schema }: Schema): Dialect | undefined {
  if (isOpenApi30(document.openapi)) return OPENAPI_3_0_DIALECT;
  const name = $schema ?? document.jsonSchemaDialect ?? OPENAPI_3_1_DIALECT_NAME;
  return DIALECTS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** @throws Mistake when the kit does not know the dialect of a schema, or a keyword of it */
export function assertDialect(document: Document, schema: Schema): void {
  const dialect = findDialect(document, schema);
  const [keyword, instead] = dialect?.unsupported ?? [];
  if (keyword !== undefined && Object.hasOwn(schema, keyword)) throw new Mistake(schema, String(instead), keyword);
  if (dialect) return;
  // The mistake is where the dialect is named: in the schema itself, or in the contract for all schemas.
  const [node, key] = schema.$schema === undefined ? [document, 'jsonSchemaDialect'] : [schema, '$schema'];
  throw new Mistake(
    node,
    'names a dialect that the kit does not know: write one of JSON Schema, draft-04 to 2020-12',
    key,
  );
}

/** Rewrites older dialects: `minimum: 5, exclusiveMinimum: true` becomes `exclusiveMinimum: 5`. Other schemas stay the same. */
export function withoutExclusiveFlags(schema: Schema): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  return {
    ...without(schema, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    ...toLimit('minimum', minimum, exclusiveMinimum === true),
    ...toLimit('maximum', maximum, exclusiveMaximum === true),
  };
}

const EXCLUSIVE_KEYWORD = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const;

function toLimit(keyword: 'minimum' | 'maximum', limit: number | undefined, isExclusive: boolean): Schema {
  return limit === undefined ? {} : { [isExclusive ? EXCLUSIVE_KEYWORD[keyword] : keyword]: limit };
}
