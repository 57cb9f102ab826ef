import type { Document } from '../../src/contract/document/document';
import { canonicalMembers } from './canonical-members';
import type { JsonObject } from './json';
import { LIMIT_KEYWORDS, readLimits, type Limit } from './limits';
import { readProperties, type PropertyFacts } from './read-properties';

/** What some schemas say, all of which hold. */
export interface SchemaFacts extends PropertyFacts {
  /** Undefined where any type is allowed. A number is an integer or a fraction. */
  readonly types: ReadonlySet<string> | undefined;
  /** The values of enum and const, as JSON. */
  readonly values: ReadonlySet<string> | undefined;
  readonly limits: ReadonlyMap<string, Limit>;
  readonly required: ReadonlySet<string>;
  readonly items: JsonObject | undefined;
  /** Keywords that allow less wherever they stand, with what they say. */
  readonly assertions: Statements;
  /** All other keywords, likewise. */
  readonly unknown: Statements;
}

/** Everything that is said with a keyword, as JSON. */
export type Statements = ReadonlyMap<string, ReadonlySet<string>>;

const ASSERTIONS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'anyOf', 'oneOf', 'not'];
const READ = [
  ...['$ref', 'allOf', 'type', 'nullable', 'enum', 'const', 'required', 'properties', 'additionalProperties', 'items'],
  ...LIMIT_KEYWORDS,
  ...ASSERTIONS,
  // The catalogue is compared by itself, once.
  'x-error-catalogue',
];

export function readSchema(document: Document, parts: readonly JsonObject[]): SchemaFacts {
  const facts = readProperties(parts);
  const items = parts.flatMap((part) => part['items'] ?? []);
  const statements = [...parts, facts.unclear ?? {}].flatMap((part) => [...canonicalMembers(document, part)]);
  return {
    ...facts,
    types: intersect(parts.flatMap(typesOf)),
    values: intersect(parts.flatMap(valuesOf)),
    limits: readLimits(parts),
    required: new Set(parts.flatMap((part) => (part['required'] ?? []) as string[])),
    items: items.length > 0 ? { allOf: items } : undefined,
    assertions: group(statements.filter(([keyword, value]) => ASSERTIONS.includes(keyword) && value !== 'false')),
    unknown: group(statements.filter(([keyword]) => !READ.includes(keyword))),
  };
}

function group(statements: readonly [keyword: string, value: string][]): Statements {
  const groups = new Map<string, Set<string>>();
  for (const [keyword, value] of statements) groups.set(keyword, (groups.get(keyword) ?? new Set()).add(value));
  return groups;
}

function typesOf({ type, nullable }: JsonObject): string[][] {
  if (type === undefined) return [];
  const types = [type, nullable === true ? 'null' : []].flat() as string[];
  return [types.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : name))];
}

function valuesOf(part: JsonObject): string[][] {
  const lists = [part['enum'], 'const' in part ? [part['const']] : undefined];
  return lists.filter((list) => Array.isArray(list)).map((list) => list.map((value) => JSON.stringify(value)));
}

function intersect(lists: readonly (readonly string[])[]): ReadonlySet<string> | undefined {
  const [first, ...rest] = lists;
  return first && new Set(first.filter((value) => rest.every((list) => list.includes(value))));
}
