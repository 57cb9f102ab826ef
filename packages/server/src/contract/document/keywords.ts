// The keywords of JSON Schema and OpenAPI: what their values are, and which of them hold schemas.
import {
  ALTERNATIVES,
  ANNOTATION,
  ANY,
  DISCRIMINATOR,
  DIVISOR,
  FLAG,
  type Kind,
  MEMBERS,
  NAME_LISTS,
  NAMES,
  NUMBER,
  SCHEMA,
  SCHEMAS,
  SIZE,
  TEXT,
  TYPE,
  VALUES,
} from './keyword-kinds';

const TABLE: readonly (readonly [Kind, keywords: string])[] = [
  [SCHEMA, 'items contains unevaluatedItems additionalProperties unevaluatedProperties propertyNames not if then else'],
  [SCHEMAS, 'prefixItems allOf'],
  [ALTERNATIVES, 'anyOf oneOf'],
  [MEMBERS, 'properties patternProperties dependentSchemas $defs'],
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

const KINDS = new Map(TABLE.flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind])));

// OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`; 3.1 has a number of its own.
const EXCLUSIVE = ['exclusiveMinimum', 'exclusiveMaximum'];

// What only OpenAPI 3.1 has, and nothing checks in 3.0.
const NEWER = new Set(
  'prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains maxContains'.split(
    ' ',
  ),
);

/** Whether a document is of OpenAPI 3.0, whose schemas are not yet those of JSON Schema. */
export function isOldVersion(openapi: string): boolean {
  return /^3\.0(?:\.|$)/.test(openapi);
}

/**
 * The kind of a keyword's value; undefined if OpenAPI has no such keyword, which 3.1 ignores.
 *
 * @param hasFlags whether exclusiveMinimum and exclusiveMaximum are booleans
 */
export function kindOf(keyword: string, version: string, hasFlags = isOldVersion(version)): Kind | undefined {
  const isOld = isOldVersion(version);
  if (isOld && NEWER.has(keyword)) return undefined;
  return EXCLUSIVE.includes(keyword) ? (hasFlags ? FLAG : NUMBER) : KINDS.get(keyword);
}

/** Whether a keyword is an annotation: it does not decide which values are valid. */
export function isAnnotation(keyword: string): boolean {
  return KINDS.get(keyword) === ANNOTATION || keyword.startsWith('x-');
}

/** Lists the schemas in the value of a keyword. In OpenAPI 3.1, true and false are schemas too. */
export function schemasOf(keyword: string, value: unknown): unknown[] {
  const kind = value === undefined ? undefined : KINDS.get(keyword);
  if (kind === SCHEMA) return [value];
  return kind === SCHEMAS || kind === ALTERNATIVES || kind === MEMBERS ? Object.values(Object(value) as object) : [];
}

/** Copies the value of a keyword that has schemas, with each schema replaced by what `change` returns. */
export function mapSchemas(
  keyword: string,
  value: unknown,
  change: (schema: unknown, name: string) => unknown,
): unknown {
  const kind = KINDS.get(keyword);
  if (kind === SCHEMA) return change(value, keyword);
  if (kind === SCHEMAS || kind === ALTERNATIVES)
    return (value as unknown[]).map((one, index) => change(one, String(index)));
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, change(one, name)]));
}
