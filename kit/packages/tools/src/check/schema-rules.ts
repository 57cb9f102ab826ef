// Reads the types, values, limits and other rules of schemas that together apply to one value.
import {
  type NormalizedDocument as Document,
  CHECKED_FORMATS,
  INTEGER_RANGES,
  KEYWORDS,
  collectInPlaceSchemas,
  exactValueOf,
  isAnnotation,
  isObjectOrArray,
  propertySchemas,
  resolveReference,
  schemasOf,
  toRegExp,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';

export interface Part {
  readonly schema: Schema;
  readonly document: Document;
  /** Where the document has the schema `false`, which is not an object; undefined for any other schema. */
  readonly never?: { readonly node: Schema; readonly key: string };
}

/** Schemas that one value must all match. */
export type Parts = readonly Part[];

/** How a value is serialized: as JSON, a form, a form field, or the text of a parameter or header. */
export type Notation = 'json' | 'form' | 'field' | 'text';

type Keywords = Readonly<Record<string, unknown>>;
type Values = ReadonlySet<string> | undefined;

const partBySchema = new WeakMap<Schema, Part>();
const inPlaceByPart = new WeakMap<Part, readonly Part[]>();

export function getOrCreate<K, V>(
  memory: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const value = memory.get(key) ?? make();
  memory.set(key, value);
  return value;
}

/** Returns the same part for the same schema. */
export function toParts(document: Document, schemas: readonly Schema[]): Part[] {
  return schemas.map((schema) => getOrCreate(partBySchema, schema, () => ({ schema, document })));
}

/** Follows references, and adds the schemas in allOf, and in dependentSchemas for required properties. */
export function expand(parts: Parts): Part[] {
  const expandedParts = new Set<Part>();
  for (const part of parts) addInPlace(part);
  for (const { schema, document } of expandedParts) {
    for (const [name, dependent] of Object.entries(schema.dependentSchemas ?? {}))
      if (requiredIn([...expandedParts]).has(name)) for (const part of toParts(document, [dependent])) addInPlace(part);
  }
  return [...expandedParts];

  function addInPlace(root: Part): void {
    const { document, schema } = root;
    const listInPlace = (): Part[] => toParts(document, collectInPlaceSchemas(document, [schema], ['allOf']));
    for (const part of getOrCreate(inPlaceByPart, root, listInPlace)) expandedParts.add(part);
  }
}

/** Returns the schemas under a keyword. It looks only at the parts themselves. */
export function schemasIn(parts: Parts, keyword: string): Part[] {
  return parts.flatMap((part) => {
    const schemas = schemasOf(keyword, (part.schema as Keywords)[keyword]);
    if (!schemas.includes(false)) return toParts(part.document, schemas.filter(isObjectOrArray));
    const falseSchemas = getOrCreate(falseSchemasBySchema, part.schema, () => new Map<string, Part>());
    return [getOrCreate(falseSchemas, keyword, () => createFalseSchema(part, keyword))];
  });
}

function createFalseSchema({ schema: node, document }: Part, key: string): Part {
  const schema: Schema = { not: {} };
  return getOrCreate(partBySchema, schema, () => ({ schema, document, never: { node, key } }));
}

const falseSchemasBySchema = new WeakMap<Schema, Map<string, Part>>();

export function allowsNothing({ schema: { not } }: Part): boolean {
  return not !== undefined && Object.keys(not).length === 0;
}

/** Returns the required names, including names that dependentRequired adds. */
export function requiredIn(parts: Parts): Set<string> {
  const names = new Set(parts.flatMap(({ schema }) => schema.required ?? []));
  for (const name of names) {
    for (const { schema } of parts) for (const needed of schema.dependentRequired?.[name] ?? []) names.add(needed);
  }
  return names;
}

export function namesIn(parts: Parts): Set<string> {
  return new Set(parts.flatMap(({ schema }) => Object.keys(schema.properties ?? {})));
}

/** Returns the schemas of a property, or, without a name, of undeclared properties. */
export function propertyIn(parts: Parts, name?: string): Part[] {
  // Only unevaluatedProperties depends on what other parts declare.
  const isRelevant = name !== undefined && parts.some(({ schema }) => schema.unevaluatedProperties !== undefined);
  const isEvaluated =
    isRelevant &&
    parts.some(({ document, schema }) => declaredIn(collectInPlaceSchemas(document, [schema]), name).length > 0);
  return parts.flatMap((part) => {
    const declaredSchemas = name === undefined ? [] : declaredIn([part.schema], name);
    if (declaredSchemas.length > 0) return toParts(part.document, declaredSchemas);
    return [
      ...schemasIn([part], 'additionalProperties'),
      ...(isEvaluated ? [] : schemasIn([part], 'unevaluatedProperties')),
    ];
  });
}

function declaredIn(schemas: readonly Schema[], name: string): Schema[] {
  const parts = schemas.map(({ properties = {}, patternProperties = {} }): Schema => ({
    properties,
    patternProperties,
  }));
  return propertySchemas(parts, name);
}

/** Returns the schemas of the item at an index, by default of the items after prefixItems. */
export function itemIn(parts: Parts, index = Infinity): Part[] {
  return parts.flatMap((part) => {
    const prefixItem = part.schema.prefixItems?.[index];
    if (prefixItem) return toParts(part.document, [prefixItem]);
    return [...schemasIn([part], 'items'), ...schemasIn([part], 'unevaluatedItems')];
  });
}

export function isText(notation: Notation): boolean {
  return notation === 'text' || notation === 'field';
}

/** The types of JSON, with number split into integer and fraction. */
export const ALL_TYPES = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];

