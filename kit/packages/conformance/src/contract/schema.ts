import { isJsonList, isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { schemaObjectsAt, uniqueByPointer, type SchemaObject } from './flatten';
import { matches } from './pattern';
import { extendPointer } from './pointer';
import { isMalformed, toList, TYPES, type Contract, type ResolvedObject } from './read-contract';
import { enterRecursion, followRecursion, type Recursion } from './recursion';

/** All schema objects that apply to the same value: a schema, its reference targets and its `allOf` items. */
export interface Schema {
  readonly contract: Contract;
  readonly schemaObjects: readonly SchemaObject[];
  /** Undefined for a schema that is not recursive. */
  readonly recursion: Recursion | undefined;
  /** Number of combinations of union members; this schema is one of them, or has the rules of several. */
  readonly alternatives: number;
}

/** Returns the same key for equal schemas. */
export function schemaKey({ schemaObjects }: Schema): string {
  return schemaObjects
    .map(({ pointer, isWithoutConditions, absentProperties = [] }) =>
      [pointer, ...(isWithoutConditions ? ['reduced'] : []), ...absentProperties].join(' '),
    )
    .join();
}

/** Whether the schema repeats an enclosing one, so that its values should be as small as possible. */
export function isRecursive({ recursion }: Schema): boolean {
  return recursion !== undefined && recursion.excess > 0;
}

/** The value of a keyword, and the schema object that contains it. */
export interface Rule {
  readonly value: Json;
  readonly schemaObject: SchemaObject;
}

export type TypeName = (typeof TYPES)[number];

// Higher limits than these are ignored, because a body that reaches one is too large for most servers.
const MAX_LIMITS: Readonly<Record<string, number>> = { maxLength: 100_000, maxItems: 1_000, maxProperties: 1_000 };

/** Returns a schema without rules if the parameter, header or media type declares none. */
export function readSchema({ contract, value, pointer }: ResolvedObject): Schema {
  const emptySchema: Schema = { contract, schemaObjects: [], recursion: undefined, alternatives: 1 };
  return value['schema'] === undefined ? emptySchema : mergeSchemas(emptySchema, [extendPointer(pointer, 'schema')]);
}

export function rulesOf(schema: Schema, keyword: string): Rule[] {
  const limit = MAX_LIMITS[keyword];
  return schema.schemaObjects.flatMap((schemaObject) => {
    const value = schemaObject.keywords[keyword];
    const exceedsLimit = limit !== undefined && Number(value) > limit;
    return value === undefined || exceedsLimit || isMalformed(keyword, value) ? [] : [{ value, schemaObject }];
  });
}

export function limitsOf(schema: Schema, keyword: string): number[] {
  return rulesOf(schema, keyword).map(({ value }) => Number(value));
}

export function rangeOf(
  schema: Schema,
  noun: 'Items' | 'Length' | 'Properties' | 'Contains',
): { readonly min: number; readonly max: number } {
  return {
    min: Math.max(0, ...limitsOf(schema, `min${noun}`)),
    max: Math.min(Infinity, ...limitsOf(schema, `max${noun}`)),
  };
}

export function hasRule(schema: Schema, keyword: string, expected: Json): boolean {
  return rulesOf(schema, keyword).some(({ value }) => value === expected);
}

/** Returns the JSON pointers of the schema objects that have one of the keywords. */
export function pointersOf(schema: Schema, ...keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ schemaObject }) => schemaObject.pointer));
}

/** Returns all types if the contract does not restrict them. `number` includes `integer`. */
export function typesOf(schema: Schema): ReadonlySet<TypeName> {
  const lists = rulesOf(schema, 'type').map(({ value }) => new Set(toList(value)));
  const allowedTypes = TYPES.filter((type) =>
    lists.every((list) => list.has(type) || (type === 'integer' && list.has('number'))),
  );
  return new Set(allowedTypes.includes('number') ? allowedTypes.filter((type) => type !== 'integer') : allowedTypes);
}

/** Whether the contract restricts the type, or lists the values. */
export function isTyped(schema: Schema): boolean {
  return pointersOf(schema, 'type', 'enum', 'const').length > 0;
}

/** Merges the rules for a property that several schema objects declare. */
export function propertiesOf(schema: Schema): Map<string, Schema> {
  const absentProperties = schema.schemaObjects.flatMap((schemaObject) => schemaObject.absentProperties ?? []);
  const presentChildren = childrenOf(schema, 'properties').filter(([name]) => !absentProperties.includes(name));
  const declarations = Map.groupBy(presentChildren, ([name]) => name);
  return new Map(
    [...declarations].map(([name, children]) => {
      const pointers = children.map(([, pointer]) => pointer);
      return [name, mergeSchemas(schema, pointers)];
    }),
  );
}

/** Maps each name to the pointer of the first schema object that requires it. */
export function requiredOf(schema: Schema): Map<string, string> {
  const required = new Map<string, string>();
  for (const { value, schemaObject } of rulesOf(schema, 'required')) {
    for (const name of toList(value) as string[]) if (!required.has(name)) required.set(name, schemaObject.pointer);
  }
  return required;
}

/** Returns an entry for each property that requires another one. */
export function dependentRequiredOf(
  schema: Schema,
): { readonly name: string; readonly needed: string; readonly pointer: string }[] {
  return rulesOf(schema, 'dependentRequired').flatMap(({ value, schemaObject }) =>
    Object.entries(value as JsonObject).flatMap(([name, needed]) =>
      toList(needed).map((other) => ({ name, needed: toText(other), pointer: schemaObject.pointer })),
    ),
  );
}

