import type { Document } from './document';
import { isOldVersion } from './keywords';
import { Mistake } from './mistake';
import { without, type Schema } from './schema';

/** The differences between versions of JSON Schema. */
export interface Dialect {
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
  /** Whether `exclusiveMinimum` is a boolean beside `minimum`, not a number. */
  readonly hasFlags: boolean;
}

const OF_OPENAPI_3_0: Dialect = { hasSiblings: false, hasFlags: true };
const BY_NAME: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft-0[45]\/schema#?$/, { hasSiblings: false, hasFlags: true }],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, { hasSiblings: false, hasFlags: false }],
  [/^https?:\/\/json-schema\.org\/draft\/20(?:19-09|20-12)\/schema#?$/, { hasSiblings: true, hasFlags: false }],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/base$/, { hasSiblings: true, hasFlags: false }],
];
const USUAL = 'https://spec.openapis.org/oas/3.1/dialect/base';

/**
 * Finds the dialect of a schema: by its `$schema`, or else by the contract's jsonSchemaDialect (OpenAPI 3.1, Schema Object).
 * undefined if the kit does not know it.
 *
 * @example findDialect(document, { $schema: 'http://json-schema.org/draft-04/schema#' })?.hasFlags // true
 */
export function findDialect(document: Document, { $schema }: Schema): Dialect | undefined {
  if (isOldVersion(document.openapi)) return OF_OPENAPI_3_0;
  const name = $schema ?? document.jsonSchemaDialect ?? USUAL;
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** @throws Mistake when the kit does not know the dialect of a schema */
export function assertDialect(document: Document, schema: Schema): void {
  if (findDialect(document, schema)) return;
  const [node, key] = schema.$schema === undefined ? [document, 'jsonSchemaDialect'] : [schema, '$schema'];
  throw new Mistake(
    node,
    'names a dialect that the kit does not know: write one of JSON Schema, draft-04 to 2020-12',
    key,
  );
}

/** Copies a schema with `exclusiveMinimum: 5` for `minimum: 5, exclusiveMinimum: true`, and the same for maximum. */
export function withLimits(schema: Schema): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  return {
    ...without(schema, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    ...toLimit('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...toLimit('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}

function toLimit(
  inclusive: 'minimum' | 'maximum',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
  limit: number | undefined,
  flag: number | boolean | undefined,
): Schema {
  return limit === undefined ? {} : { [flag === true ? exclusive : inclusive]: limit };
}
