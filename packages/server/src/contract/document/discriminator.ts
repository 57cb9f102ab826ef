// Reads the discriminators of schemas.
import type { Document } from './document';
import { tryResolve } from './find-schemas';
import { partsOf } from './parts';
import type { Discriminator, Schema } from './schema';
import { withTag } from './tagged-union';

const SCHEMAS = '#/components/schemas/';

/** A reference to a schema of components. */
export function referTo(name: string): { readonly $ref: string } {
  return { $ref: SCHEMAS + encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')) };
}

/** The schemas of components, by name. */
export function componentsOf({ components }: Document): Readonly<Record<string, Schema>> {
  return (components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>;
}

/** What a mapping maps to: the name of a schema, or a reference (OpenAPI, Discriminator Object). */
export function findMapped(target: string): Schema {
  return target.startsWith('#') ? { $ref: target } : referTo(target);
}

/**
 * The values by which a discriminator names a schema: those of the mapping, or else the last part of the reference. None
 * where the schema is not referred to, has a discriminator of its own that names it, or has values of its own.
 *
 * @param reference to a schema
 */
export function namesOf(document: Document, discriminator: Discriminator, reference: string): string[] {
  const { propertyName, mapping = {} } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  if (!target) return [];
  const mapped = Object.entries(mapping).filter(([, to]) => tryResolve(document, findMapped(to)) === target);
  const { discriminator: inner = discriminator } = target;
  if (mapped.length === 0 && inner !== discriminator && inner.propertyName === propertyName) return [];
  const own = decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1));
  const implicit = Object.hasOwn(mapping, own) ? [] : [own.replaceAll('~1', '/').replaceAll('~0', '~')];
  const names = mapped.length > 0 ? mapped.map(([name]) => name) : implicit;
  return names.filter((name) => isAllowed(document, target, propertyName, name));
}

// Only what every value of the schema has to match.
function isAllowed(document: Document, target: Schema, property: string, name: string): boolean {
  const parts = partsOf(document, target, ['allOf']);
  const tags = parts.flatMap(({ properties = {} }) => Object.entries(properties)).filter(([key]) => key === property);
  const rules = tags.flatMap(([, tag]) => partsOf(document, tag, ['allOf']));
  return rules.every(({ type = 'string', enum: values = [name], const: value = name }) => {
    return [type].flat().includes('string') && values.includes(name) && value === name;
  });
}

/**
 * The properties by which discriminators name schemas. A message needs them, whatever marks they have: without, nothing
 * tells which schema counts.
 */
export function findTags(document: Document, schemas: ReadonlySet<Schema>): ReadonlySet<Schema> {
  const all = [...schemas].flatMap((schema) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema;
    if (!discriminator) return [];
    const { propertyName, mapping = {} } = discriminator;
    const nodes = [schema, ...oneOf, ...anyOf, ...Object.values(mapping).map(findMapped)];
    const parts = nodes
      .filter((node) => tryResolve(document, node))
      .flatMap((node) => partsOf(document, node, ['allOf']));
    return parts.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, propertyName) ? [properties[propertyName]] : [],
    );
  });
  return new Set(all.filter((tag) => tag !== undefined));
}

/**
 * A schema with what a discriminator says of it, as a validator checks it.
 *
 * @param names none where other rules tell it from the other alternatives
 */
export function toTagged({ propertyName }: Discriminator, node: Schema, names: readonly string[]): Schema {
  const tag: Schema = names.length > 0 ? { type: 'string', enum: names } : {};
  const tagged = { allOf: [node, { required: [propertyName], properties: { [propertyName]: tag } }] };
  return withTag(tagged, { property: propertyName, names });
}
