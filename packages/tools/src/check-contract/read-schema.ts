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
const KNOWN_KEYWORDS = [
  ...['$ref', 'allOf', 'type', 'nullable', 'enum', 'const', 'required', 'properties', 'additionalProperties', 'items'],
  ...LIMIT_KEYWORDS,
  ...ASSERTIONS,
  // contract-breaks.ts compares the catalogue, once.
  'x-error-catalogue',
];

/** Merges the rules of schemas that a value must match all of, as listSchemaParts lists them. */
export function readSchema(document: Document, parts: readonly JsonObject[]): SchemaFacts {
  const propertyFacts = readProperties(parts);
  const items = parts.flatMap((part) => part['items'] ?? []);
  // What readProperties cannot merge is compared as a whole, as the value of an unknown keyword.
  const keywordValues = [...parts, propertyFacts.unclear ?? {}].flatMap((part) => [
    ...toCanonicalMembers(document, part),
  ]);
  return {
    ...propertyFacts,
    types: intersect(parts.flatMap(readTypes)),
    values: intersect(parts.flatMap(readValues)),
    limits: readLimits(parts),
    required: new Set(parts.flatMap((part) => (part['required'] ?? []) as string[])),
    items: items.length > 0 ? { allOf: items } : undefined,
    // `uniqueItems: false` and `not: false` assert nothing.
    assertions: groupByKeyword(
      keywordValues.filter(([keyword, value]) => ASSERTIONS.includes(keyword) && value !== 'false'),
    ),
    unknown: groupByKeyword(keywordValues.filter(([keyword]) => !KNOWN_KEYWORDS.includes(keyword))),
  };
}

// Two parts of an allOf may each have a `pattern`.
function groupByKeyword(keywordValues: readonly [keyword: string, value: string][]): KeywordValues {
  const groups = new Map<string, Set<string>>();
  for (const [keyword, value] of keywordValues) groups.set(keyword, (groups.get(keyword) ?? new Set()).add(value));
  return groups;
}

// At most one list, for `intersect`. Number is written as two types: so it has integer in common with integer.
function readTypes({ type, nullable }: JsonObject): string[][] {
  if (type === undefined) return [];
  const types = [type, nullable === true ? 'null' : []].flat() as string[];
  return [types.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : name))];
}

// As JSON: a list for each of `enum` and `const` that the schema has.
function readValues(part: JsonObject): string[][] {
  const lists = [part['enum'], 'const' in part ? [part['const']] : undefined];
  return lists.filter((list) => Array.isArray(list)).map((list) => list.map((value) => JSON.stringify(value)));
}

// Undefined if there is no list.
function intersect(lists: readonly (readonly string[])[]): ReadonlySet<string> | undefined {
  const [first, ...rest] = lists;
  return first && new Set(first.filter((value) => rest.every((list) => list.includes(value))));
}

interface PropertyFacts {
  readonly properties: ReadonlyMap<string, JsonObject>;
  /** The schema of properties that are not listed; undefined if they may be anything. */
  readonly others: JsonObject | undefined;
  /** The schemas that these fields cannot express. */
  readonly unclear: JsonObject | undefined;
}

// Keywords about properties that `properties` does not list, which are not merged.
const UNLISTED_KEYWORDS = ['patternProperties', 'unevaluatedProperties'];

// Merges the rules for properties of several schemas that an object must match all of.
function readProperties(parts: readonly JsonObject[]): PropertyFacts {
  const listed = parts.map(({ properties }) => (isObject(properties) ? properties : {}));
  const names = [...new Set(listed.flatMap((properties) => Object.keys(properties)))];
  const properties = new Map(names.map((name) => [name, { allOf: listed.flatMap((map) => map[name] ?? []) }]));
  const restricting = parts.filter(({ additionalProperties = true }) => additionalProperties !== true);
  const unmerged = parts.filter((part) => UNLISTED_KEYWORDS.some((keyword) => keyword in part));
  if (restricting.length + unmerged.length === 0) return { properties, others: undefined, unclear: undefined };
  // additionalProperties applies to properties that its own schema does not list, whatever other parts of allOf list.
  const listsAllNames = (part: JsonObject): boolean => Object.keys(part['properties'] ?? {}).length === names.length;
  return unmerged.length === 0 && restricting.every(listsAllNames)
    ? { properties, others: { allOf: restricting.map((part) => part['additionalProperties']) }, unclear: undefined }
    : { properties, others: undefined, unclear: { 'additionalProperties in parts': [...restricting, ...unmerged] } };
}

/**
 * Lists the schemas that a value must match for one schema: itself, what it refers to, and the parts of its allOf, at
 * any depth. The schema `true` has no rules, so that the list is empty.
 */
export function listSchemaParts(document: Document, node: unknown, seen = new Set<unknown>()): JsonObject[] {
  // The schema `false` matches no value.
  if (node === false) return [{ not: {} }];
  if (!isObject(node) || seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = typeof $ref === 'string' ? [resolveReference(document, { $ref })] : [];
  const below = [...target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])];
  const hasOwnRules = Object.keys(node).some((keyword) => keyword !== '$ref' && keyword !== 'allOf');
  return [...(hasOwnRules ? [node] : []), ...below.flatMap((part) => listSchemaParts(document, part, seen))];
}
