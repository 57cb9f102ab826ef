// Reads the rules of a schema, to compare them.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { toCanonicalMembers } from './canonical-members';
import { LIMIT_KEYWORDS, readLimits, type Limit } from './limits';
import { isObject, type JsonObject } from './problem';

/** The rules for a value that must match all of several schemas. */
export interface SchemaFacts extends PropertyFacts {
  /** Undefined if any type is allowed. The type number is written as integer and fraction. */
  readonly types: ReadonlySet<string> | undefined;
  /** The values of enum and const, as JSON. */
  readonly values: ReadonlySet<string> | undefined;
  readonly limits: ReadonlyMap<string, Limit>;
  readonly required: ReadonlySet<string>;
  readonly items: JsonObject | undefined;
  /** Keywords that only ever narrow a schema, with their values. */
  readonly assertions: KeywordValues;
  /** All other keywords, with their values. */
  readonly unknown: KeywordValues;
}

/** All values of each keyword, as JSON. */
export type KeywordValues = ReadonlyMap<string, ReadonlySet<string>>;

const ASSERTIONS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'anyOf', 'oneOf', 'not'];
const READ = [
  ...['$ref', 'allOf', 'type', 'nullable', 'enum', 'const', 'required', 'properties', 'additionalProperties', 'items'],
  ...LIMIT_KEYWORDS,
  ...ASSERTIONS,
  // contract-breaks.ts compares the catalogue, once.
  'x-error-catalogue',
];

/** @param parts the schemas that a value must match, as listSchemaParts lists them */
export function readSchema(document: Document, parts: readonly JsonObject[]): SchemaFacts {
  const facts = readProperties(parts);
  const items = parts.flatMap((part) => part['items'] ?? []);
  const statements = [...parts, facts.unclear ?? {}].flatMap((part) => [...toCanonicalMembers(document, part)]);
  return {
    ...facts,
    types: intersect(parts.flatMap(typesOf)),
    values: intersect(parts.flatMap(valuesOf)),
    limits: readLimits(parts),
    required: new Set(parts.flatMap((part) => (part['required'] ?? []) as string[])),
    items: items.length > 0 ? { allOf: items } : undefined,
    // `uniqueItems: false` and `not: false` assert nothing.
    assertions: groupByKeyword(
      statements.filter(([keyword, value]) => ASSERTIONS.includes(keyword) && value !== 'false'),
    ),
    unknown: groupByKeyword(statements.filter(([keyword]) => !READ.includes(keyword))),
  };
}

function groupByKeyword(statements: readonly [keyword: string, value: string][]): KeywordValues {
  const groups = new Map<string, Set<string>>();
  for (const [keyword, value] of statements) groups.set(keyword, (groups.get(keyword) ?? new Set()).add(value));
  return groups;
}

// A list for `intersect`; none if any type is allowed.
function typesOf({ type, nullable }: JsonObject): string[][] {
  if (type === undefined) return [];
  const types = [type, nullable === true ? 'null' : []].flat() as string[];
  return [types.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : name))];
}

// Lists for `intersect`, as JSON.
function valuesOf(part: JsonObject): string[][] {
  const lists = [part['enum'], 'const' in part ? [part['const']] : undefined];
  return lists.filter((list) => Array.isArray(list)).map((list) => list.map((value) => JSON.stringify(value)));
}

/** The values in all of the lists; undefined if there is no list. */
function intersect(lists: readonly (readonly string[])[]): ReadonlySet<string> | undefined {
  const [first, ...rest] = lists;
  return first && new Set(first.filter((value) => rest.every((list) => list.includes(value))));
}

/** The rules for properties. */
interface PropertyFacts {
  readonly properties: ReadonlyMap<string, JsonObject>;
  /** The schema of properties that are not listed; undefined if they may be anything. */
  readonly others: JsonObject | undefined;
  /** The schemas that these fields cannot express. */
  readonly unclear: JsonObject | undefined;
}

// Keywords about properties that other parts do not list.
const MIXING = ['patternProperties', 'unevaluatedProperties'];

function readProperties(parts: readonly JsonObject[]): PropertyFacts {
  const listed = parts.map(({ properties }) => (isObject(properties) ? properties : {}));
  const names = [...new Set(listed.flatMap((properties) => Object.keys(properties)))];
  const properties = new Map(names.map((name) => [name, { allOf: listed.flatMap((map) => map[name] ?? []) }]));
  const closing = parts.filter(({ additionalProperties = true }) => additionalProperties !== true);
  const mixing = parts.filter((part) => MIXING.some((keyword) => keyword in part));
  if (closing.length + mixing.length === 0) return { properties, others: undefined, unclear: undefined };
  // additionalProperties applies to properties that its own schema does not list, whatever other parts of allOf list.
  const isClear =
    mixing.length === 0 && closing.every((part) => Object.keys(part['properties'] ?? {}).length === names.length);
  return isClear
    ? { properties, others: { allOf: closing.map((part) => part['additionalProperties']) }, unclear: undefined }
    : { properties, others: undefined, unclear: { 'additionalProperties in parts': [...closing, ...mixing] } };
}

/** Lists the schemas that a value must match for one schema: itself, its reference, and the parts of its allOf. */
export function listSchemaParts(document: Document, node: unknown, seen = new Set<unknown>()): JsonObject[] {
  if (node === false) return [{ not: {} }];
  if (!isObject(node) || seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = typeof $ref === 'string' ? [resolveReference(document, { $ref })] : [];
  const below = [...target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])];
  const own = Object.keys(node).some((keyword) => keyword !== '$ref' && keyword !== 'allOf') ? [node] : [];
  return [...own, ...below.flatMap((part) => listSchemaParts(document, part, seen))];
}
