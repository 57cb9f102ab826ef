// Reads the schemas of a contract: the rules that apply to one value, and the schemas of its parts.
import { isJsonList, isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { schemaObjectsAt, uniqueByPointer, type SchemaObject } from './flatten';
import { matches } from './pattern';
import { extendPointer } from './pointer';
import { isMalformed, toList, TYPES, type Contract, type ResolvedObject } from './read-contract';
import { enterRecursion, followRecursion, type Recursion } from './recursion';

/** All schema objects that apply to one value: a schema, what it refers to, and what `allOf` adds. */
export interface Schema {
  readonly contract: Contract;
  readonly schemaObjects: readonly SchemaObject[];
  /** Undefined for a schema that does not lead back to itself. */
  readonly recursion: Recursion | undefined;
  /** How many combinations of union members there are, of which this schema is one. */
  readonly alternatives: number;
}

/** A key that equal schemas share. */
export function schemaKey({ schemaObjects }: Schema): string {
  return schemaObjects
    .map(({ pointer, isWithoutConditions, absentProperties = [] }) =>
      [pointer, ...(isWithoutConditions ? ['reduced'] : []), ...absentProperties].join(' '),
    )
    .join();
}

/** Whether the schemas around a value lead back to this one, so that the value has to end. */
export function isRecursive({ recursion }: Schema): boolean {
  return recursion !== undefined && recursion.excess > 0;
}

/** The value of a keyword in one schema object. */
export interface Rule {
  readonly value: Json;
  readonly schemaObject: SchemaObject;
}

export type TypeName = (typeof TYPES)[number];

// Limits above these are ignored: only a body too large for any server reaches them.
const MAX_LIMITS: Readonly<Record<string, number>> = { maxLength: 100_000, maxItems: 1_000, maxProperties: 1_000 };

/** A parameter, header or media type without a schema gets one without rules. */
export function readSchema({ contract, value, pointer }: ResolvedObject): Schema {
  const unrestricted: Schema = { contract, schemaObjects: [], recursion: undefined, alternatives: 1 };
  return value['schema'] === undefined ? unrestricted : mergeSchemas(unrestricted, [extendPointer(pointer, 'schema')]);
}

export function rulesOf(schema: Schema, keyword: string): Rule[] {
  const limit = MAX_LIMITS[keyword];
  return schema.schemaObjects.flatMap((schemaObject) => {
    const value = schemaObject.keywords[keyword];
    const isOutOfReach = limit !== undefined && Number(value) > limit;
    return value === undefined || isOutOfReach || isMalformed(keyword, value) ? [] : [{ value, schemaObject }];
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

/** The JSON pointers of the schema objects that have one of the keywords. */
export function pointersOf(schema: Schema, ...keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ schemaObject }) => schemaObject.pointer));
}

/** Returns all types when the contract does not say. `number` includes `integer`. */
export function typesOf(schema: Schema): ReadonlySet<TypeName> {
  // A value must be of a type that every list allows.
  const lists = rulesOf(schema, 'type').map(({ value }) => new Set(toList(value)));
  const allowed = TYPES.filter((type) =>
    lists.every((list) => list.has(type) || (type === 'integer' && list.has('number'))),
  );
  return new Set(allowed.includes('number') ? allowed.filter((type) => type !== 'integer') : allowed);
}

/** Whether the contract restricts the type, or lists the values. */
export function isTyped(schema: Schema): boolean {
  return pointersOf(schema, 'type', 'enum', 'const').length > 0;
}

/** If several schema objects declare a property, all of their rules apply to it. */
export function propertiesOf(schema: Schema): Map<string, Schema> {
  const absentProperties = schema.schemaObjects.flatMap((schemaObject) => schemaObject.absentProperties ?? []);
  const present = childrenOf(schema, 'properties').filter(([name]) => !absentProperties.includes(name));
  const declarations = Map.groupBy(present, ([name]) => name);
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

/** Lists each property that needs another one because of `dependentRequired`. */
export function dependentRequiredOf(
  schema: Schema,
): { readonly name: string; readonly needed: string; readonly pointer: string }[] {
  return rulesOf(schema, 'dependentRequired').flatMap(({ value, schemaObject }) =>
    Object.entries(value as JsonObject).flatMap(([name, needed]) =>
      toList(needed).map((other) => ({ name, needed: toText(other), pointer: schemaObject.pointer })),
    ),
  );
}

/** The values that the contract gives as examples of a schema. */
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

export function requestPropertiesOf(schema: Schema): Map<string, Schema> {
  return new Map([...propertiesOf(schema)].filter(([, property]) => !isReadOnly(property)));
}

export function requiredInRequestOf(schema: Schema): Map<string, string> {
  const properties = propertiesOf(schema);
  const isSent = (name: string): boolean => {
    const property = properties.get(name);
    return !property || !isReadOnly(property);
  };
  return new Map([...requiredOf(schema)].filter(([name]) => isSent(name)));
}

/** The schema of items after those of `prefixItems`. */
export function itemsOf(schema: Schema): Schema | undefined {
  return childOf(schema, 'items') ?? childOf(schema, 'unevaluatedItems');
}

/** Returns undefined when the contract does not describe the item, or forbids it. */
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

/** True allows any additional property, and false none; undefined when the contract does not say. */
export function additionalOf(schema: Schema): Schema | boolean | undefined {
  const additional = schemaOrBooleanOf(schema, 'additionalProperties');
  return additional ?? schemaOrBooleanOf(schema, 'unevaluatedProperties');
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

/** The schema of a property, a pattern or additional properties; for booleans and undefined, see `additionalOf`. */
export function schemaOfMember(schema: Schema, name: string): Schema | boolean | undefined {
  const declared = propertiesOf(schema).get(name);
  if (declared) return declared;
  const matching = patternsOf(schema).find(([pattern]) => matches(pattern, name, '#'));
  return matching?.[1] ?? additionalOf(schema);
}

/** Merges what all schema objects have under a keyword such as `contains`. */
export function childOf(schema: Schema, keyword: string): Schema | undefined {
  const pointers = rulesOf(schema, keyword)
    .filter(({ value }) => isJsonObject(value))
    .map(({ schemaObject }) => extendPointer(schemaObject.pointer, keyword));
  return pointers.length > 0 ? mergeSchemas(schema, pointers) : undefined;
}

/** A name occurs once for each schema object that declares it. */
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

/** Removes undeclared properties at all depths. Objects that declare none and arrays without `items` stay whole. */
export function dropUndeclared<T>(schema: Schema, value: T): T {
  const keepInItem = (item: unknown, index: number): unknown => {
    const itemSchema = itemOf(schema, index);
    return itemSchema ? dropUndeclared(itemSchema, item) : item;
  };
  if (Array.isArray(value)) return value.map(keepInItem) as T;
  const properties = propertiesOf(schema);
  if (typeof value !== 'object' || value === null || properties.size === 0) return value;
  const declaredMembers = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const property = properties.get(name);
    return property ? [[name, dropUndeclared(property, member)] as const] : [];
  });
  return Object.fromEntries(declaredMembers) as T;
}
