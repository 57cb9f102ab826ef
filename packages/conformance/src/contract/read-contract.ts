// Reads an OpenAPI document, and resolves references in it.
import { parse } from 'yaml';
import { isJsonList, isJsonObject, readJson, readNumber, type Json, type JsonObject } from '../wire/json';
import { readDialect, type Dialect } from './dialect';
import { resolvePointer } from './pointer';
import { replaceDiscriminators } from './tag-alternatives';
import { Untriable, UntriedList } from './untried';

/** An OpenAPI document, exact in its numbers and with the schemas of 3.0 in the words of 3.1. */
export interface Contract {
  /** The document, with discriminators replaced by plain JSON Schema. */
  readonly root: JsonObject;
  /** The document with discriminators as written, which validators ignore; the same as `root` when it has none. */
  readonly plainRoot: JsonObject;
  readonly dialect: Dialect;
  readonly untried: UntriedList;
  readonly hasCredentials: (scheme: string) => boolean;
  /** Whether credentials without any scope are given for a security scheme. */
  readonly hasUnscoped: (scheme: string) => boolean;
}

export interface ReadOptions extends Partial<Pick<Contract, 'hasCredentials' | 'hasUnscoped'>> {
  /** Whether a server is held to house rules: discriminators restrict values more than OpenAPI requires. */
  readonly isStrict?: boolean;
}

/** @throws Error when the text is no OpenAPI document of 3.0 or 3.1, in YAML or JSON */
export function readContract(
  text: string,
  { hasCredentials = () => true, hasUnscoped = () => false, isStrict = true }: ReadOptions = {},
): Contract {
  const written = parseText(text) as Json;
  if (!isJsonObject(written)) throw new Error('the contract is not an object');
  const { openapi } = written;
  if (typeof openapi !== 'string' || !/^3\.[01]\./.test(openapi)) {
    throw new Error(`the contract is of OpenAPI ${JSON.stringify(openapi)}; 3.0 and 3.1 are understood`);
  }
  const isVersion30 = openapi.startsWith('3.0.');
  const plainRoot = toExactOpenApi31(written, isVersion30) as JsonObject;
  const dialect = readDialect(written, isVersion30);
  return {
    root: text.includes('discriminator')
      ? replaceDiscriminators(plainRoot, { isStrict, hasSiblings: dialect.hasSiblings })
      : plainRoot,
    plainRoot,
    dialect,
    untried: new UntriedList(),
    hasCredentials,
    hasUnscoped,
  };
}

// JSON is YAML too, but the JSON parser is a hundred times faster, which matters for contracts of megabytes.
function parseText(text: string): unknown {
  return text.trimStart().startsWith('{') ? readJsonOrYaml(text) : parse(text, { intAsBigInt: true });
}

// A text that begins with a brace is usually JSON, but may be YAML: `{ openapi: 3.1.0, ... }`.
function readJsonOrYaml(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return parse(text, { intAsBigInt: true });
  }
}

// More references in a row are taken for a circle.
const MAX_REFERENCES = 100;

/** The object at a pointer, or the target of the reference there, with its pointer. Throws Untriable without one. */
export function resolve({ root }: Contract, pointer: string): { readonly value: JsonObject; readonly pointer: string } {
  let target = pointer;
  for (let followed = 0; followed < MAX_REFERENCES; followed++) {
    const value = resolvePointer(root, target);
    // The schema `true` allows every value, like an empty object, and `false` none (JSON Schema Core, 4.3.2).
    if (typeof value === 'boolean') return { value: value ? {} : { enum: [] }, pointer: target };
    if (!isJsonObject(value)) throw new Untriable('what is no object', target);
    if (typeof value['$ref'] !== 'string') return { value, pointer: target };
    if (!value['$ref'].startsWith('#'))
      throw new Untriable('references to other files: contract-kit bundle makes one of them', target);
    if (!value['$ref'].startsWith('#/')) throw new Untriable('references by $anchor', target);
    target = value['$ref'];
  }
  throw new Untriable('references that lead in a circle', pointer);
}

// Copies a part of the document with exact numbers: each integer is a bigint, also `1.0` and `1e3`, of which the YAML parser
// makes doubles. Each object gets the keywords of 3.1: nothing tells here which objects are schemas.
function toExactOpenApi31(value: unknown, isVersion30: boolean): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? readNumber(String(value)) : value;
  if (Array.isArray(value)) return value.map((item) => toExactOpenApi31(item, isVersion30));
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value).map(([name, member]) => [name, toExactOpenApi31(member, isVersion30)] as const);
  return withKeywordsOf31(Object.fromEntries(members), isVersion30);
}

// Rewrites `nullable: true` as the type 'null', and `minimum: 1, exclusiveMinimum: true` as `exclusiveMinimum: 1`
// (OpenAPI 3.0 section 4.7.24). In 3.1 `nullable` has no meaning, and is left out. Gets every object of the document, not
// only schemas, so these names may have any values, such as the schema of a property: what is no boolean stays. An example
// with such a boolean is rewritten too.
function withKeywordsOf31(object: JsonObject, isVersion30: boolean): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = object;
  const rewritten: Record<string, Json> = { ...rest };
  if (nullable !== undefined && typeof nullable !== 'boolean') rewritten['nullable'] = nullable;
  if (isVersion30 && nullable === true && typeof rest['type'] === 'string') rewritten['type'] = [rest['type'], 'null'];
  for (const [exclusiveKeyword, keyword, exclusive] of [
    ['exclusiveMinimum', 'minimum', exclusiveMinimum],
    ['exclusiveMaximum', 'maximum', exclusiveMaximum],
  ] as const) {
    const limit = rest[keyword];
    if (exclusive === true && limit !== undefined) {
      rewritten[exclusiveKeyword] = limit;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the flag turned it into the other keyword
      delete rewritten[keyword];
    } else if (exclusive !== undefined && exclusive !== false) rewritten[exclusiveKeyword] = exclusive;
  }
  return rewritten;
}

/** A list as it is, a single value as a list of one, and undefined as the empty list. */
export function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}
