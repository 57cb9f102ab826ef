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

/** Finds the families of a document, by parent. */
export function findFamilies(document: Document): ReadonlyMap<Schema, Family> {
  const components = Object.entries(componentsOf(document));
  const families = new Map<Schema, Family>();
  for (const [name, parent] of components) {
    const { discriminator, oneOf, anyOf } = parent;
    if (typeof discriminator?.propertyName !== 'string') continue;
    const heirs = components.filter(([, one]) => inherits(document, one, parent));
    const children = new Set(heirs.map(([, child]) => child));
    const listed = oneOf ?? anyOf;
    const isFamily = listed
      ? listed.some((one) => children.has(tryResolve(document, one) ?? one))
      : children.size > 0 || discriminator.mapping !== undefined;
    if (!isFamily) continue;
    const alternatives = listed ?? nodesOf(document, discriminator, [name, ...heirs.map(([child]) => child)]);
    families.set(parent, { discriminator, name: toFreeName(`Any${name}`, components), children, alternatives });
  }
  return families;
}

/** Finds the entries of allOf: a reference among them means the parent itself, not any of its family. */
export function findInheriting(document: Document): ReadonlySet<Schema> {
  return new Set(Object.values(componentsOf(document)).flatMap(({ allOf = [] }) => allOf));
}

function inherits(document: Document, schema: Schema, parent: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const above = (schema.allOf ?? []).flatMap((part) =>
    part.$ref === undefined ? [] : (tryResolve(document, part) ?? []),
  );
  return above.some((one) => one === parent || inherits(document, one, parent, seen));
}

// The references of a family: those of the mapping, then the other heirs. The parent is one only without a mapping.
function nodesOf(document: Document, { mapping }: Discriminator, [name, ...heirs]: readonly string[]): Schema[] {
  const mapped = Object.values(mapping ?? {}).map((target) => toMappedReference(target));
  const targets = new Set(mapped.map((node) => tryResolve(document, node)));
  const others = [...(mapping === undefined && name !== undefined ? [name] : []), ...heirs].map(referTo);
  const all = [...mapped, ...others.filter((node) => !targets.has(tryResolve(document, node)))];
  return [...new Map(all.map((node) => [tryResolve(document, node), node])).values()];
}

function toFreeName(name: string, components: readonly (readonly [string, Schema])[]): string {
  return components.some(([other]) => other === name) ? toFreeName(`${name}_`, components) : name;
}
