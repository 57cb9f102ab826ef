// The keywords of JSON Schema and OpenAPI: what their values are, and which of them hold schemas.

interface ValueKind {
  /** For messages: `type must be ...`. */
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

const SCHEMA: ValueKind = { expected: 'a schema', isValid: isSchema };
const SCHEMA_LIST: ValueKind = { expected: 'a list of schemas', isValid: (value) => isList(value, isSchema) };
const FILLED_SCHEMA_LIST: ValueKind = {
  expected: 'a list of schemas, one at least',
  isValid: (value) => isFilled(value, isSchema),
};
const SCHEMAS_BY_NAME: ValueKind = { expected: 'schemas by name', isValid: (value) => isMap(value, isSchema) };
const NUMBER: ValueKind = { expected: 'a number', isValid: (value) => typeof value === 'number' };
const SIZE: ValueKind = { expected: 'a whole number from 0 on', isValid: isSize };
const FLAG: ValueKind = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' };
const TEXT: ValueKind = { expected: 'a text', isValid: isText };
const ANY: ValueKind = { expected: 'a value', isValid: () => true };
// Which values are valid does not depend on these.
const ANNOTATION: ValueKind = { ...ANY };

const TYPE: ValueKind = { expected: 'a type, or a list of types', isValid: isTypes };
const VALUES: ValueKind = { expected: 'a list of one value at least', isValid: isFilled };
const NAMES: ValueKind = { expected: 'a list of names', isValid: isNames };
const NAME_LISTS: ValueKind = { expected: 'lists of names by name', isValid: areNames };
const DIVISOR: ValueKind = { expected: 'a number above 0', isValid: isAbove };
const DISCRIMINATOR: ValueKind = { expected: 'an object with a propertyName', isValid: isDiscriminator };

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMap(value: unknown, isValid: (one: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isValid);
}

function isList(value: unknown, isValid: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isValid);
}

function isFilled(value: unknown, isValid: (one: unknown) => boolean = () => true): boolean {
  return isList(value, isValid) && (value as unknown[]).length > 0;
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean';
}

function isSize(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isTypes(value: unknown): boolean {
  return isFilled([value].flat(), (one) => TYPES.includes(one as string));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNames(value: unknown): boolean {
  return isList(value, isText);
}

function areNames(value: unknown): boolean {
  return isMap(value, isNames);
}

function isAbove(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

// Such as `{ propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } }`: the mapping is optional.
function isDiscriminator(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { propertyName, mapping = {} } = value;
  return typeof propertyName === 'string' && isMap(mapping, isText);
}

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
