// Defines types for schemas and their keywords, and finds the schemas inside a schema.
import { copyExactValues } from '../1-parse/parse-yaml';

/** The keywords that the kit reads. `S` is the type of nested schemas. */
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
  /** Replaced by `$defs` in JSON Schema 2019-09. */
  readonly definitions?: Readonly<Record<string, S>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

// A type-only brand that lets the compiler distinguish the copies of a schema.
declare const COPY: unique symbol;

/** A schema before normalization. Since OpenAPI 3.1, it can also be true or false. */
export interface WrittenSchema extends SchemaKeywords<WrittenSchema> {
  readonly [COPY]?: 'written';
  readonly discriminator?: Discriminator;
}

/** A schema after normalization, which is always an object. */
export interface NormalizedSchema extends SchemaKeywords<NormalizedSchema> {
  readonly [COPY]?: 'normalized';
}

/** A schema that EOV's Ajv compiles; see validate/eov/copy-schemas. */
export interface ValidatorSchema extends SchemaKeywords<ValidatorSchema> {
  readonly [COPY]?: 'validator';
  /** Replaces a `default` that contains a bigint, which Ajv cannot serialize as JSON. */
  readonly 'x-default'?: unknown;
}

export interface Discriminator {
  readonly propertyName: string;
  /** Schema names or references, keyed by the value of the property. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** The name of or reference to the schema for objects without the property or with an unmapped value (OpenAPI 3.2). */
  readonly defaultMapping?: string;
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Whether a value is an object or an array. Schemas can also be true or false. @example isObjectOrArray(true) // false */
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

function isDiscriminator(value: unknown): boolean {
  const { propertyName, mapping = {}, defaultMapping = '' } = Object(value) as Record<string, unknown>;
  return isString(propertyName) && isMap(mapping, isString) && isString(defaultMapping);
}

const SEVERAL_SCHEMAS = {
  'a list of schemas': (value: unknown) => isList(value, isSchema),
  'a list of at least one schema': (value: unknown) => isList(value, isSchema, 1),
  'an object whose values are schemas': (value: unknown) => isMap(value, isSchema),
};
const VALUE_KINDS = {
  ...SEVERAL_SCHEMAS,
  'a schema': isSchema,
  'a number': (value: unknown) => typeof value === 'number',
  'a number greater than 0': (value: unknown) => typeof value === 'number' && value > 0,
  'a whole number of at least 0': (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
  'a string': isString,
  'a list of names': (value: unknown) => isList(value, isString),
  'an object whose values are lists of names': (value: unknown) => isMap(value, (names) => isList(names, isString)),
  'a type, or a list of types': (value: unknown) => isList([value].flat(), (type) => TYPES.includes(type as string), 1),
  'a list of values': (value: unknown) => Array.isArray(value),
  'an object with a propertyName': isDiscriminator,
  'true or false': isBoolean,
  'a value': () => true,
  'an annotation': () => true,
};

interface Keyword {
  readonly kind: keyof typeof VALUE_KINDS;
  /** The only type of value that the keyword restricts; undefined if it can restrict any type. */
  readonly about: 'array' | 'number' | 'object' | 'string' | undefined;
  /** The first draft of JSON Schema with the keyword, such as 6 or 2019; 0 if OpenAPI 3.0 also has it. */
  readonly since: number;
}

type KeywordRow = readonly [names: string, kind: Keyword['kind'], about: Keyword['about'], since: number];
const KEYWORD_ROWS: readonly KeywordRow[] = [
  ['minimum maximum exclusiveMinimum exclusiveMaximum', 'a number', 'number', 0],
  ['multipleOf', 'a number greater than 0', 'number', 0],
  ['minLength maxLength', 'a whole number of at least 0', 'string', 0],
  ['pattern', 'a string', 'string', 0],
  ['contentEncoding contentMediaType contentSchema', 'an annotation', 'string', 0],
  ['minItems maxItems', 'a whole number of at least 0', 'array', 0],
  ['uniqueItems', 'true or false', 'array', 0],
  ['items', 'a schema', 'array', 0],
  ['contains', 'a schema', 'array', 6],
  ['minContains maxContains', 'a whole number of at least 0', 'array', 2019],
  ['unevaluatedItems', 'a schema', 'array', 2019],
  ['prefixItems', 'a list of schemas', 'array', 2020],
  ['minProperties maxProperties', 'a whole number of at least 0', 'object', 0],
  ['required', 'a list of names', 'object', 0],
  ['properties', 'an object whose values are schemas', 'object', 0],
  ['additionalProperties', 'a schema', 'object', 0],
  ['patternProperties', 'an object whose values are schemas', 'object', 4],
  ['propertyNames', 'a schema', 'object', 6],
  ['dependentRequired', 'an object whose values are lists of names', 'object', 2019],
  ['dependentSchemas', 'an object whose values are schemas', 'object', 2019],
  ['unevaluatedProperties', 'a schema', 'object', 2019],
  ['type', 'a type, or a list of types', undefined, 0],
  ['enum', 'a list of values', undefined, 0],
  ['const', 'a value', undefined, 6],
  ['allOf', 'a list of schemas', undefined, 0],
  ['anyOf oneOf', 'a list of at least one schema', undefined, 0],
  ['not', 'a schema', undefined, 0],
  ['if then else', 'a schema', undefined, 7],
  ['format $ref', 'a string', undefined, 0],
  ['$defs definitions', 'an object whose values are schemas', undefined, 4],
  ['nullable readOnly writeOnly', 'true or false', undefined, 0],
  ['discriminator', 'an object with a propertyName', undefined, 0],
  ['default', 'a value', undefined, 0],
  ['title description summary example examples deprecated externalDocs xml', 'an annotation', undefined, 0],
  ['$comment $schema $id $anchor $dynamicAnchor', 'an annotation', undefined, 0],
];

/** All keywords that the kit knows. @example KEYWORDS.get('minLength')?.about // 'string' */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  KEYWORD_ROWS.flatMap(([names, kind, about, since]) => names.split(' ').map((name) => [name, { kind, about, since }])),
);

/** Whether a document's `openapi` is a 3.0 version. @example isOpenApi30('3.0.3') // true */
export function isOpenApi30(openapi: string): boolean {
  return /^3\.0(?:\.|$)/.test(openapi);
}

export function isOpenApi32(openapi: string): boolean {
  return /^3\.2(?:\.|$)/.test(openapi);
}

/** Describes the expected value, such as `a number`, if a keyword's value is malformed. OpenAPI 3.0 counts as draft 0. */
export function findExpectedKind(keyword: string, value: unknown, draft: number): string | undefined {
  const { kind, since } = KEYWORDS.get(keyword) ?? { kind: 'an annotation', since: 0 };
  if (draft === 0 && since > 0) return undefined;
  // OpenAPI 3.0 has nullable instead of the type null.
  if (draft === 0 && keyword === 'type' && value === 'null') return kind;
  // Before draft-06, and in OpenAPI 3.0, exclusiveMinimum is a flag next to minimum.
  const isFlag = draft < 6 && ['exclusiveMinimum', 'exclusiveMaximum'].includes(keyword);
  const expected = isFlag ? 'true or false' : kind;
  return VALUE_KINDS[expected](value) ? undefined : expected;
}

/** Lists the types that the keywords of a schema restrict, such as number for `minimum`. */
export function typesRestrictedBy(schema: NormalizedSchema) {
  return Object.keys(schema).flatMap((keyword) => KEYWORDS.get(keyword)?.about ?? []);
}

/** Whether a keyword does not affect which values are valid. @example isAnnotation('title') // true */
export function isAnnotation(keyword: string): boolean {
  return KEYWORDS.get(keyword)?.kind === 'an annotation' || keyword.startsWith('x-');
}

/**
 * Lists the schemas in a keyword's value: the value of `items`, the items of `allOf`, or the members of `properties`.
 *
 * @example schemasOf('anyOf', [true, {}]) // [true, {}]
 */
export function schemasOf(keyword: string, value: unknown): unknown[] {
  const kind = KEYWORDS.get(keyword)?.kind;
  if (kind === 'a schema' && value !== undefined) return [value];
  return kind !== undefined && kind in SEVERAL_SCHEMAS ? Object.values(Object(value) as object) : [];
}

/**
 * Replaces each schema in the value of a keyword that contains schemas.
 *
 * @example mapSchemas('anyOf', [true, {}], (schema) => ({ not: schema })) // [{ not: true }, { not: {} }]
 */
export function mapSchemas(keyword: string, value: unknown, replace: (schema: unknown) => unknown): unknown {
  if (KEYWORDS.get(keyword)?.kind === 'a schema') return replace(value);
  if (Array.isArray(value)) return value.map((schema) => replace(schema));
  return mapValues(value as Readonly<Record<string, unknown>>, replace);
}

/** Like Array.map, but for the members of an object. @example mapValues({ a: 1 }, (member, name) => name + String(member)) // { a: 'a1' } */
export function mapValues<T, U>(members: Readonly<Record<string, T>>, change: (member: T, name: string) => U) {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

/**
 * Lists the schemas directly inside a schema, except true and false. References are not followed.
 *
 * @param withDefinitions whether to include $defs and definitions, which apply only where they are referenced
 * @example subschemas({ items: { type: 'string' } }) // [{ type: 'string' }]
 */
export function subschemas<S extends SchemaKeywords<S>>(schema: S, withDefinitions = false): S[] {
  const keywords = Object.entries(withDefinitions ? schema : omitKeywords(schema, '$defs', 'definitions'));
  const inner = keywords.flatMap(([keyword, value]) => schemasOf(keyword, value));
  return inner.filter((value): value is S => isObjectOrArray(value));
}

/**
 * Copies a schema without some of its keywords.
 *
 * @example omitKeywords({ type: 'string', pattern: 'a' }, 'pattern') // { type: 'string' }
 */
export function omitKeywords<S extends object>(schema: S, ...keywords: readonly (keyof WrittenSchema)[]): S {
  const keptEntries = Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword as keyof WrittenSchema));
  return copyExactValues(schema, Object.fromEntries<unknown>(keptEntries) as S);
}

/**
 * Compiles a pattern with the u flag, as JSON Schema recommends, or without it if that fails.
 *
 * @throws SyntaxError if the pattern does not compile either way
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
