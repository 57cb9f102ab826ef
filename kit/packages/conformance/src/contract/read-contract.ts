// Reads an OpenAPI document, and resolves references in it.
import { parse } from 'yaml';
import {
  someObject,
  isJsonList,
  isJsonObject,
  objectOrEmpty,
  readJson,
  readNumber,
  toText,
  writeJson,
  type Json,
  type JsonObject,
} from '../wire/json';
import { extendPointer, resolvePointer } from './pointer';
import { replaceDiscriminators } from './discriminators';
import { ASSERTED_CONTENT, declareSequences } from './sequences';
import { SkippedError, SkippedList } from './skipped';

/** An OpenAPI document with exact numbers, whose 3.0 schemas are rewritten with the keywords of 3.1. */
export interface Contract {
  /** The document, with discriminators replaced by plain JSON Schema. */
  readonly root: JsonObject;
  /** The document with discriminators as written, which validators ignore; the same as `root` when it has none. */
  readonly rootWithDiscriminators: JsonObject;
  readonly dialect: Dialect;
  /** The URI of the document, if it has a `$self`. */
  readonly base: string | undefined;
  readonly skipped: SkippedList;
  readonly hasCredentials: (scheme: string) => boolean;
  readonly hasUnscoped: (scheme: string) => boolean;
}

export type ReadOptions = Partial<Pick<Contract, 'hasCredentials' | 'hasUnscoped'>>;

/** @throws Error when the text is not an OpenAPI document of 3.0 to 3.2, in YAML or JSON */
export function readContract(
  text: string,
  { hasCredentials = () => true, hasUnscoped = () => false }: ReadOptions = {},
): Contract {
  const document = parseText(text) as Json;
  if (!isJsonObject(document)) throw new Error('the contract must be an object');
  const { openapi, swagger } = document;
  if (swagger !== undefined)
    throw new Error(
      `the contract is Swagger ${toText(swagger)}: convert it to OpenAPI 3, for example with swagger2openapi`,
    );
  if (typeof openapi !== 'string' || !/^3\.[012]\./.test(openapi)) {
    throw new Error(
      `the contract has the version OpenAPI ${writeJson(openapi ?? null)}, but only 3.0 to 3.2 are supported`,
    );
  }
  const isVersion30 = openapi.startsWith('3.0.');
  const { $self } = document;
  const base = typeof $self === 'string' ? URL.parse($self, 'file:///')?.href : undefined;
  const exact = toExactOpenApi31(document, { isVersion30, base }) as JsonObject;
  const rootWithDiscriminators = /temSchema|contentSchema/.test(text) ? declareSequences(exact) : exact;
  const dialect = readDialect(document, isVersion30);
  return {
    root: text.includes('discriminator')
      ? replaceDiscriminators(rootWithDiscriminators, dialect.hasSiblings)
      : rootWithDiscriminators,
    rootWithDiscriminators,
    dialect,
    base,
    skipped: new SkippedList(),
    hasCredentials,
    hasUnscoped,
  };
}

// JSON is YAML too, but the JSON parser is a hundred times faster, which matters for contracts of megabytes.
function parseText(text: string): unknown {
  try {
    if (text.trimStart().startsWith('{')) return readJson(text);
  } catch {
    // YAML may begin with a brace, too: `{ openapi: 3.1.0, ... }`.
  }
  return parse(text, { intAsBigInt: true, merge: true });
}

const MAX_REFERENCES = 100;

/** An object of the contract, after the references to it are followed, and its pointer. */
export interface ResolvedObject {
  readonly contract: Contract;
  readonly value: JsonObject;
  readonly pointer: string;
}

/** Throws a SkippedError when there is no object at the pointer, or at the end of its references. */
export function resolve(contract: Contract, pointer: string): ResolvedObject {
  let target = pointer;
  for (let followed = 0; followed < MAX_REFERENCES; followed++) {
    const value = resolvePointer(contract.root, target);
    // The schema `true` allows every value, like an empty object, and `false` none (JSON Schema Core, 4.3.2).
    if (typeof value === 'boolean') return { contract, value: value ? {} : { enum: [] }, pointer: target };
    if (!isJsonObject(value)) throw new SkippedError('a value that is not an object', target);
    if (typeof value['$ref'] !== 'string') return { contract, value, pointer: target };
    if (!value['$ref'].startsWith('#'))
      throw new SkippedError('references to other files (contract-kit bundle joins them into one)', target);
    if (!value['$ref'].startsWith('#/')) throw new SkippedError('references by $anchor', target);
    target = value['$ref'];
  }
  throw new SkippedError('circular references', pointer);
}