/** Returns the types or values that all schemas allow; undefined if they allow everything. */
function allowedBy(parts: Parts, read: (schema: Schema) => Values): Values {
  const sets = parts.map(({ schema }) => read(schema)).filter((values) => values !== undefined);
  if (sets.length === 0) return undefined;
  return sets.reduce((left, right) => new Set([...left].filter((value) => right.has(value))));
}

// What the text of a string can look like: any scalar but null, which has no text.
const TEXT_TYPES = ['string', 'integer', 'fraction', 'boolean'];

export function typesIn(parts: Parts, notation: Notation = 'json'): Values {
  return allowedBy(parts, (schema) => {
    const types = typesOf(schema, isText(notation));
    if (!types || !isText(notation)) return types;
    return new Set([...types].flatMap((type) => (type === 'string' ? TEXT_TYPES : type === 'null' ? [] : type)));
  });
}

export function mayBe(parts: Parts, type: string, notation: Notation = 'json'): boolean {
  return typesIn(parts, notation)?.has(type) !== false;
}

// Returns the types that a schema allows. An enum also restricts them, and a multiple of an integer is an integer.
function typesOf(schema: Schema, isTextual: boolean): Values {
  const { type, nullable, multipleOf } = schema;
  const numbers = Number.isInteger(multipleOf) ? ['integer'] : ['integer', 'fraction'];
  const declaredTypes = type === undefined ? undefined : [type, nullable === true ? 'null' : []].flat();
  const types = new Set(declaredTypes?.flatMap((name) => (name === 'number' ? numbers : name)) ?? ALL_TYPES);
  const valueTypes = listValues(schema)?.map((value) => typeOf(isTextual ? readText(value) : value));
  const result = new Set(valueTypes?.filter((name) => types.has(name) || (isTextual && types.has('string'))) ?? types);
  return result.size === ALL_TYPES.length ? undefined : result;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'bigint') return 'integer';
  return value === null ? 'null' : typeof value;
}

function listValues(schema: Schema): unknown[] | undefined {
  return ('const' in schema ? [exactValueOf(schema, 'const')] : exactValueOf(schema, 'enum')) as unknown[] | undefined;
}

function readText(value: unknown): unknown {
  return typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;
}

/** Returns the values that all schemas allow, as JSON. As text, 1 and "1" are the same value. */
export function valuesIn(parts: Parts, notation: Notation = 'json'): Values {
  const toKey = (value: unknown): string =>
    isText(notation) && !isObjectOrArray(value) ? toJson(String(value)) : toJson(value);
  const types = typesIn(parts, notation);
  const isOfType = (value: unknown): boolean =>
    types?.has(typeOf(isText(notation) ? readText(value) : value)) !== false;
  const values = allowedBy(parts, (schema) => {
    const allowedValues = listValues(schema)?.filter(isOfType);
    return allowedValues && new Set(allowedValues.map(toKey));
  });
  if (values) return subtract(values, refusedValuesIn(parts).map(toKey));
  if (![...(types ?? ['any'])].every((type) => type in VALUES_OF_TYPES)) return undefined;
  return new Set([...(types ?? [])].flatMap((type) => VALUES_OF_TYPES[type] ?? []).map(toKey));
}

