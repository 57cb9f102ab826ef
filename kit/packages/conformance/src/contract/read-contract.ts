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

/** An OpenAPI document with exact numbers. Schemas of 3.0 are rewritten with the keywords of 3.1. */
export interface Contract {
  /** The document, in which plain JSON Schema replaces discriminators. */
  readonly root: JsonObject;
  /** The document with its original discriminators, which validators ignore. Equals `root` if it has none. */
  readonly rootWithDiscriminators: JsonObject;
  readonly dialect: Dialect;
  /** The URI of the document, if it has a `$self`. */
  readonly base: string | undefined;
  readonly skipped: SkippedList;
  readonly hasCredentials: (scheme: string) => boolean;
  readonly hasUnscoped: (scheme: string) => boolean;
}

export type ReadOptions = Partial<Pick<Contract, 'hasCredentials' | 'hasUnscoped'>>;

/** @throws Error if the text is not an OpenAPI 3.0, 3.1 or 3.2 document in YAML or JSON */
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
  const exactDocument = toExactOpenApi31(document, { isVersion30, base }) as JsonObject;
  const rootWithDiscriminators = /temSchema|contentSchema/.test(text) ? declareSequences(exactDocument) : exactDocument;
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

// JSON is also YAML, but the JSON parser is a hundred times faster, which matters if a contract is several megabytes.
function parseText(text: string): unknown {
  try {
    if (text.trimStart().startsWith('{')) return readJson(text);
  } catch {
    // YAML can also start with a brace: `{ openapi: 3.1.0, ... }`.
  }
  return parse(text, { intAsBigInt: true, merge: true });
}

const MAX_REFERENCES = 100;

/** An object of the contract and its pointer, after following references. */
export interface ResolvedObject {
  readonly contract: Contract;
  readonly value: JsonObject;
  readonly pointer: string;
}

/** @throws SkippedError if neither the pointer nor its references lead to an object */
export function resolve(contract: Contract, pointer: string): ResolvedObject {
  let target = pointer;
  for (let referenceCount = 0; referenceCount < MAX_REFERENCES; referenceCount++) {
    const value = resolvePointer(contract.root, target);
    // JSON Schema Core 4.3.2: the schema `true` allows every value, as `{}` does, and `false` allows none.
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

/** Returns the objects in a member such as `headers`. Throws a SkippedError if one of them cannot be read. */
export function membersOf({ contract, value, pointer }: ResolvedObject, name: string): [key: string, ResolvedObject][] {
  const keys = Object.keys(name === 'parameters' ? toList(value[name]) : objectOrEmpty(value[name]));
  return keys.flatMap((key) => {
    // OpenAPI, Responses Object: extensions can appear next to the responses.
    if (name === 'responses' && key.startsWith('x-')) return [];
    const read = (): [string, ResolvedObject][] => [[key, resolve(contract, extendPointer(pointer, name, key))]];
    // An unreadable example or link does not prevent tests of the operation.
    return ['examples', 'links'].includes(name) ? contract.skipped.attempt(read, []) : read();
  });
}

interface RewriteOptions extends Pick<Contract, 'base'> {
  readonly isVersion30: boolean;
}

/** Reduces a reference to its fragment if the part before `#` resolves to the document's `$self`. */
export function toFragment({ base }: Pick<Contract, 'base'>, reference: string): string {
  const target = base === undefined ? null : URL.parse(reference, base);
  return target !== null && target.href.split('#')[0] === base?.split('#')[0] ? target.hash : reference;
}

// OpenAPI 3.2, 4.1.2.2: a reference can name its own document by `$self`.
function replaceSelfReferences(object: JsonObject, options: RewriteOptions): JsonObject {
  if (options.base === undefined) return object;
  const toOwnFragment = (value: Json): Json => (typeof value === 'string' ? toFragment(options, value) : value);
  const members = Object.entries(object).map(([name, value]): [string, Json] => {
    if (['$ref', 'operationRef', 'defaultMapping'].includes(name)) return [name, toOwnFragment(value)];
    if (name !== 'mapping' || !isJsonObject(value)) return [name, value];
    return [name, Object.fromEntries(Object.entries(value).map(([key, mapped]) => [key, toOwnFragment(mapped)]))];
  });
  return Object.fromEntries(members);
}

// Converts every integer to a bigint, including `1.0` and `1e3`, which the YAML parser reads as doubles. Rewrites every
// object, because any of them may be a schema.
function toExactOpenApi31(value: unknown, options: RewriteOptions): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? readNumber(String(value)) : value;
  if (Array.isArray(value)) return value.map((item) => toExactOpenApi31(item, options));
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value).map(([name, member]) => [name, toExactOpenApi31(member, options)] as const);
  return rewriteKeywords(replaceSelfReferences(Object.fromEntries(members), options), options);
}

