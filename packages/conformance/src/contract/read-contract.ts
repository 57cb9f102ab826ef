import { parse } from 'yaml';
import { isJsonList, isJsonObject, readJson, readNumber, type Json, type JsonObject } from '../wire/json';
import { resolvePointer } from './pointer';
import { replaceDiscriminators } from './tag-alternatives';
import { Untriable, UntriedList } from './untried';

/** An OpenAPI document, exact in its numbers and with the schemas of 3.0 in the words of 3.1. */
export interface Contract {
  readonly root: JsonObject;
  /** Without discriminators; the same as `root` when there are none. */
  readonly untagged: JsonObject;
  /** Whether keywords beside `$ref` count: from OpenAPI 3.1 on. */
  readonly hasSiblings: boolean;
  readonly untried: UntriedList;
  /** Whether credentials for a security scheme are given. */
  readonly hasCredentials: (scheme: string) => boolean;
  /** Whether credentials without any scope are given for a security scheme. */
  readonly hasUnscoped: (scheme: string) => boolean;
}

/** What the suite must know beside the contract. */
export interface ReadOptions extends Partial<Pick<Contract, 'hasCredentials' | 'hasUnscoped'>> {
  /** Whether a server is held to house rules. */
  readonly isStrict?: boolean;
}

/** @throws Error when the text is not YAML or not an OpenAPI document of 3.0 or 3.1 */
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
  const untagged = toExact(written, openapi.startsWith('3.0.')) as JsonObject;
  const hasSiblings = openapi.startsWith('3.1.');
  return {
    root: text.includes('discriminator') ? replaceDiscriminators(untagged, { isStrict, hasSiblings }) : untagged,
    untagged,
    hasSiblings,
    untried: new UntriedList(),
    hasCredentials,
    hasUnscoped,
  };
}

// JSON is YAML too, but the JSON parser is a hundred times faster, which matters for contracts of megabytes.
function parseText(text: string): unknown {
  return text.trimStart().startsWith('{') ? readJsonOrYaml(text) : parse(text, { intAsBigInt: true });
}

function readJsonOrYaml(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return parse(text, { intAsBigInt: true });
  }
}

/**
 * Resolves a pointer, follows references, and returns the object and its own pointer.
 *
 * @throws Untriable when there is no object
 */
export function resolve({ root }: Contract, pointer: string): { readonly value: JsonObject; readonly pointer: string } {
  let target = pointer;
  for (let hops = 0; hops < 100; hops++) {
    const value = resolvePointer(root, target);
    // A schema may be `true`, which says nothing (JSON Schema Core, 4.3.2).
    if (value === true) return { value: {}, pointer: target };
    if (!isJsonObject(value)) throw new Untriable('what is no object', target);
    if (typeof value['$ref'] !== 'string') return { value, pointer: target };
    if (!value['$ref'].startsWith('#/'))
      throw new Untriable('references to other files: contract-kit bundle makes one of them', target);
    target = value['$ref'];
  }
  throw new Untriable('references that lead in a circle', pointer);
}

// The YAML parser makes bigints only of plain integers; `1.0` and `1e3` are integers, too.
function toExact(value: unknown, hasNullable: boolean): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? readNumber(String(value)) : value;
  if (Array.isArray(value)) return value.map((item) => toExact(item, hasNullable));
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value).map(([name, member]) => [name, toExact(member, hasNullable)] as const);
  return toSchema31(Object.fromEntries(members), hasNullable);
}

// OpenAPI 3.0 section 4.7.24: rewrites `nullable` and boolean exclusive limits as JSON Schema of 3.1.
function toSchema31(object: JsonObject, hasNullable: boolean): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = object;
  const modern: Record<string, Json> = { ...rest };
  if (nullable !== undefined && typeof nullable !== 'boolean') modern['nullable'] = nullable;
  if (hasNullable && nullable === true && typeof rest['type'] === 'string') modern['type'] = [rest['type'], 'null'];
  for (const [name, limit, flag] of [
    ['exclusiveMinimum', 'minimum', exclusiveMinimum],
    ['exclusiveMaximum', 'maximum', exclusiveMaximum],
  ] as const) {
    const bound = rest[limit];
    if (flag === true && bound !== undefined) {
      modern[name] = bound;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the flag turned it into the other keyword
      delete modern[limit];
    } else if (flag !== undefined && flag !== false) modern[name] = flag;
  }
  return modern;
}

export function toList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}