function refusedValuesIn(parts: Parts): unknown[] {
  return parts.flatMap(({ schema: { not = {} } }) => {
    const isList = Object.keys(not).every((keyword) => isAnnotation(keyword) || /^(?:const|enum)$/.test(keyword));
    return (isList ? listValues(not) : undefined) ?? [];
  });
}

const VALUES_OF_TYPES: Readonly<Record<string, readonly unknown[]>> = { null: [null], boolean: [true, false] };

/** Serializes JSON with sorted keys, so that values that differ only in the order of keys give the same text. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    const isObject = isObjectOrArray(member) && !Array.isArray(member);
    return isObject
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member;
  });
}

/** Whether some sent values are not accepted. An undefined set contains all values. */
export function isNarrower(sent: Values, accepted: Values): boolean {
  return accepted !== undefined && !(sent && [...sent].every((value) => accepted.has(value)));
}

export function formatValues(values: Iterable<unknown> | undefined): string {
  return [...(values ?? [])].join(', ').replace('integer, fraction', 'number') || 'any';
}

// Every value that matches the format on the left also matches the format on the right.
const WIDER_FORMATS: Readonly<Record<string, string>> = {
  uri: 'uri-reference',
  time: 'iso-time',
  'date-time': 'iso-date-time',
};
const ANY_TEXT = /^\^?(\.\*)?$/;

/** Returns a keyword's values as JSON, without values that restrict nothing. */
export function rulesIn(parts: Parts, keyword: string): string[] {
  const rules = parts.map(({ schema }) => (schema as Keywords)[keyword]).filter(Boolean);
  const isRule = (rule: unknown): boolean =>
    keyword === 'format' ? CHECKED_FORMATS.has(String(rule)) : keyword !== 'pattern' || !ANY_TEXT.test(String(rule));
  return rules.filter(isRule).map(toJson);
}

/** Whether every value that satisfies `rule` also satisfies `other`. */
export function implies(keyword: string, rule: string, other: string): boolean {
  if (keyword === 'format') return rule === other || toJson(WIDER_FORMATS[JSON.parse(rule) as string]) === other;
  return keyword === 'multipleOf' ? isMultiple(Number(rule), Number(other)) : rule === other;
}

/** Whether a value satisfies a rule; undefined if that is unknown. */
export function satisfies(keyword: string, rule: string, value: unknown): boolean | undefined {
  if (keyword === 'multipleOf') return typeof value !== 'number' || isMultiple(value, Number(rule));
  if (keyword === 'pattern') return typeof value !== 'string' || toRegExp(JSON.parse(rule) as string).test(value);
  return undefined;
}

// Compares 15 significant digits, which a double preserves, so 0.3 counts as a multiple of 0.1.
function isMultiple(number: number, divisor: number): boolean {
  return Number.isInteger(Number((number / divisor).toPrecision(15)));
}

export interface Limit {
  readonly value: number | bigint;
  readonly isExclusive: boolean;
}

export function formatLimit(limit: Limit | undefined): string {
  return limit ? `${String(limit.value)}${limit.isExclusive ? ' (exclusive)' : ''}` : 'none';
}

/**
 * Returns a keyword's tightest limit. `exclusiveMinimum` is a number, or a flag in OpenAPI 3.0. For integers, an exclusive limit
 * becomes an inclusive one: above 0 means at least 1.
 */
export function limitIn(parts: Parts, keyword: string, isInteger: boolean): Limit | undefined {
  const limits = parts.flatMap(({ schema }): Limit[] => {
    const exclusiveLimit = exactValueOf(schema, keyword.replace(/^m(in|ax)imum$/, 'exclusiveM$1imum'));
    const formatLimit = ((INTEGER_RANGES as Keywords)[schema.format ?? ''] as Keywords | undefined)?.[keyword];
    const values = [exactValueOf(schema, keyword), formatLimit].filter(isNumber);
    return [
      ...(isNumber(exclusiveLimit) && keyword.endsWith('imum') ? [{ value: exclusiveLimit, isExclusive: true }] : []),
      ...values.map((value) => ({ value, isExclusive: exclusiveLimit === true && value !== formatLimit })),
    ];
  });
  const bounds = limits.filter(({ value }) => value != 0 || !/^min[A-Z]/.test(keyword));
  const inclusiveBounds =
    isInteger && keyword.endsWith('imum') ? bounds.map((limit) => toInclusiveLimit(keyword, limit)) : bounds;
  return inclusiveBounds.sort((left, right) => (isTighter(keyword, left, right) ? -1 : 1))[0];
}

