import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { extendPointer, resolvePointer } from './pointer';
import { resolve, toList, type Contract } from './read-contract';
import { attempt, type Untriable } from './untried';

/** One schema object of the contract, and its pointer. */
export interface Place {
  readonly schema: JsonObject;
  readonly pointer: string;
  /** Why the suite cannot read it. */
  readonly untriable?: Untriable;
}

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

// Ignore limits above these: only a body too large for any server reaches them.
const OUT_OF_REACH: Readonly<Record<string, number>> = { maxLength: 100_000, maxItems: 1_000, maxProperties: 1_000 };

export function readSchema(contract: Contract, pointer: string): Schema {
  return { contract, places: flatten(contract, pointer) };
}

export function rulesOf(schema: Schema, keyword: string): Rule[] {
  return schema.places.flatMap((place) => {
    const value = place.schema[keyword];
    const isBeyond = Number(value) > (OUT_OF_REACH[keyword] ?? Infinity);
    return value === undefined || isBeyond ? [] : [{ value, place }];
  });
}

/** Names a rule by its pointer and keyword, for coverage. */
export function ruleId({ pointer }: Place, name: string): string {
  return `${pointer} ${name}`;
}

export function ruleIds(schema: Schema, ...keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ place }) => ruleId(place, keyword)));
}

/** The types that a value may have; all types when the contract does not say. */
export function typesOf(schema: Schema): ReadonlySet<TypeName> {
  const lists = rulesOf(schema, 'type').map(({ value }) => new Set(toList(value)));
  const allows = (type: TypeName): boolean =>
    lists.every((list) => list.has(type) || (type === 'integer' && list.has('number')));
  const allowed = TYPES.filter(allows);
  // `number` includes `integer`.
  return new Set(allowed.filter((type) => type !== 'integer' || !allowed.includes('number')));
}

/** The declared properties, each with the schemas of all places. */
export function propertiesOf(schema: Schema): Map<string, Schema> {
  const named = childrenOf(schema, 'properties');
  const names = new Set(named.map(([name]) => name));
  return new Map(
    [...names].map((name) => [
      name,
      mergeSchemas(
        schema,
        named.filter(([other]) => other === name).map(([, at]) => at),
      ),
    ]),
  );
}

/** The required properties, and the rules that require them. */
export function requiredOf(schema: Schema): Map<string, string[]> {
  const required = new Map<string, string[]>();
  for (const { value, place } of rulesOf(schema, 'required')) {
    for (const name of toList(value) as string[]) {
      required.set(name, [...(required.get(name) ?? []), ruleId(place, `required ${name}`)]);
    }
  }
  return required;
}

/** Whether a property is readOnly: only replies have it. */
export function isReadOnly(property: Schema): boolean {
  return rulesOf(property, 'readOnly').some(({ value }) => value === true);
}

/** Whether a property is writeOnly: only requests have it. */
export function isWriteOnly(property: Schema): boolean {
  return rulesOf(property, 'writeOnly').some(({ value }) => value === true);
}

/** The properties that a request may have: all but readOnly ones. */
export function sentProperties(schema: Schema): Map<string, Schema> {
  return new Map([...propertiesOf(schema)].filter(([, property]) => !isReadOnly(property)));
}

/** The properties that a request must have, and the rules that require them. */
export function sentRequired(schema: Schema): Map<string, string[]> {
  const own = propertiesOf(schema);
  return new Map(
    [...requiredOf(schema)].filter(([name]) => {
      const property = own.get(name);
      return !property || !isReadOnly(property);
    }),
  );
}

/** The schema of the items of an array; undefined without one. */
export function itemsOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'items');
}

/** The schema of additional properties; false when they are forbidden, undefined when the contract does not say. */
export function additionalOf(schema: Schema): Schema | boolean | undefined {
  const rules = rulesOf(schema, 'additionalProperties');
  if (rules.some(({ value }) => value === false)) return false;
  return childOf(schema, 'additionalProperties') ?? (rules.length > 0 ? true : undefined);
}

/** The patterns of `patternProperties`, and their schemas. */
export function patternsOf(schema: Schema): [pattern: string, Schema][] {
  return childrenOf(schema, 'patternProperties').map(([pattern, at]) => [pattern, mergeSchemas(schema, [at])]);
}

