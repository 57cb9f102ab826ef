// Reads the schemas of a contract: the rules that apply to one value, and the schemas of its parts.
import { isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
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
  const limit = MAX_LIMITS[keyword];
  return schema.places.flatMap((place) => {
    const value = place.schema[keyword];
    const isOutOfReach = limit !== undefined && Number(value) > limit;
    return value === undefined || isOutOfReach ? [] : [{ value, place }];
  });
}

/** The limits that schema objects have by a keyword, such as each `minItems`. */
export function limitsOf(schema: Schema, keyword: string): number[] {
  return rulesOf(schema, keyword).map(({ value }) => Number(value));
}

export function hasRule(schema: Schema, keyword: string, wanted: Json): boolean {
  return rulesOf(schema, keyword).some(({ value }) => value === wanted);
}

/** The JSON pointers of the schema objects that have one of the keywords. */
export function pointersOf(schema: Schema, ...keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ place }) => place.pointer));
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
  const absent = schema.places.flatMap((place) => place.absent ?? []);
  const present = childrenOf(schema, 'properties').filter(([name]) => !absent.includes(name));
  const declarations = Map.groupBy(present, ([name]) => name);
  return new Map(
    [...declarations].map(([name, children]) => {
      const pointers = children.map(([, pointer]) => pointer);
      return [name, mergeSchemas(schema, pointers)];
    }),
  );
}

/** The required properties, each with the JSON pointer of the first schema object that requires it. */
export function requiredOf(schema: Schema): Map<string, string> {
  const required = new Map<string, string>();
  for (const { value, place } of rulesOf(schema, 'required')) {
    for (const name of toList(value) as string[]) if (!required.has(name)) required.set(name, place.pointer);
  }
  return required;
}

/** Of `dependentRequired`, each property that another one needs, and the JSON pointer of the schema object. */
export function dependentOf(
  schema: Schema,
): { readonly name: string; readonly needed: string; readonly pointer: string }[] {
  return rulesOf(schema, 'dependentRequired').flatMap(({ value, place }) =>
    Object.entries(value as JsonObject).flatMap(([name, needed]) =>
      toList(needed).map((other) => ({ name, needed: toText(other), pointer: place.pointer })),
    ),
  );
}

export function isReadOnly(property: Schema): boolean {
  return hasRule(property, 'readOnly', true);
}

export function isWriteOnly(property: Schema): boolean {
  return hasRule(property, 'writeOnly', true);
}

/** The properties that a request may have: all but readOnly ones. */
export function sentProperties(schema: Schema): Map<string, Schema> {
  return new Map([...propertiesOf(schema)].filter(([, property]) => !isReadOnly(property)));
}

/** What a request must have: all that `requiredOf` returns but readOnly properties. */
export function sentRequired(schema: Schema): Map<string, string> {
  const properties = propertiesOf(schema);
  const isSent = (name: string): boolean => {
    const property = properties.get(name);
    return !property || !isReadOnly(property);
  };
  return new Map([...requiredOf(schema)].filter(([name]) => isSent(name)));
}

/** The schema of all items that `prefixItems` has no place for. */
export function itemsOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'items') ?? childOf(schema, 'unevaluatedItems');
}

/** The schema of one item; undefined when the contract does not say, or forbids it. */
export function itemOf(schema: Schema, index: number): Schema | undefined {
  const pointers = schema.places.flatMap(({ schema: { prefixItems, items }, pointer }) => {
    if (index < toList(prefixItems).length) return [extendPointer(pointer, 'prefixItems', index)];
    return items === undefined ? [] : [extendPointer(pointer, 'items')];
  });
  if (forbidsItem(schema, index)) return undefined;
  return pointers.length > 0 ? mergeSchemas(schema, pointers) : childOf(schema, 'unevaluatedItems');
}

export function forbidsItem(schema: Schema, index: number): boolean {
  const isPrefix = ({ schema: { prefixItems } }: Place): boolean => index < toList(prefixItems).length;
  const isClosed = schema.places.some((place) => place.schema['items'] === false && !isPrefix(place));
  const isEvaluated = rulesOf(schema, 'items').length > 0 || schema.places.some(isPrefix);
  return isClosed || (!isEvaluated && restOf(schema, 'unevaluatedItems') === false);
}

/** How many items have a schema of their own. */
export function prefixLengthOf(schema: Schema): number {
  return Math.max(0, ...rulesOf(schema, 'prefixItems').map(({ value }) => toList(value).length));
}

/** What an item must match that `contains` counts; undefined when the contract does not say. */
export function containedOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'contains');
}

/** The schema that names of properties have. */
export function namesOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'propertyNames');
}

