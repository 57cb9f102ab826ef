// Finds the schemas that inherit from a schema with a discriminator.
import { componentsOf, toMappedReference, referTo } from './discriminator';
import type { Document } from './document';
import { tryResolve } from './find-schemas';
import type { Discriminator, Schema } from './schema';

/** A parent schema with a discriminator, and its children: the schemas that refer to it in their allOf. */
export interface Family {
  readonly discriminator: Discriminator;
  /** The name of the new schema that any of them matches. */
  readonly name: string;
  readonly children: ReadonlySet<Schema>;
  /** The schemas of its oneOf. */
  readonly alternatives: readonly Schema[];
}

/** The families by parent, each with the name of a new schema for all its schemas, such as `AnyPet` for the parent Pet. */
export function findFamilies(document: Document): ReadonlyMap<Schema, Family> {
  const components = Object.entries(componentsOf(document));
  const families = new Map<Schema, Family>();
  for (const [name, parent] of components) {
    const { discriminator, oneOf, anyOf } = parent;
    if (typeof discriminator?.propertyName !== 'string') continue;
    const childComponents = components.filter(([, schema]) => inherits(document, schema, parent));
    const children = new Set(childComponents.map(([, child]) => child));
    const listed = oneOf ?? anyOf;
    // A parent that lists alternatives may list schemas that do not inherit from it: then it is a union, not a family.
    const isFamily = listed
      ? listed.some((node) => children.has(tryResolve(document, node) ?? node))
      : children.size > 0 || discriminator.mapping !== undefined;
    if (!isFamily) continue;
    const childNames = childComponents.map(([childName]) => childName);
    const alternatives = listed ?? listReferences(document, discriminator, name, childNames);
    families.set(parent, { discriminator, name: toFreeName(`Any${name}`, components), children, alternatives });
  }
  return families;
}

/** Finds the schemas in each allOf of components: a reference among them means the parent itself, not any of its family. */
export function findAllOfEntries(document: Document): ReadonlySet<Schema> {
  return new Set(Object.values(componentsOf(document)).flatMap(({ allOf = [] }) => allOf));
}

// Directly or through other schemas. `seen`: references may form a circle.
function inherits(document: Document, schema: Schema, parent: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const references = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
  return references
    .map((reference) => tryResolve(document, reference))
    .some((target) => target && (target === parent || inherits(document, target, parent, seen)));
}

// Each schema once: those in the mapping, then the other children. Without a mapping, a value may also be of the parent itself.
function listReferences(
  document: Document,
  { mapping }: Discriminator,
  parentName: string,
  childNames: readonly string[],
): Schema[] {
  const mapped = Object.values(mapping ?? {}).map((target) => toMappedReference(target));
  const mappedSchemas = new Set(mapped.map((reference) => tryResolve(document, reference)));
  const others = [...(mapping === undefined ? [parentName] : []), ...childNames]
    .map(referTo)
    .filter((reference) => !mappedSchemas.has(tryResolve(document, reference)));
  const bySchema = new Map([...mapped, ...others].map((reference) => [tryResolve(document, reference), reference]));
  return [...bySchema.values()];
}

function toFreeName(name: string, components: readonly (readonly [string, Schema])[]): string {
  return components.some(([other]) => other === name) ? toFreeName(`${name}_`, components) : name;
}