/** The first oneOf or anyOf, with each branch merged into the rest of the schema; undefined without one. */
export function choiceOf(schema: Schema): { readonly rule: string; readonly branches: readonly Schema[] } | undefined {
  for (const [index, place] of schema.places.entries()) {
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => place.schema[name] !== undefined);
    if (keyword === undefined) continue;
    const { [keyword]: branches, ...rest } = place.schema;
    const others = schema.places.with(index, { ...place, schema: rest });
    return {
      rule: ruleId(place, keyword),
      branches: toList(branches).map((_branch, branch) => ({
        contract: schema.contract,
        places: [...others, ...flatten(schema.contract, extendPointer(place.pointer, keyword, branch))],
      })),
    };
  }
  return undefined;
}

/** All branches of nested oneOf and anyOf. */
export function allBranchesOf(schema: Schema): readonly Schema[] {
  const choice = choiceOf(schema);
  return choice ? choice.branches.flatMap(allBranchesOf) : [schema];
}

/**
 * For each `not`: the schema without it, but with its negated schema added. Values that fit the result break the `not`.
 */
export function negationsOf(schema: Schema, keyword: 'not'): { readonly rule: string; readonly opposite: Schema }[] {
  return rulesOf(schema, keyword).map(({ place }) => {
    const rest = { ...place, schema: without(place.schema, keyword) };
    const others = schema.places.map((other) => (other === place ? rest : other));
    const opposite = flatten(schema.contract, extendPointer(place.pointer, keyword));
    return { rule: ruleId(place, keyword), opposite: { contract: schema.contract, places: [...others, ...opposite] } };
  });
}

function childOf(schema: Schema, keyword: string): Schema | undefined {
  const at = rulesOf(schema, keyword)
    .filter(({ value }) => isJsonObject(value))
    .map(({ place }) => extendPointer(place.pointer, keyword));
  return at.length > 0 ? mergeSchemas(schema, at) : undefined;
}

function childrenOf(schema: Schema, keyword: string): [name: string, pointer: string][] {
  return rulesOf(schema, keyword).flatMap(({ value, place }) =>
    Object.keys(value as JsonObject).map((name): [string, string] => [
      name,
      extendPointer(place.pointer, keyword, name),
    ]),
  );
}

// All given schemas apply to the same value.
function mergeSchemas({ contract }: Schema, pointers: readonly string[]): Schema {
  return { contract, places: pointers.flatMap((pointer) => flatten(contract, pointer)) };
}

// Cache: the contract never changes.
const flattened = new WeakMap<Contract, Map<string, readonly Place[]>>();

function flatten(contract: Contract, pointer: string): readonly Place[] {
  const known = flattened.get(contract) ?? new Map<string, readonly Place[]>();
  flattened.set(contract, known);
  const places = known.get(pointer);
  if (places) return places;
  // A schema that contains itself in allOf ends here.
  known.set(pointer, []);
  const all = flattenAt(contract, pointer);
  known.set(pointer, all);
  return all;
}

function flattenAt(contract: Contract, pointer: string): readonly Place[] {
  const target = readTarget(contract, pointer);
  const parts = toList(target.value['allOf']).flatMap((_part, index) =>
    flatten(contract, extendPointer(target.pointer, 'allOf', index)),
  );
  const beside = contract.hasSiblings && target.pointer !== pointer ? flattenBeside(contract, pointer) : [];
  const { value: schema, ...place } = target;
  return [...beside, { schema, ...place }, ...parts];
}

function readTarget(contract: Contract, pointer: string): Omit<Place, 'schema'> & { readonly value: JsonObject } {
  return attempt<ReturnType<typeof readTarget>>(
    () => resolve(contract, pointer),
    (untriable) => ({ value: {}, pointer, untriable }),
  );
}

// The keywords beside a $ref.
function flattenBeside(contract: Contract, pointer: string): Place[] {
  const schema = without(resolvePointer(contract.root, pointer) as JsonObject, '$ref');
  return Object.keys(schema).length > 0 ? [{ schema, pointer }] : [];
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/** Removes undeclared properties from a value; lists and objects without a schema stay whole. */
export function keepNamed<T>(schema: Schema, value: T): T {
  const items = itemsOf(schema);
  if (Array.isArray(value)) return (items ? value.map((item: unknown) => keepNamed(items, item)) : value) as T;
  const named = propertiesOf(schema);
  if (typeof value !== 'object' || value === null || named.size === 0) return value;
  const kept = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const property = named.get(name);
    return property ? [[name, keepNamed(property, member)] as const] : [];
  });
  return Object.fromEntries(kept) as T;
}