/** The objects in a member such as `headers`, by name. Throws a SkippedError when one of them cannot be read. */
export function membersOf({ contract, value, pointer }: ResolvedObject, name: string): [key: string, ResolvedObject][] {
  const keys = Object.keys(name === 'parameters' ? toList(value[name]) : objectOrEmpty(value[name]));
  return keys.flatMap((key) => {
    // Extensions are not responses (OpenAPI, Responses Object).
    if (name === 'responses' && key.startsWith('x-')) return [];
    const read = (): [string, ResolvedObject][] => [[key, resolve(contract, extendPointer(pointer, name, key))]];
    // An operation can be tested without an example or a link.
    return ['examples', 'links'].includes(name) ? contract.skipped.attempt(read, []) : read();
  });
}

interface Reading extends Pick<Contract, 'base'> {
  readonly isVersion30: boolean;
}

/** Reduces a reference to its fragment if it names this document by `$self`; any other reference stays the same. */
export function toFragment({ base }: Pick<Contract, 'base'>, reference: string): string {
  const target = base === undefined ? null : URL.parse(reference, base);
  return target !== null && target.href.split('#')[0] === base?.split('#')[0] ? target.hash : reference;
}

// OpenAPI 3.2, 4.1.2.2: references by `$self` mean the document itself.
function withOwnReferences(object: JsonObject, reading: Reading): JsonObject {
  if (reading.base === undefined) return object;
  const change = (value: Json): Json => (typeof value === 'string' ? toFragment(reading, value) : value);
  const members = Object.entries(object).map(([name, value]): [string, Json] => {
    if (['$ref', 'operationRef', 'defaultMapping'].includes(name)) return [name, change(value)];
    if (name !== 'mapping' || !isJsonObject(value)) return [name, value];
    return [name, Object.fromEntries(Object.entries(value).map(([key, mapped]) => [key, change(mapped)]))];
  });
  return Object.fromEntries(members);
}

// Makes every integer a bigint, even `1.0` and `1e3`, which the YAML parser reads as doubles. Rewrites keywords in
// every object, since it is not known yet which objects are schemas.
function toExactOpenApi31(value: unknown, reading: Reading): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? readNumber(String(value)) : value;
  if (Array.isArray(value)) return value.map((item) => toExactOpenApi31(item, reading));
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value).map(([name, member]) => [name, toExactOpenApi31(member, reading)] as const);
  return withKeywordsOf31(withOwnReferences(Object.fromEntries(members), reading), reading);
}

// Rewrites `nullable: true` as the type 'null', and `minimum: 1, exclusiveMinimum: true` as `exclusiveMinimum: 1`
// (OpenAPI 3.0 section 4.7.24). In 3.1, `nullable` means nothing. The object may also hold properties of these names,
// so only booleans are rewritten.
function withKeywordsOf31(object: JsonObject, { isVersion30 }: Reading): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...otherKeywords } = object;
  const rewritten: Record<string, Json> = { ...otherKeywords };
  if (nullable !== undefined && typeof nullable !== 'boolean') rewritten['nullable'] = nullable;
  if (isVersion30 && nullable === true && typeof otherKeywords['type'] === 'string')
    rewritten['type'] = [otherKeywords['type'], 'null'];
  for (const [exclusiveKeyword, keyword, exclusive] of [
    ['exclusiveMinimum', 'minimum', exclusiveMinimum],
    ['exclusiveMaximum', 'maximum', exclusiveMaximum],
  ] as const) {
    const limit = otherKeywords[keyword];
    if (exclusive === true && limit !== undefined) {
      rewritten[exclusiveKeyword] = limit;
      // oxlint-disable-next-line typescript/no-dynamic-delete -- the flag turned it into the other keyword
      delete rewritten[keyword];
    } else if (exclusive !== undefined && typeof exclusive !== 'boolean') rewritten[exclusiveKeyword] = exclusive;
  }
  return rewritten;
}

