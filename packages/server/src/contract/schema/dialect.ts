// The dialects of JSON Schema, and in what they differ.
import type { Document } from './document';
import { isOpenApi30 } from './keywords';
import { Mistake } from '../text/mistake';
import { definitionsOf, subschemas, without, type Schema } from './schema';

/** The differences between versions of JSON Schema. */
interface Dialect {
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
  /** Whether `exclusiveMinimum` is a boolean beside `minimum`, not a number. */
  readonly hasFlags: boolean;
  /** Keywords that are not enforced as this dialect has them, each with what to write instead. */
  readonly unsupported: ReadonlyMap<string, string>;
}

const DEPENDENCIES = [
  'dependencies',
  'is not enforced: write dependentRequired for names, dependentSchemas for schemas',
] as const;
const SINCE_2020_12 = ['prefixItems'];
const SINCE_2019_09 = [
  ...'minContains maxContains dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties'.split(' '),
  ...SINCE_2020_12,
];
const SINCE_DRAFT_07 = [...'if then else'.split(' '), ...SINCE_2019_09];
const SINCE_DRAFT_06 = [...'const contains propertyNames'.split(' '), ...SINCE_DRAFT_07];

// It would say nothing: the schema means something else than it seems to.
function toUnsupported(newer: readonly string[], ...others: readonly (readonly [string, string])[]) {
  return new Map([...newer.map((keyword) => [keyword, "is newer than the schema's dialect"] as const), ...others]);
}

const OPENAPI_3_0_DIALECT: Dialect = { hasSiblings: false, hasFlags: true, unsupported: new Map() };
const DIALECT_2020_12: Dialect = { hasSiblings: true, hasFlags: false, unsupported: new Map() };
const DIALECTS_BY_NAME: readonly (readonly [RegExp, Dialect])[] = [
  [
    /^https?:\/\/json-schema\.org\/draft-0[45]\/schema#?$/,
    { hasSiblings: false, hasFlags: true, unsupported: toUnsupported(SINCE_DRAFT_06, DEPENDENCIES) },
  ],
  [
    /^https?:\/\/json-schema\.org\/draft-06\/schema#?$/,
    { hasSiblings: false, hasFlags: false, unsupported: toUnsupported(SINCE_DRAFT_07, DEPENDENCIES) },
  ],
  [
    /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
    { hasSiblings: false, hasFlags: false, unsupported: toUnsupported(SINCE_2019_09, DEPENDENCIES) },
  ],
  [
    /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/,
    {
      hasSiblings: true,
      hasFlags: false,
      unsupported: toUnsupported(
        SINCE_2020_12,
        ['$recursiveRef', 'what it refers to depends on the schema around it: write $ref'],
        // What `contains` matches is evaluated since 2020-12 only (Core 2020-12, 10.3.1.3).
        ['unevaluatedItems', 'means another thing since 2020-12: write that dialect'],
      ),
    },
  ],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, DIALECT_2020_12],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/base$/, DIALECT_2020_12],
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

/** Gives the schemas inside of one with `$schema` its dialect (JSON Schema 2020-12, Core, 8.1.1). */
export function inheritDialects(schemas: Iterable<Schema>): void {
  for (const schema of schemas) {
    if (schema.$schema === undefined) continue;
    const inner = [...subschemas(schema), ...definitionsOf(schema)].filter(({ $schema }) => $schema === undefined);
    for (const one of inner) Object.assign(one, { $schema: schema.$schema });
    inheritDialects(inner);
  }
}

/** @throws Mistake when the kit does not know the dialect of a schema, or a keyword of it */
export function assertDialect(document: Document, schema: Schema): void {
  const dialect = findDialect(document, schema);
  for (const [keyword, problem] of dialect?.unsupported ?? []) {
    if (Object.hasOwn(schema, keyword)) throw new Mistake(schema, problem, keyword);
  }
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