// OpenAPI 3.0 section 4.7.24: rewrites `nullable: true` as the type 'null', and `minimum: 1, exclusiveMinimum: true` as
// `exclusiveMinimum: 1`. Keeps values that are not booleans, since properties can have these names too.
function rewriteKeywords(object: JsonObject, { isVersion30 }: RewriteOptions): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...otherKeywords } = object;
  const rewrittenObject: Record<string, Json> = { ...otherKeywords };
  if (nullable !== undefined && typeof nullable !== 'boolean') rewrittenObject['nullable'] = nullable;
  if (isVersion30 && nullable === true && typeof otherKeywords['type'] === 'string')
    rewrittenObject['type'] = [otherKeywords['type'], 'null'];
  for (const [exclusiveKeyword, keyword, exclusive] of [
    ['exclusiveMinimum', 'minimum', exclusiveMinimum],
    ['exclusiveMaximum', 'maximum', exclusiveMaximum],
  ] as const) {
    const limit = otherKeywords[keyword];
    if (exclusive === true && limit !== undefined) {
      rewrittenObject[exclusiveKeyword] = limit;
      // oxlint-disable-next-line typescript/no-dynamic-delete -- the flag turned it into the other keyword
      delete rewrittenObject[keyword];
    } else if (exclusive !== undefined && typeof exclusive !== 'boolean') rewrittenObject[exclusiveKeyword] = exclusive;
  }
  return rewrittenObject;
}

/** Wraps a single value in a list. Returns an empty list for undefined. */
export function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}

export interface Dialect {
  /** The keywords that restrict values, with their OpenAPI 3.1 names. */
  readonly keywords: ReadonlySet<string>;
  /** Whether keywords next to `$ref` apply. */
  readonly hasSiblings: boolean;
  /** Why the suite cannot read schemas of this dialect. */
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

// JSON Schema Core 8.2.3.1: keywords next to `$ref` apply since 2019-09.
function toDialect(keywords: readonly string[]): Dialect {
  return {
    keywords: new Set([...keywords, ASSERTED_CONTENT]),
    hasSiblings: keywords.includes('unevaluatedItems'),
  };
}

/** Returns undefined if the suite can read the schema. */
export function findUnsupportedFeature(dialect: Dialect, schema: JsonObject): string | undefined {
  if (dialect.skipReason !== undefined) return dialect.skipReason;
  const { $schema, items } = schema;
  const dynamicKeyword = ['$dynamicRef', '$recursiveRef'].find((keyword) => schema[keyword] !== undefined);
  if (dynamicKeyword !== undefined) return `the keyword ${dynamicKeyword}`;
  if (Array.isArray(items)) return 'an items keyword that is a list';
  const badKeyword = Object.keys(schema).find((name) => dialect.keywords.has(name) && isMalformed(name, schema[name]));
  if (badKeyword !== undefined) return `a malformed ${badKeyword}`;
  if (typeof $schema === 'string' && !isSameDialect(dialect, findDialect($schema))) return `the dialect ${$schema}`;
  // References below an `$id` are resolved against that URI, not against the contract.
  const isBelowId = typeof schema['$id'] === 'string' && someObject(schema, ({ $ref }) => typeof $ref === 'string');
  return isBelowId ? 'references below an $id' : undefined;
}

export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

function isTypeName(name: Json): boolean {
  return TYPES.some((type) => type === name);
}

/** Whether the keyword cannot have this value, which is a mistake in the contract. */
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
