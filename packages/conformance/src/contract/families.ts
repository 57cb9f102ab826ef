// Finds schemas that inherit from a schema with a discriminator.
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { findReferenced, SCHEMAS } from './find';
import { extendPointer } from './pointer';

/** A Discriminator Object: the property that names the schema, and the mapping of its values. */
export interface Tag {
  readonly property: string;
  readonly mapping: JsonObject;
}

/** A schema with a discriminator, and the schemas that refer to it in their allOf (its heirs). */
export interface Family {
  readonly pointer: string;
  readonly tag: Tag;
  readonly hasMapping: boolean;
  /** References to the inheriting schemas, and to those in the mapping. */
  readonly heirs: readonly string[];
}

/** Reads a Discriminator Object; undefined when it is malformed. */
export function toTag(discriminator: Json | undefined): Tag | undefined {
  if (!isJsonObject(discriminator) || typeof discriminator['propertyName'] !== 'string') return undefined;
  const { propertyName, mapping } = discriminator;
  return { property: propertyName, mapping: objectOrEmpty(mapping) };
}

/** Turns the target of a mapping, a reference or a schema name, into a reference. */
export function toReference(to: Json): string {
  const target = toText(to);
  return target.startsWith('#') ? target : SCHEMAS + target;
}

/** Finds the families of a contract, by the reference to the parent schema. */
export function findFamilies(root: JsonObject): ReadonlyMap<string, Family> {
  const components = Object.entries(componentSchemas(root)).map(
    ([name, schema]) => [extendPointer('#/components/schemas', name), schema] as const,
  );
  const families = components.flatMap(([pointer, schema]): Family[] => {
    const tag = isJsonObject(schema) ? toTag(schema['discriminator']) : undefined;
    if (!tag || !isJsonObject(schema) || [schema['oneOf'], schema['anyOf']].some(isJsonList)) return [];
    const mapped = Object.values(tag.mapping).map(toReference);
    const own = components.filter(([, one]) => inherits(root, one, schema)).map(([heir]) => heir);
    const heirs = new Map([...mapped, ...own].map((one) => [findReferenced(root, one), one]));
    heirs.delete(undefined);
    const hasMapping = mapped.length > 0;
    return heirs.size > 0 ? [{ pointer, tag, hasMapping, heirs: [...heirs.values()] }] : [];
  });
  return new Map(families.map((family) => [family.pointer, family]));
}

/** All items of an allOf in the components: references in them mean inheritance, not a choice. */
export function findInheriting(root: JsonObject): ReadonlySet<Json> {
  return new Set(Object.values(componentSchemas(root)).flatMap(allOfParts));
}

function componentSchemas({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  return objectOrEmpty(schemas);
}

function allOfParts(schema: Json): readonly Json[] {
  return isJsonObject(schema) && isJsonList(schema['allOf']) ? schema['allOf'] : [];
}

// Follows the references in allOf, up to the parent.
function inherits(root: JsonObject, schema: Json, parent: Json, seen = new Set<Json>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return allOfParts(schema).some((part) => {
    const above =
      isJsonObject(part) && typeof part['$ref'] === 'string' ? findReferenced(root, part['$ref']) : undefined;
    return above !== undefined && (above === parent || inherits(root, above, parent, seen));
  });
}