function toInclusiveLimit(keyword: string, { value, isExclusive }: Limit): Limit {
  const [round, step] = keyword === 'minimum' ? [Math.ceil, 1n] : [Math.floor, -1n];
  const integer = typeof value === 'bigint' ? value : BigInt(round(value));
  return { value: isExclusive && integer == value ? integer + step : integer, isExclusive: false };
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isTighter(keyword: string, limit: Limit, other: Limit | undefined): boolean {
  if (other === undefined) return true;
  if (limit.value == other.value) return limit.isExclusive && !other.isExclusive;
  return keyword.startsWith('min') ? limit.value > other.value : limit.value < other.value;
}

/** Returns the size that a keyword limits, such as the length of a string; undefined if the value has no such size. */
export function sizeFor(keyword: string, value: unknown, isTextual: boolean): number | bigint | undefined {
  const number = isTextual ? readText(value) : value;
  const about = KEYWORDS.get(keyword)?.about;
  if (about === 'number') return isNumber(number) ? number : undefined;
  if (about === 'string') return typeof value === 'string' ? Array.from(value).length : undefined;
  const hasMembers = isObjectOrArray(value) && Array.isArray(value) === (about === 'array');
  return hasMembers ? Object.keys(value).length : undefined;
}

export function subtract(names: Iterable<string>, others: Iterable<string>): Set<string> {
  const remaining = new Set(names);
  for (const name of others) remaining.delete(name);
  return remaining;
}

export function pick({ schema, document }: Part, keywords: readonly string[]): Part {
  return { schema: Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key))), document };
}

const comparisonCache = new WeakMap<Schema, WeakMap<Schema, boolean>>();

/** Whether two schemas have the same rules, regardless of annotations. */
export function isSame(left: Part, right: Part): boolean {
  const cache = getOrCreate(comparisonCache, left.schema, () => new WeakMap<Schema, boolean>());
  return getOrCreate(cache, right.schema, () => isSameBelow(left, right, new Map()));
}

// Pairs that are already being compared are assumed to be the same, which ends the recursion in recursive schemas.
function isSameBelow(leftPart: Part, rightPart: Part, assumed: Map<Schema, Set<Schema>>): boolean {
  const [left, right] = [leftPart, rightPart].map(({ schema, document }) => resolveReference(document, schema));
  if (left === undefined || right === undefined || left === right) return left === right;
  const pairs = getOrCreate(assumed, left, () => new Set());
  if (pairs.has(right)) return true;
  pairs.add(right);
  const keywords = new Set([left, right].flatMap((schema) => Object.keys(schema).filter(isRule)));
  return [...keywords].every((keyword) => {
    const [leftSchemas, rightSchemas] = [left, right].map((schema) =>
      subschemasIn(keyword, (schema as Keywords)[keyword]),
    );
    if (!leftSchemas || !rightSchemas)
      return toSortedJson(exactValueOf(left, keyword)) === toSortedJson(exactValueOf(right, keyword));
    const isMatched = ([key, schema]: [string, unknown]): boolean => {
      const match = rightSchemas.get(key);
      if (!isObjectOrArray(schema) || !isObjectOrArray(match)) return schema === match;
      return isSameBelow(
        { schema, document: leftPart.document },
        { schema: match, document: rightPart.document },
        assumed,
      );
    };
    return leftSchemas.size === rightSchemas.size && [...leftSchemas].every(isMatched);
  });
}

function isRule(keyword: string): boolean {
  return !isAnnotation(keyword) && !['default', '$defs', 'definitions'].includes(keyword);
}

function subschemasIn(keyword: string, value: unknown): Map<string, unknown> | undefined {
  const schemas = schemasOf(keyword, value);
  if (!schemas.some(isObjectOrArray)) return undefined;
  const isByName = /^(properties|patternProperties|dependentSchemas)$/.test(keyword);
  return new Map(Object.entries(isByName ? (Object(value) as object) : schemas));
}

function toSortedJson(value: unknown): string {
  return Array.isArray(value) ? value.map(toJson).sort().join() : toJson(value);
}
