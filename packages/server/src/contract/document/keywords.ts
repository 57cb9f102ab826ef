/** A kind of value that keywords of schemas have. */
interface Kind {
  readonly what: string;
  readonly isRight: (value: unknown) => boolean;
}

const SCHEMA: Kind = { what: 'a schema', isRight: isSchema };
const SCHEMAS: Kind = { what: 'a list of schemas', isRight: (value) => isList(value, isSchema) };
const ALTERNATIVES: Kind = { what: 'a list of schemas, one at least', isRight: (value) => isFilled(value, isSchema) };
const MEMBERS: Kind = { what: 'schemas by name', isRight: (value) => isMap(value, isSchema) };
const NUMBER: Kind = { what: 'a number', isRight: (value) => typeof value === 'number' };
const SIZE: Kind = { what: 'a whole number from 0 on', isRight: isSize };
const FLAG: Kind = { what: 'true or false', isRight: (value) => typeof value === 'boolean' };
const TEXT: Kind = { what: 'a text', isRight: (value) => typeof value === 'string' };
const ANY: Kind = { what: 'a value', isRight: () => true };
// Which values are valid does not depend on these.
const ANNOTATION: Kind = { ...ANY };

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

const KINDS = new Map<string, Kind>(
  [
    { kind: SCHEMA, keywords: 'items contains unevaluatedItems additionalProperties unevaluatedProperties' },
    { kind: SCHEMA, keywords: 'propertyNames not if then else' },
    { kind: SCHEMAS, keywords: 'prefixItems allOf' },
    { kind: ALTERNATIVES, keywords: 'anyOf oneOf' },
    { kind: MEMBERS, keywords: 'properties patternProperties dependentSchemas $defs' },
    { kind: NUMBER, keywords: 'minimum maximum' },
    { kind: SIZE, keywords: 'minLength maxLength minItems maxItems minProperties maxProperties' },
    { kind: SIZE, keywords: 'minContains maxContains' },
    { kind: FLAG, keywords: 'uniqueItems nullable readOnly writeOnly' },
    { kind: TEXT, keywords: 'format pattern $ref' },
    { kind: ANY, keywords: 'const default' },
    { kind: ANNOTATION, keywords: 'title description summary example examples deprecated externalDocs xml $comment' },
    { kind: ANNOTATION, keywords: 'contentEncoding contentMediaType contentSchema' },
    { kind: ANNOTATION, keywords: '$schema $id $anchor $dynamicAnchor' },
    { kind: { what: 'a type, or a list of types', isRight: isTypes }, keywords: 'type' },
    { kind: { what: 'a list of one value at least', isRight: isFilled }, keywords: 'enum' },
    { kind: { what: 'a list of names', isRight: isNames }, keywords: 'required' },
    {
      kind: { what: 'lists of names by name', isRight: areNames },
      keywords: 'dependentRequired',
    },
    {
      kind: { what: 'a number above 0', isRight: isAbove },
      keywords: 'multipleOf',
    },
    { kind: { what: 'an object with a propertyName', isRight: isDiscriminator }, keywords: 'discriminator' },
  ].flatMap(({ kind, keywords }) => keywords.split(' ').map((keyword) => [keyword, kind] as const)),
);

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
  return /^3\.0/.test(openapi);
}

/**
 * What the value of a keyword is; undefined for what is no keyword of schemas, which OpenAPI 3.1 ignores.
 *
 * @param hasFlags whether exclusive limits are flags
 */
export function kindOf(keyword: string, version: string, hasFlags = isOldVersion(version)): Kind | undefined {
  const isOld = isOldVersion(version);
  if (isOld ? NEWER.has(keyword) : keyword === 'nullable') return undefined;
  return EXCLUSIVE.includes(keyword) ? (hasFlags ? FLAG : NUMBER) : KINDS.get(keyword);
}

/** Whether a keyword says nothing of which values are valid. */
export function isAnnotation(keyword: string): boolean {
  return KINDS.get(keyword) === ANNOTATION || keyword.startsWith('x-');
}

/** The schemas that the value of a keyword has; one may be true or false where a contract of OpenAPI 3.1 says so. */
export function schemasOf(keyword: string, value: unknown): unknown[] {
  const kind = value === undefined ? undefined : KINDS.get(keyword);
  if (kind === SCHEMA) return [value];
  return kind === SCHEMAS || kind === ALTERNATIVES || kind === MEMBERS ? Object.values(Object(value) as object) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMap(value: unknown, isRight: (one: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isRight);
}

function isList(value: unknown, isRight: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

function isFilled(value: unknown, isRight: (one: unknown) => boolean = () => true): boolean {
  return isList(value, isRight) && (value as unknown[]).length > 0;
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

function isNames(value: unknown): boolean {
  return isList(value, (name) => typeof name === 'string');
}

function areNames(value: unknown): boolean {
  return isMap(value, isNames);
}

function isAbove(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

function isDiscriminator(value: unknown): boolean {
  return isObject(value) && typeof value['propertyName'] === 'string';
}