/** Wraps a single value in a list. Undefined becomes an empty list. */
export function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}

export interface Dialect {
  /** The keywords that restrict values, by their names in 3.1. */
  readonly keywords: ReadonlySet<string>;
  /** Whether keywords next to `$ref` count. */
  readonly hasSiblings: boolean;
  /** Why schemas of this dialect cannot be read; undefined for a dialect that the suite knows. */
  readonly skipReason?: string;
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

const KEYWORDS_BY_DIALECT: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^https?:\/\/json-schema\.org\/draft-0[45]\/schema#?$/, DRAFT_4],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, DRAFT_6],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, DRAFT_7],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, DRAFT_2019_09],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, DRAFT_2020_12],
  [/^https?:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//, DRAFT_2020_12],
];

function readDialect(contract: JsonObject, isVersion30: boolean): Dialect {
  if (isVersion30) return toDialect(OPENAPI_30);
  const { jsonSchemaDialect: name } = contract;
  return name === undefined ? toDialect(DRAFT_2020_12) : findDialect(name);
}

function findDialect(name: unknown): Dialect {
  const [, keywords] = KEYWORDS_BY_DIALECT.find(([pattern]) => pattern.test(String(name))) ?? [];
  return keywords ? toDialect(keywords) : { ...toDialect([]), skipReason: `the dialect ${String(name)}` };
}

// From 2019-09 on, keywords next to `$ref` apply too (JSON Schema Core, 8.2.3.1).
function toDialect(keywords: readonly string[]): Dialect {
  return {
    keywords: new Set([...keywords, ASSERTED_CONTENT]),
    hasSiblings: keywords.includes('unevaluatedItems'),
  };
}

/** Why the suite cannot read a schema; undefined when it can. */
export function findUnsupportedFeature(dialect: Dialect, schema: JsonObject): string | undefined {
  if (dialect.skipReason !== undefined) return dialect.skipReason;
  const { $schema, items } = schema;
  const dynamic = ['$dynamicRef', '$recursiveRef'].find((keyword) => schema[keyword] !== undefined);
  if (dynamic !== undefined) return `the keyword ${dynamic}`;
  if (Array.isArray(items)) return 'an items keyword that is a list';
  const malformed = Object.keys(schema).find((name) => dialect.keywords.has(name) && isMalformed(name, schema[name]));
  if (malformed !== undefined) return `a malformed ${malformed}`;
  if (typeof $schema === 'string' && !isSameDialect(dialect, findDialect($schema))) return `the dialect ${$schema}`;
  // References below an `$id` are relative to it, not to the contract.
  const isBelowId = typeof schema['$id'] === 'string' && someObject(schema, ({ $ref }) => typeof $ref === 'string');
  return isBelowId ? 'references below an $id' : undefined;
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

function isTypeName(name: Json): boolean {
  return TYPES.some((type) => type === name);
}

/** Whether the contract, by mistake, gives a keyword a value of the wrong kind. */
export function isMalformed(keyword: string, value: Json | undefined): boolean {
  if (/^(?:min|max|exclusive)[A-Z]|^(?:minimum|maximum|multipleOf)$/.test(keyword))
    return (typeof value !== 'number' && typeof value !== 'bigint') || (keyword === 'multipleOf' && value <= 0);
  if (keyword === 'type') return toList(value).length === 0 || !toList(value).every(isTypeName);
  if (keyword === 'required') return !isJsonList(value) || value.some((name) => typeof name !== 'string');
  if (keyword === 'pattern' || keyword === 'format') return typeof value !== 'string';
  if (keyword === 'enum') return !isJsonList(value);
  return /^(?:p|patternP)roperties$|^dependen/.test(keyword) && !isJsonObject(value);
}

function isSameDialect({ keywords }: Dialect, { keywords: otherKeywords, skipReason }: Dialect): boolean {
  return skipReason === undefined && [...keywords].join() === [...otherKeywords].join();
}
