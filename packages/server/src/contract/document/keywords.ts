// The keywords of JSON Schema and OpenAPI: what their values are, and which of them hold schemas.
import {
  FILLED_SCHEMA_LIST,
  ANNOTATION,
  ANY,
  DISCRIMINATOR,
  DIVISOR,
  FLAG,
  type ValueKind,
  SCHEMAS_BY_NAME,
  NAME_LISTS,
  NAMES,
  NUMBER,
  SCHEMA,
  SCHEMA_LIST,
  SIZE,
  TEXT,
  TYPE,
  VALUES,
} from './keyword-kinds';

const KEYWORDS_BY_KIND: readonly (readonly [ValueKind, keywords: string])[] = [
  [SCHEMA, 'items contains unevaluatedItems additionalProperties unevaluatedProperties propertyNames not if then else'],
  [SCHEMA_LIST, 'prefixItems allOf'],
  [FILLED_SCHEMA_LIST, 'anyOf oneOf'],
  [SCHEMAS_BY_NAME, 'properties patternProperties dependentSchemas $defs definitions'],
  [TYPE, 'type'],
  [VALUES, 'enum'],
  [NAMES, 'required'],
  [NAME_LISTS, 'dependentRequired'],
  [NUMBER, 'minimum maximum'],
  [DIVISOR, 'multipleOf'],
  [SIZE, 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'],
  [FLAG, 'uniqueItems nullable readOnly writeOnly'],
  [TEXT, 'format pattern $ref'],
  [DISCRIMINATOR, 'discriminator'],
  [ANY, 'const default'],
  [ANNOTATION, 'title description summary example examples deprecated externalDocs xml $comment'],
  [ANNOTATION, 'contentEncoding contentMediaType contentSchema $schema $id $anchor $dynamicAnchor'],
];

const KIND_BY_KEYWORD = new Map(
  KEYWORDS_BY_KIND.flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind])),
);

// OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`; 3.1 has a number of its own.
const EXCLUSIVE_BOUNDS = ['exclusiveMinimum', 'exclusiveMaximum'];

// What only OpenAPI 3.1 has, and nothing checks in 3.0.
const NEW_IN_3_1 = new Set(
  'prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains maxContains definitions'.split(
    ' ',
  ),
);

export function isOpenApi30(openapi: string): boolean {
  return /^3\.0(?:\.|$)/.test(openapi);
}

/** The type of a keyword's value; undefined if OpenAPI has no such keyword. `hasFlags`: exclusiveMinimum is a boolean here. */
export function valueKindOf(keyword: string, openapi: string, hasFlags = isOpenApi30(openapi)): ValueKind | undefined {
  if (isOpenApi30(openapi) && NEW_IN_3_1.has(keyword)) return undefined;
  if (EXCLUSIVE_BOUNDS.includes(keyword)) return hasFlags ? FLAG : NUMBER;
  return KIND_BY_KEYWORD.get(keyword);
}

/** Whether a keyword is an annotation: it does not decide which values are valid. */
export function isAnnotation(keyword: string): boolean {
  return KIND_BY_KEYWORD.get(keyword) === ANNOTATION || keyword.startsWith('x-');
}

/** The schemas in a keyword's value: of `items` itself, of `allOf` its items, of `properties` its members, of `type` none. */
export function schemasOf(keyword: string, value: unknown): unknown[] {
  if (value === undefined) return [];
  const kind = KIND_BY_KEYWORD.get(keyword);
  if (kind === SCHEMA) return [value];
  const hasSeveral = kind === SCHEMA_LIST || kind === FILLED_SCHEMA_LIST || kind === SCHEMAS_BY_NAME;
  return hasSeveral ? Object.values(Object(value) as object) : [];
}

/** Replaces each schema in a keyword's value. `change` gets it with its key: a name, an index as text, or the keyword itself. */
export function mapSchemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown, key: string) => unknown,
): unknown {
  const kind = KIND_BY_KEYWORD.get(keyword);
  if (kind === SCHEMA) return change(value, keyword);
  const isList = kind === SCHEMA_LIST || kind === FILLED_SCHEMA_LIST;
  if (isList) return (value as unknown[]).map((schema, index) => change(schema, String(index)));
  // The others have schemas by name, such as `properties`.
  return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, change(schema, name)]));
}