/** Returns the values under `example` and `examples`. */
export function examplesOf({ schemaObjects }: Schema): Json[] {
  return schemaObjects.flatMap(({ keywords: { example, examples } }) =>
    [example, ...(isJsonList(examples) ? examples : [])].filter((value) => value !== undefined),
  );
}

export function isReadOnly(property: Schema): boolean {
  return hasRule(property, 'readOnly', true);
}

export function isWriteOnly(property: Schema): boolean {
  return hasRule(property, 'writeOnly', true);
}

export function requestPropertiesOf(schema: Schema, properties = propertiesOf(schema)): Map<string, Schema> {
  return new Map([...properties].filter(([, property]) => !isReadOnly(property)));
}

export function requiredInRequestOf(schema: Schema): Map<string, string> {
  const properties = propertiesOf(schema);
  const isInRequest = (name: string): boolean => {
    const property = properties.get(name);
    return !property || !isReadOnly(property);
  };
  return new Map([...requiredOf(schema)].filter(([name]) => isInRequest(name)));
}

/** Returns the schema for items that `prefixItems` does not cover. */
export function itemsOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'items') ?? childOf(schema, 'unevaluatedItems');
}

/** Returns undefined if the contract does not describe the item, or forbids it. */
export function itemOf(schema: Schema, index: number): Schema | undefined {
  const pointers = schema.schemaObjects.flatMap(({ keywords: { prefixItems, items }, pointer }) => {
    if (index < toList(prefixItems).length) return [extendPointer(pointer, 'prefixItems', index)];
    return items === undefined ? [] : [extendPointer(pointer, 'items')];
  });
  if (forbidsItem(schema, index)) return undefined;
  return pointers.length > 0 ? mergeSchemas(schema, pointers) : childOf(schema, 'unevaluatedItems');
}

export function forbidsItem(schema: Schema, index: number): boolean {
  const isPrefix = ({ keywords: { prefixItems } }: SchemaObject): boolean => index < toList(prefixItems).length;
  const isClosed = schema.schemaObjects.some(
    (schemaObject) => schemaObject.keywords['items'] === false && !isPrefix(schemaObject),
  );
  const isEvaluated = rulesOf(schema, 'items').length > 0 || schema.schemaObjects.some(isPrefix);
  return isClosed || (!isEvaluated && schemaOrBooleanOf(schema, 'unevaluatedItems') === false);
}

export function prefixLengthOf(schema: Schema): number {
  return Math.max(0, ...rulesOf(schema, 'prefixItems').map(({ value }) => toList(value).length));
}

/** Returns true if any additional property is allowed, false if none is, and undefined if the contract does not say. */
export function additionalOf(schema: Schema): Schema | boolean | undefined {
  const additionalProperties = schemaOrBooleanOf(schema, 'additionalProperties');
  return additionalProperties ?? schemaOrBooleanOf(schema, 'unevaluatedProperties');
}

function schemaOrBooleanOf(schema: Schema, keyword: string): Schema | boolean | undefined {
  const rules = rulesOf(schema, keyword);
  if (rules.length === 0) return undefined;
  return rules.some(({ value }) => value === false) ? false : (childOf(schema, keyword) ?? true);
}

export function patternsOf(schema: Schema): [pattern: string, Schema][] {
  return childrenOf(schema, 'patternProperties').map(([pattern, pointer]) => [
    pattern,
    mergeSchemas(schema, [pointer]),
  ]);
}

/** Looks for a declared property, then a pattern, then additional properties. For booleans, see `additionalOf`. */
export function schemaOfMember(schema: Schema, name: string): Schema | boolean | undefined {
  const declared = propertiesOf(schema).get(name);
  if (declared) return declared;
  const matchingPattern = patternsOf(schema).find(([pattern]) => matches(pattern, name, '#'));
  return matchingPattern?.[1] ?? additionalOf(schema);
}

/** Merges the subschemas that all schema objects have under a keyword such as `contains`. */
export function childOf(schema: Schema, keyword: string): Schema | undefined {
  const pointers = rulesOf(schema, keyword)
    .filter(({ value }) => isJsonObject(value))
    .map(({ schemaObject }) => extendPointer(schemaObject.pointer, keyword));
  return pointers.length > 0 ? mergeSchemas(schema, pointers) : undefined;
}

/** Returns a name several times if several schema objects declare it. */
export function childrenOf(schema: Schema, keyword: string): [name: string, pointer: string][] {
  return rulesOf(schema, keyword).flatMap(({ value, schemaObject }) =>
    Object.keys(value as JsonObject).map((name): [string, string] => [
      name,
      extendPointer(schemaObject.pointer, keyword, name),
    ]),
  );
}

function mergeSchemas(schema: Schema, pointers: readonly string[]): Schema {
  const { contract } = schema;
  const schemaObjects = uniqueByPointer(pointers.flatMap((pointer) => schemaObjectsAt(contract, pointer)));
  const recursion = followRecursion(schema, schemaObjects, enterRecursion(contract, schemaObjects));
  return { contract, schemaObjects, recursion, alternatives: 1 };
}

/** Removes undeclared properties at every depth, except from objects whose schema declares no properties. */
export function dropUndeclared<T>(schema: Schema, value: T): T {
  const dropUndeclaredInItem = (item: unknown, index: number): unknown => {
    const itemSchema = itemOf(schema, index);
    return itemSchema ? dropUndeclared(itemSchema, item) : item;
  };
  if (Array.isArray(value)) return value.map(dropUndeclaredInItem) as T;
  const properties = propertiesOf(schema);
  if (typeof value !== 'object' || value === null || properties.size === 0) return value;
  const declaredMembers = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const property = properties.get(name);
    return property ? [[name, dropUndeclared(property, member)] as const] : [];
  });
  return Object.fromEntries(declaredMembers) as T;
}