/** True when any are allowed, false when they are forbidden, undefined when the contract does not say. */
export function additionalOf(schema: Schema): Schema | boolean | undefined {
  const additional = restOf(schema, 'additionalProperties');
  return additional ?? restOf(schema, 'unevaluatedProperties');
}

function restOf(schema: Schema, keyword: string): Schema | boolean | undefined {
  const rules = rulesOf(schema, keyword);
  if (rules.length === 0) return undefined;
  return rules.some(({ value }) => value === false) ? false : (childOf(schema, keyword) ?? true);
}

export function patternsOf(schema: Schema): [pattern: string, Schema][] {
  return childrenOf(schema, 'patternProperties').map(([pattern, at]) => [pattern, mergeSchemas(schema, [at])]);
}

/** The union of a oneOf, an anyOf or conditions: its members, each merged with the rest of the schema. */
export interface Union {
  readonly keyword: string;
  readonly members: readonly Schema[];
}

/** The union of the first oneOf or anyOf, or else that of the conditions. */
export function unionOf(schema: Schema): Union | undefined {
  const { contract, places } = schema;
  for (const [index, place] of places.entries()) {
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => place.schema[name] !== undefined);
    if (keyword === undefined) continue;
    const { [keyword]: members, ...rest } = place.schema;
    const common = places.with(index, { ...place, schema: rest });
    return {
      keyword,
      members: toList(members).map((_member, memberIndex) => {
        const memberPlaces = flatten(contract, extendPointer(place.pointer, keyword, memberIndex));
        return { contract, places: [...common, ...memberPlaces] };
      }),
    };
  }
  return conditionsOf(schema);
}

// A union member where each `if` holds, one where none does, each with all of `dependentSchemas`, and one without these.
function conditionsOf(schema: Schema): Union | undefined {
  const { contract, places } = schema;
  const hasIf = rulesOf(schema, 'if').length > 0;
  if (!hasIf && rulesOf(schema, 'dependentSchemas').length === 0) return undefined;
  const common = places.map((place) => ({
    ...place,
    isReduced: true,
    schema: withoutKeyword(place.schema, 'if', 'then', 'else', 'dependentSchemas'),
  }));
  const createMember = (pointers: readonly string[]): Schema => ({
    contract,
    places: [...common, ...pointers.flatMap((pointer) => flatten(contract, pointer))],
  });
  const whereTrue = rulesOf(schema, 'if').map(({ place: { schema: keywords, pointer } }) =>
    ['if', 'then'].filter((name) => keywords[name] !== undefined).map((name) => extendPointer(pointer, name)),
  );
  const whereFalse = rulesOf(schema, 'else').map(({ place: { pointer } }) => extendPointer(pointer, 'else'));
  const dependent = childrenOf(schema, 'dependentSchemas');
  const absent = dependent.map(([name]) => name);
  const ofDependent = dependent.map(([, pointer]) => pointer);
  return {
    keyword: hasIf ? 'if' : 'dependentSchemas',
    members: [
      ...[...whereTrue, whereFalse].map((pointers) => createMember([...pointers, ...ofDependent])),
      ...(dependent.length === 0 ? [] : [{ contract, places: common.map((place) => ({ ...place, absent })) }]),
    ],
  };
}

/** The schema without oneOf and anyOf: one for each combination of members; the schema itself when it has neither. */
export function unionMembersOf(schema: Schema): readonly Schema[] {
  const union = unionOf(schema);
  return union ? union.members.flatMap(unionMembersOf) : [schema];
}

/** For each `not`: the schema with the negated one as a requirement instead; values of this `opposite` break it. */
export function negationsOf(schema: Schema, keyword: 'not'): { readonly pointer: string; readonly opposite: Schema }[] {
  const { contract, places } = schema;
  return rulesOf(schema, keyword).map(({ place }) => {
    const rest = { ...place, schema: withoutKeyword(place.schema, keyword) };
    const others = places.map((other) => (other === place ? rest : other));
    const negated = flatten(contract, extendPointer(place.pointer, keyword));
    return { pointer: place.pointer, opposite: { contract, places: [...others, ...negated] } };
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
  const keepInItem = (item: unknown, index: number): unknown => {
    const itemSchema = itemOf(schema, index);
    return itemSchema ? keepNamed(itemSchema, item) : item;
  };
  if (Array.isArray(value)) return value.map(keepInItem) as T;
  const properties = propertiesOf(schema);
  if (typeof value !== 'object' || value === null || properties.size === 0) return value;
  const kept = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const property = properties.get(name);
    return property ? [[name, keepNamed(property, member)] as const] : [];
  });
  return Object.fromEntries(kept) as T;
}
