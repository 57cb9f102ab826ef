// The dialects of JSON Schema that a contract may be written in.
import { objectOrEmpty, type JsonObject } from '../wire/json';

export interface Dialect {
  /** The keywords that restrict values, in the words of 3.1. */
  readonly keywords: ReadonlySet<string>;
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
  /** Why no schema can be read, for a dialect that nobody here knows. */
  readonly obstacle?: string;
}

const OPENAPI_30 = [
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'type', 'enum', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'items'],
  ...['required', 'properties', 'additionalProperties', 'minProperties', 'maxProperties'],
];
const DRAFT_4 = [...OPENAPI_30, 'patternProperties', 'dependencies'];
const DRAFT_6 = [...DRAFT_4, 'const', 'contains', 'propertyNames'];
const DRAFT_7 = [...DRAFT_6, 'if', 'then', 'else'];
const DRAFT_2019_09 = [
  ...DRAFT_7.filter((keyword) => keyword !== 'dependencies'),
  ...[
    'minContains',
    'maxContains',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
];
const DRAFT_2020_12 = [...DRAFT_2019_09, 'prefixItems'];

const KEYWORDS_BY_NAME: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^https?:\/\/json-schema\.org\/draft-0[45]\/schema#?$/, DRAFT_4],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, DRAFT_6],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, DRAFT_7],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, DRAFT_2019_09],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, DRAFT_2020_12],
  [/^https?:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\//, DRAFT_2020_12],
];

/** The dialect of all schemas: OpenAPI's own, or in 3.1 what `jsonSchemaDialect` names. */
export function readDialect(contract: JsonObject, isVersion30: boolean): Dialect {
  if (isVersion30) return { keywords: new Set(OPENAPI_30), hasSiblings: false };
  const { jsonSchemaDialect: name } = contract;
  return name === undefined ? toDialect(DRAFT_2020_12) : findDialect(name);
}

function findDialect(name: unknown): Dialect {
  const [, keywords] = KEYWORDS_BY_NAME.find(([pattern]) => pattern.test(String(name))) ?? [];
  return keywords ? toDialect(keywords) : { ...toDialect([]), obstacle: `the dialect ${String(name)}` };
}

// From 2019-09 on, `$ref` is a keyword among others (JSON Schema Core, 8.2.3.1).
function toDialect(keywords: readonly string[]): Dialect {
  return { keywords: new Set(keywords), hasSiblings: keywords.includes('unevaluatedItems') };
}

/** Why nobody here can read a schema, whatever its other keywords say; undefined when nothing stands in the way. */
export function findUnreadable(dialect: Dialect, schema: JsonObject): string | undefined {
  if (dialect.obstacle !== undefined) return dialect.obstacle;
  const { $schema, items } = schema;
  const dynamic = ['$dynamicRef', '$recursiveRef'].find((keyword) => schema[keyword] !== undefined);
  if (dynamic !== undefined) return `the keyword ${dynamic}`;
  if (Array.isArray(items)) return 'items as a list';
  if (typeof $schema === 'string' && !isSameDialect(dialect, findDialect($schema))) return `the dialect ${$schema}`;
  // References below an `$id` are relative to it, not to the contract.
  const isBelowId = typeof schema['$id'] === 'string' && hasReference(schema);
  return isBelowId ? 'references below an $id' : undefined;
}

function isSameDialect({ keywords }: Dialect, { keywords: others, obstacle }: Dialect): boolean {
  return obstacle === undefined && [...keywords].join() === [...others].join();
}

function hasReference(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return typeof objectOrEmpty(node)['$ref'] === 'string' || Object.values(node).some(hasReference);
}
