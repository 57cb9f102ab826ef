// Finds the schemas that inherit from a schema with a discriminator.
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { COMPONENT_SCHEMAS, findReferenced } from './find';
import { extendPointer } from './pointer';

/** A Discriminator Object: the value of the property selects the schema of an object. */
export interface Discriminator {
  readonly property: string;
  /** From each value of the property to a reference or the name of a component schema; empty without `mapping`. */
  readonly mapping: JsonObject;
}

/** A parent, which is a component schema with a discriminator, and its children: the schemas that inherit from it. */
export interface Family {
  /** The reference to the parent, such as `#/components/schemas/Pet`. */
  readonly parent: string;
  readonly discriminator: Discriminator;
  readonly hasMapping: boolean;
  /** References to the schemas in the mapping, and to those with the parent in their allOf. */
  readonly children: readonly string[];
}

export function toDiscriminator(written: Json | undefined): Discriminator | undefined {
  if (!isJsonObject(written) || typeof written['propertyName'] !== 'string') return undefined;
  const { propertyName, mapping } = written;
  return { property: propertyName, mapping: objectOrEmpty(mapping) };
}

/** Converts a value of a discriminator's mapping: `Cat` becomes `#/components/schemas/Cat`; a reference stays. */
export function toReference(mapped: Json): string {
  const target = toText(mapped);
  return target.startsWith('#') ? target : COMPONENT_SCHEMAS + target;
}

/** The families, by references to their parents such as `#/components/schemas/Pet`. */
export function findFamilies(root: JsonObject): ReadonlyMap<string, Family> {
  const components = Object.entries(componentSchemas(root)).map(([name, schema]) => ({
    reference: extendPointer('#/components/schemas', name),
    schema,
  }));
  const families = components.flatMap(({ reference: parent, schema }): Family[] => {
    const discriminator = isJsonObject(schema) ? toDiscriminator(schema['discriminator']) : undefined;
    // Beside oneOf or anyOf, a discriminator selects one of their branches, so the schema is no parent.
    const hasBranches = isJsonObject(schema) && [schema['oneOf'], schema['anyOf']].some(isJsonList);
    if (!discriminator || hasBranches) return [];
    const mapped = Object.values(discriminator.mapping).map(toReference);
    const inheriting = components.filter((other) => inherits(root, other.schema, schema));
    const references = [...mapped, ...inheriting.map(({ reference }) => reference)];
    // The target as key: of several references to a child one is kept, and those without a target are dropped.
    const children = new Map(references.map((reference) => [findReferenced(root, reference), reference]));
    children.delete(undefined);
    if (children.size === 0) return [];
    return [{ parent, discriminator, hasMapping: mapped.length > 0, children: [...children.values()] }];
  });
  return new Map(families.map((family) => [family.parent, family]));
}

/** All items of an allOf in the component schemas: a reference to a parent there means inheritance. */
export function findAllOfItems(root: JsonObject): ReadonlySet<Json> {
  return new Set(Object.values(componentSchemas(root)).flatMap(allOfItems));
}

function componentSchemas({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  return objectOrEmpty(schemas);
}

function allOfItems(schema: Json): readonly Json[] {
  return isJsonObject(schema) && isJsonList(schema['allOf']) ? schema['allOf'] : [];
}

// Whether the schema inherits from the parent, at any depth. `seen` ends schemas that contain themselves.
function inherits(root: JsonObject, schema: Json, parent: Json, seen = new Set<Json>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return allOfItems(schema).some((item) => {
    const reference = isJsonObject(item) ? item['$ref'] : undefined;
    const target = typeof reference === 'string' ? findReferenced(root, reference) : undefined;
    return target !== undefined && (target === parent || inherits(root, target, parent, seen));
  });
}
