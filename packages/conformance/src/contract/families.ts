// Finds the schemas that inherit from one with a discriminator.
import { isJsonList, isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { findReferenced, SCHEMAS } from './find';
import { extendPointer } from './pointer';

/** The property that names a schema, and what its values stand for (OpenAPI, Discriminator Object). */
export interface Tag {
  readonly property: string;
  readonly mapping: JsonObject;
}

/** A schema with a discriminator that others inherit from, by a reference in their allOf. */
export interface Family {
  readonly pointer: string;
  readonly tag: Tag;
  readonly hasMapping: boolean;
  /** References to those that inherit, and to those that the mapping names. */
  readonly heirs: readonly string[];
}

/** What a discriminator says; undefined where it is none. */
export function toTag(discriminator: Json | undefined): Tag | undefined {
  if (!isJsonObject(discriminator) || typeof discriminator['propertyName'] !== 'string') return undefined;
  const { propertyName, mapping } = discriminator;
  return { property: propertyName, mapping: isJsonObject(mapping) ? mapping : {} };
}

/** What a mapping maps to: a reference, or the name of a schema. */
export function toReference(to: Json): string {
  const target = toText(to);
  return target.startsWith('#') ? target : SCHEMAS + target;
}

/** The families of a contract, by the reference to the schema that the others inherit from. */
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

/** The nodes that refer to a schema in order to inherit from it. */
export function findInheriting(root: JsonObject): ReadonlySet<Json> {
  return new Set(Object.values(componentSchemas(root)).flatMap(allOfParts));
}

function componentSchemas({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  return isJsonObject(schemas) ? schemas : {};
}

function allOfParts(schema: Json): readonly Json[] {
  return isJsonObject(schema) && isJsonList(schema['allOf']) ? schema['allOf'] : [];
}

function inherits(root: JsonObject, schema: Json, parent: Json, seen = new Set<Json>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return allOfParts(schema).some((part) => {
    const above =
      isJsonObject(part) && typeof part['$ref'] === 'string' ? findReferenced(root, part['$ref']) : undefined;
    return above !== undefined && (above === parent || inherits(root, above, parent, seen));
  });
}
