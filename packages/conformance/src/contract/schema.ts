// Reads the schemas of a contract: the rules that apply to one value, and the schemas of its parts.
import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { flatten, withoutKeyword, type Place } from './flatten';
import { extendPointer } from './pointer';
import { toList, type Contract } from './read-contract';

/** All schema objects that apply to one value: a schema, what it refers to, and what `allOf` adds. */
export interface Schema {
  readonly contract: Contract;
  readonly places: readonly Place[];
}

/** The value of a keyword in one schema object. */
export interface Rule {
  readonly value: Json;
  readonly place: Place;
}

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

export type TypeName = (typeof TYPES)[number];

// Limits above these are ignored: only a body too large for any server reaches them.
const MAX_LIMITS: Readonly<Record<string, number>> = { maxLength: 100_000, maxItems: 1_000, maxProperties: 1_000 };

export function readSchema(contract: Contract, pointer: string): Schema {
  return { contract, places: flatten(contract, pointer) };
}

export function anySchema(contract: Contract): Schema {
  return { contract, places: [] };
}

export function rulesOf(schema: Schema, keyword: string): Rule[] {
  return schema.places.flatMap((place) => {
    const value = place.schema[keyword];
    const isOutOfReach = Number(value) > (MAX_LIMITS[keyword] ?? Infinity);
    return value === undefined || isOutOfReach ? [] : [{ value, place }];
  });
}

/** Names a rule by its pointer and keyword, for coverage. */
export function ruleId({ pointer }: Place, name: string): string {
  return `${pointer} ${name}`;
}

export function ruleIds(schema: Schema, ...keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ place }) => ruleId(place, keyword)));
}

/** The types that a value may have; all types when the contract does not say. `number` stands for `integer` too. */
export function typesOf(schema: Schema): ReadonlySet<TypeName> {
  // Each schema object may list types, and a value must be of a type in every list.
  const lists = rulesOf(schema, 'type').map(({ value }) => new Set(toList(value)));
  const allowed = TYPES.filter((type) =>
    lists.every((list) => list.has(type) || (type === 'integer' && list.has('number'))),
  );
  return new Set(allowed.includes('number') ? allowed.filter((type) => type !== 'integer') : allowed);
}

/** The declared properties by name. If several schema objects declare a property, all of their rules apply to it. */
export function propertiesOf(schema: Schema): Map<string, Schema> {
  const declarations = Map.groupBy(childrenOf(schema, 'properties'), ([name]) => name);
  return new Map(
    [...declarations].map(([name, children]) => {
      const pointers = children.map(([, pointer]) => pointer);
      return [name, mergeSchemas(schema, pointers)];
    }),
  );
}

/** The required properties, each with the ids of its rules, such as `#/components/schemas/Book required title`. */
export function requiredOf(schema: Schema): Map<string, string[]> {
  const required = new Map<string, string[]>();
  for (const { value, place } of rulesOf(schema, 'required')) {
    for (const name of toList(value) as string[]) {
      required.set(name, [...(required.get(name) ?? []), ruleId(place, `required ${name}`)]);
    }
  }
  return required;
}

export function isReadOnly(property: Schema): boolean {
  return rulesOf(property, 'readOnly').some(({ value }) => value === true);
}

export function isWriteOnly(property: Schema): boolean {
  return rulesOf(property, 'writeOnly').some(({ value }) => value === true);
}

/** The properties that a request may have: all but readOnly ones. */
export function sentProperties(schema: Schema): Map<string, Schema> {
  return new Map([...propertiesOf(schema)].filter(([, property]) => !isReadOnly(property)));
}

/** What a request must have: all that `requiredOf` returns but readOnly properties. */
export function sentRequired(schema: Schema): Map<string, string[]> {
  const properties = propertiesOf(schema);
  const isSent = (name: string): boolean => {
    const property = properties.get(name);
    return !property || !isReadOnly(property);
  };
  return new Map([...requiredOf(schema)].filter(([name]) => isSent(name)));
}

