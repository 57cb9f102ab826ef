// Reads the discriminators of schemas.
import type { Document } from './document';
import { tryResolve } from './find-schemas';
import { partsOf } from './parts';
import type { Discriminator, Schema } from './schema';
import { withTag } from './tagged-union';

const SCHEMAS = '#/components/schemas/';

/** Makes a reference to a schema of components. */
export function referTo(name: string): { readonly $ref: string } {
  return { $ref: SCHEMAS + encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')) };
}

/** The schemas of components, by name. */
export function componentsOf({ components }: Document): Readonly<Record<string, Schema>> {
  return (components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>;
}

/** The reference that a mapping means by a reference, or by the name of a schema (OpenAPI, Discriminator Object). */
export function toMappedReference(target: string): Schema {
  return target.startsWith('#') ? { $ref: target } : referTo(target);
}

/**
 * The values by which a discriminator names a schema: those of the mapping, or else the last part of the reference. There
 * are none if the reference leads nowhere, if the schema has a discriminator of its own for the same property, or if the
 * schema does not allow them.
 *
 * @param reference to a schema
 */
export function namesOf(document: Document, discriminator: Discriminator, reference: string): string[] {
  const { propertyName, mapping = {} } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  if (!target) return [];
  const mapped = Object.entries(mapping).filter(([, to]) => tryResolve(document, toMappedReference(to)) === target);
  const { discriminator: inner = discriminator } = target;
  if (mapped.length === 0 && inner !== discriminator && inner.propertyName === propertyName) return [];
  const own = decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1));
  const implicit = Object.hasOwn(mapping, own) ? [] : [own.replaceAll('~1', '/').replaceAll('~0', '~')];
  const names = mapped.length > 0 ? mapped.map(([name]) => name) : implicit;
  return names.filter((name) => isAllowed(document, target, propertyName, name));
}

// Whether the schema allows this value of the property, by what every value has to match: itself and allOf.
function isAllowed(document: Document, target: Schema, property: string, name: string): boolean {
  const parts = partsOf(document, target, ['allOf']);
  const tags = parts.flatMap(({ properties = {} }) => Object.entries(properties)).filter(([key]) => key === property);
  const rules = tags.flatMap(([, tag]) => partsOf(document, tag, ['allOf']));
  return rules.every(({ type = 'string', enum: values = [name], const: value = name }) => {
    return [type].flat().includes('string') && values.includes(name) && value === name;
  });
}

/**
 * Finds the schemas of the properties that discriminators read. Messages have them even if they are readOnly or writeOnly:
 * without them, nothing tells which schema counts.
 */
export function findTags(document: Document, schemas: ReadonlySet<Schema>): ReadonlySet<Schema> {
  const all = [...schemas].flatMap((schema) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema;
    if (!discriminator) return [];
    const { propertyName, mapping = {} } = discriminator;
    const nodes = [schema, ...oneOf, ...anyOf, ...Object.values(mapping).map(toMappedReference)];
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
 * Copies an alternative so that it also requires the discriminator's property, with one of the names as its value.
 *
 * @param names empty if other rules tell the alternatives apart: then any value is allowed
 */
export function toTagged({ propertyName }: Discriminator, node: Schema, names: readonly string[]): Schema {
  const tag: Schema = names.length > 0 ? { type: 'string', enum: names } : {};
  const tagged = { allOf: [node, { required: [propertyName], properties: { [propertyName]: tag } }] };
  return withTag(tagged, { property: propertyName, names });
}
