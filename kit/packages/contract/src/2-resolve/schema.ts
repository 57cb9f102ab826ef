// A schema: its three copies, its keywords, and the schemas inside it.
import { copyExactValues } from '../1-parse/parse-yaml';

/** The keywords that the kit reads. The schemas inside a schema are of the same copy as itself. */
export interface SchemaKeywords<S> {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number | boolean;
  readonly exclusiveMaximum?: number | boolean;
  readonly nullable?: boolean;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, S>>;
  readonly patternProperties?: Readonly<Record<string, S>>;
  readonly additionalProperties?: boolean | S;
  readonly unevaluatedProperties?: boolean | S;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, S>>;
  readonly items?: S;
  readonly prefixItems?: readonly S[];
  readonly unevaluatedItems?: boolean | S;
  readonly allOf?: readonly S[];
  readonly anyOf?: readonly S[];
  readonly oneOf?: readonly S[];
  readonly contains?: S;
  readonly not?: S;
  readonly if?: S;
  readonly then?: S;
  readonly else?: S;
  readonly $defs?: Readonly<Record<string, S>>;
  /** The name of $defs before 2019-09. */
  readonly definitions?: Readonly<Record<string, S>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

// No schema has this member: it only keeps the compiler from taking one copy for another.
declare const COPY: unique symbol;

/** A schema as the document has it. OpenAPI 3.1 may have true or false where a schema is. */
export interface WrittenSchema extends SchemaKeywords<WrittenSchema> {
  readonly [COPY]?: 'written';
  readonly discriminator?: Discriminator;
}

/** A schema of the document that toPlainDocument makes: always an object. */
export interface NormalizedSchema extends SchemaKeywords<NormalizedSchema> {
  readonly [COPY]?: 'normalized';
}

/** A schema of the document that EOV's Ajv compiles (see validate/eov/copy-schemas). */
export interface ValidatorSchema extends SchemaKeywords<ValidatorSchema> {
  readonly [COPY]?: 'validator';
  /** In place of a `default` that has a bigint, which Ajv could not write as JSON. */
  readonly 'x-default'?: unknown;
}

/** OpenAPI's Discriminator Object: the property of a value that names its schema. */
export interface Discriminator {
  readonly propertyName: string;
  /** The names of schemas, or references to them, by the value of the property. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** The name of the schema of all objects without the property, or with another value of it (OpenAPI 3.2); or its reference. */
  readonly defaultMapping?: string;
}

interface ValueKind {
  /** The expected kind of value in messages: `type must be ...`. */
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Whether a value is an object or a list: for schemas, all but true and false. @example isObjectOrArray(true) // false */
export function isObjectOrArray(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

export function isSchema(value: unknown): boolean {
  return (isObjectOrArray(value) && !Array.isArray(value)) || isBoolean(value);
}

function isMap(value: unknown, isValid: (member: unknown) => boolean): boolean {
  return isSchema(value) && isObjectOrArray(value) && Object.values(value).every(isValid);
}

function isList(value: unknown, isValid: (item: unknown) => boolean, minItems = 0): boolean {
  return Array.isArray(value) && value.length >= minItems && value.every(isValid);
}

function isNameList(value: unknown): boolean {
  return isList(value, isString);
}

// Such as `{ propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } }`: the mapping is optional.
function isDiscriminator(value: unknown): boolean {
  const { propertyName, mapping = {}, defaultMapping = '' } = Object(value) as Record<string, unknown>;
  return isString(propertyName) && isMap(mapping, isString) && isString(defaultMapping);
}

const SCHEMA: ValueKind = { expected: 'a schema', isValid: isSchema };
const SCHEMA_LIST: ValueKind = { expected: 'a list of schemas', isValid: (value) => isList(value, isSchema) };
const NON_EMPTY_SCHEMA_LIST: ValueKind = {
  expected: 'a list of at least one schema',
  isValid: (value) => isList(value, isSchema, 1),
};
const SCHEMAS_BY_NAME: ValueKind = {
  expected: 'an object whose values are schemas',
  isValid: (value) => isMap(value, isSchema),
};
const NUMBER: ValueKind = { expected: 'a number', isValid: (value) => typeof value === 'number' };
const FLAG: ValueKind = { expected: 'true or false', isValid: isBoolean };
// Annotations do not restrict values.
const ANNOTATION: ValueKind = { expected: 'a value', isValid: () => true };

const TYPE: ValueKind = {
  expected: 'a type, or a list of types',
  isValid: (value) => isList([value].flat(), (type) => TYPES.includes(type as string), 1),
};
// OpenAPI 3.0 has nullable instead.
const TYPE_OF_3_0: ValueKind = { ...TYPE, isValid: (value) => value !== 'null' && TYPE.isValid(value) };

const KEYWORDS_BY_KIND: readonly (readonly [ValueKind, keywords: string])[] = [
  [SCHEMA, 'items contains unevaluatedItems additionalProperties unevaluatedProperties propertyNames not if then else'],
  [SCHEMA_LIST, 'prefixItems allOf'],
  [NON_EMPTY_SCHEMA_LIST, 'anyOf oneOf'],
  [SCHEMAS_BY_NAME, 'properties patternProperties dependentSchemas $defs definitions'],
  [TYPE, 'type'],
  [{ expected: 'a list of values', isValid: (value) => isList(value, () => true) }, 'enum'],
  [{ expected: 'a list of names', isValid: isNameList }, 'required'],
  [
    { expected: 'an object whose values are lists of names', isValid: (value) => isMap(value, isNameList) },
    'dependentRequired',
  ],
  [NUMBER, 'minimum maximum'],
  [{ expected: 'a number greater than 0', isValid: (value) => typeof value === 'number' && value > 0 }, 'multipleOf'],
  [
    { expected: 'a whole number of at least 0', isValid: (value) => Number.isInteger(value) && Number(value) >= 0 },
    'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
  ],
  [FLAG, 'uniqueItems nullable readOnly writeOnly'],
  [{ expected: 'a string', isValid: isString }, 'format pattern $ref'],
  [{ expected: 'an object with a propertyName', isValid: isDiscriminator }, 'discriminator'],
  [{ ...ANNOTATION }, 'const default'],
  [ANNOTATION, 'title description summary example examples deprecated externalDocs xml $comment'],
  [ANNOTATION, 'contentEncoding contentMediaType contentSchema $schema $id $anchor $dynamicAnchor'],
];

const KIND_BY_KEYWORD = new Map(
  KEYWORDS_BY_KIND.flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind])),
);

// OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`; 3.1 has a number of its own.
const EXCLUSIVE_BOUNDS = ['exclusiveMinimum', 'exclusiveMaximum'];

// The keywords that schemas of OpenAPI 3.0 do not have.
const ONLY_IN_3_1 = new Set(
  [
    'prefixItems contains minContains maxContains unevaluatedItems propertyNames patternProperties unevaluatedProperties',
    'dependentRequired dependentSchemas if then else const $defs definitions',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Whether a document is of OpenAPI 3.0, by its `openapi`.
 *
 * @example isOpenApi30('3.0.3') // true
 */
export function isOpenApi30(openapi: string): boolean {
  return /^3\.0(?:\.|$)/.test(openapi);
}

/** Whether a document is of OpenAPI 3.2, by its `openapi`. */
export function isOpenApi32(openapi: string): boolean {
  return /^3\.2(?:\.|$)/.test(openapi);
}

/** The type of a keyword's value; undefined for unknown keywords. `hasFlags`: whether exclusiveMinimum is a boolean. */
export function valueKindOf(keyword: string, openapi: string, hasFlags = isOpenApi30(openapi)): ValueKind | undefined {
  if (isOpenApi30(openapi) && ONLY_IN_3_1.has(keyword)) return undefined;
  if (isOpenApi30(openapi) && keyword === 'type') return TYPE_OF_3_0;
  if (EXCLUSIVE_BOUNDS.includes(keyword)) return hasFlags ? FLAG : NUMBER;
  return KIND_BY_KEYWORD.get(keyword);
}

/** Whether a keyword is an annotation: it does not decide which values are valid. @example isAnnotation('title') // true */
export function isAnnotation(keyword: string): boolean {
  return KIND_BY_KEYWORD.get(keyword) === ANNOTATION || keyword.startsWith('x-');
}

/**
 * The schemas in a keyword's value: of `items` itself, of `allOf` its items, of `properties` its members, of `type` none.
 *
 * @example schemasOf('anyOf', [true, {}]) // [true, {}]
 */
export function schemasOf(keyword: string, value: unknown): unknown[] {
  const kind = KIND_BY_KEYWORD.get(keyword);
  if (kind === SCHEMA && value !== undefined) return [value];
  const hasSeveral = kind === SCHEMA_LIST || kind === NON_EMPTY_SCHEMA_LIST || kind === SCHEMAS_BY_NAME;
  return hasSeveral ? Object.values(Object(value) as object) : [];
}

/**
 * Replaces each schema in the value of a keyword that has some.
 *
 * @example mapSchemas('anyOf', [true, {}], (schema) => ({ not: schema })) // [{ not: true }, { not: {} }]
 */
export function mapSchemas(keyword: string, value: unknown, replace: (schema: unknown) => unknown): unknown {
  if (KIND_BY_KEYWORD.get(keyword) === SCHEMA) return replace(value);
  if (Array.isArray(value)) return value.map((schema) => replace(schema));
  return mapValues(value as Readonly<Record<string, unknown>>, replace);
}

/** Changes each member of an object. @example mapValues({ a: 1 }, (member, name) => name + String(member)) // { a: 'a1' } */
export function mapValues<T, U>(members: Readonly<Record<string, T>>, change: (member: T, name: string) => U) {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

/**
 * Lists the schemas directly inside a schema: all but true, false and those of $defs and definitions, which apply only
 * where they are referred to. References are not followed.
 *
 * @param withDefinitions lists those of $defs and definitions, too
 * @example subschemas({ items: { type: 'string' } }) // [{ type: 'string' }]
 */
export function subschemas<S extends SchemaKeywords<S>>(schema: S, withDefinitions = false): S[] {
  const keywords = Object.entries(withDefinitions ? schema : omitKeywords(schema, '$defs', 'definitions'));
  const inner = keywords.flatMap(([keyword, value]) => schemasOf(keyword, value));
  return inner.filter((one): one is S => isObjectOrArray(one));
}

/**
 * The schema without some of its keywords.
 *
 * @example omitKeywords({ type: 'string', pattern: 'a' }, 'pattern') // { type: 'string' }
 */
export function omitKeywords<S extends object>(schema: S, ...keywords: readonly (keyof WrittenSchema)[]): S {
  const kept = Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword as keyof WrittenSchema));
  return copyExactValues(schema, Object.fromEntries<unknown>(kept) as S);
}

/**
 * Compiles with the flag u, as JSON Schema demands; without it if only that compiles. Throws a SyntaxError if neither does.
 *
 * @example toRegExp('^.$').test('🌹') // true
 */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