export function itemsOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'items');
}

/** True when any are allowed, false when they are forbidden, undefined when the contract does not say. */
export function additionalOf(schema: Schema): Schema | boolean | undefined {
  const rules = rulesOf(schema, 'additionalProperties');
  if (rules.length === 0) return undefined;
  if (rules.some(({ value }) => value === false)) return false;
  return childOf(schema, 'additionalProperties') ?? true;
}

export function patternsOf(schema: Schema): [pattern: string, Schema][] {
  return childrenOf(schema, 'patternProperties').map(([pattern, at]) => [pattern, mergeSchemas(schema, [at])]);
}

/** The branches of the first oneOf or anyOf, each merged with the rest of the schema, and the id of that rule. */
export function choiceOf(schema: Schema): { readonly rule: string; readonly branches: readonly Schema[] } | undefined {
  const { contract, places } = schema;
  for (const [index, place] of places.entries()) {
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => place.schema[name] !== undefined);
    if (keyword === undefined) continue;
    const { [keyword]: branches, ...rest } = place.schema;
    const common = places.with(index, { ...place, schema: rest });
    return {
      rule: ruleId(place, keyword),
      branches: toList(branches).map((_branch, branchIndex) => {
        const branchPlaces = flatten(contract, extendPointer(place.pointer, keyword, branchIndex));
        return { contract, places: [...common, ...branchPlaces] };
      }),
    };
  }
  return undefined;
}

/** The schema without oneOf and anyOf: one for each combination of branches; the schema itself when it has neither. */
export function allBranchesOf(schema: Schema): readonly Schema[] {
  const choice = choiceOf(schema);
  return choice ? choice.branches.flatMap(allBranchesOf) : [schema];
}

/** For each `not`: the schema with the negated one as a requirement instead; values of this `opposite` break it. */
export function negationsOf(schema: Schema, keyword: 'not'): { readonly rule: string; readonly opposite: Schema }[] {
  const { contract, places } = schema;
  return rulesOf(schema, keyword).map(({ place }) => {
    const rest = { ...place, schema: withoutKeyword(place.schema, keyword) };
    const others = places.map((other) => (other === place ? rest : other));
    const negated = flatten(contract, extendPointer(place.pointer, keyword));
    return { rule: ruleId(place, keyword), opposite: { contract, places: [...others, ...negated] } };
  });
}

// Merged from all schema objects that have the keyword; undefined when none has it, or only as true or false.
function childOf(schema: Schema, keyword: string): Schema | undefined {
  const pointers = rulesOf(schema, keyword)
    .filter(({ value }) => isJsonObject(value))
    .map(({ place }) => extendPointer(place.pointer, keyword));
  return pointers.length > 0 ? mergeSchemas(schema, pointers) : undefined;
}

// A name can occur several times, since several schema objects may declare it.
function childrenOf(schema: Schema, keyword: string): [name: string, pointer: string][] {
  return rulesOf(schema, keyword).flatMap(({ value, place }) =>
    Object.keys(value as JsonObject).map((name): [string, string] => [
      name,
      extendPointer(place.pointer, keyword, name),
    ]),
  );
}

function mergeSchemas({ contract }: Schema, pointers: readonly string[]): Schema {
  return { contract, places: pointers.flatMap((pointer) => flatten(contract, pointer)) };
}

/** Removes undeclared properties at all depths; objects that declare none and arrays without `items` stay whole. */
export function keepNamed<T>(schema: Schema, value: T): T {
  const items = itemsOf(schema);
  if (Array.isArray(value)) return (items ? value.map((item: unknown) => keepNamed(items, item)) : value) as T;
  const properties = propertiesOf(schema);
  if (typeof value !== 'object' || value === null || properties.size === 0) return value;
  const kept = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const property = properties.get(name);
    return property ? [[name, keepNamed(property, member)] as const] : [];
  });
  return Object.fromEntries(kept) as T;
}
