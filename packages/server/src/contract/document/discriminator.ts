// Reads the discriminators of schemas.
import type { Document } from './document';
import { tryResolve } from './find-schemas';
import { partsOf } from './parts';
import type { Discriminator, Schema } from './schema';
import { withTag } from './tagged-union';
import { toPointerKey } from '../text/pointer-key';

const COMPONENT_SCHEMAS = '#/components/schemas/';

export function referTo(name: string): { readonly $ref: string } {
  return { $ref: COMPONENT_SCHEMAS + encodeURIComponent(toPointerKey(name)) };
}

export function componentsOf({ components }: Document): Readonly<Record<string, Schema>> {
  return (components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>;
}

/** The reference that a mapping means by a reference, or by the name of a schema (OpenAPI, Discriminator Object). */
export function toMappedReference(target: string): Schema {
  return target.startsWith('#') ? { $ref: target } : referTo(target);
}

/**
 * Lists the values of the discriminator's property that mean one schema: the keys of the mapping that lead to it, or else its
 * own name. Empty if the reference leads nowhere, if no key leads to it and it has another discriminator for the same
 * property, or if it does not allow these values.
 */
export function discriminatorValuesOf(document: Document, discriminator: Discriminator, reference: string): string[] {
  const { propertyName, mapping = {} } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  if (!target) return [];
  const mapped = Object.entries(mapping).filter(([, to]) => tryResolve(document, toMappedReference(to)) === target);
  const { discriminator: ownDiscriminator } = target;
  // A schema with another discriminator for the property stands for its own alternatives, each with a name of its own.
  const hasOtherDiscriminator = ownDiscriminator !== discriminator && ownDiscriminator?.propertyName === propertyName;
  if (mapped.length === 0 && hasOtherDiscriminator) return [];
  const lastPart = decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1));
  const schemaName = lastPart.replaceAll('~1', '/').replaceAll('~0', '~');
  // If the mapping has the schema's name as a key, that value means another schema.
  const implicit = Object.hasOwn(mapping, schemaName) ? [] : [schemaName];
  const values = mapped.length > 0 ? mapped.map(([value]) => value) : implicit;
  return values.filter((value) => allowsText(document, target, propertyName, value));
}

function allowsText(document: Document, schema: Schema, propertyName: string, text: string): boolean {
  const propertySchemas = partsOf(document, schema, ['allOf'])
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([name]) => name === propertyName)
    .flatMap(([, property]) => partsOf(document, property, ['allOf']));
  // A keyword that is missing allows the text.
  return propertySchemas.every(({ type = 'string', enum: values = [text], const: value = text }) => {
    return [type].flat().includes('string') && values.includes(text) && value === text;
  });
}

/**
 * Finds the schemas of tags: of the properties that discriminators read. Requests and replies have them even if they are
 * readOnly or writeOnly, since without them nothing tells which schema counts.
 */
export function findTags(document: Document, schemas: ReadonlySet<Schema>): ReadonlySet<Schema> {
  const tags = [...schemas].flatMap((schema) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema;
    if (!discriminator) return [];
    const { propertyName, mapping = {} } = discriminator;
    // The tag may be a property of the schema, of its alternatives, or of the schemas in the mapping.
    const owners = [schema, ...oneOf, ...anyOf, ...Object.values(mapping).map(toMappedReference)];
    // A reference that leads nowhere is reported elsewhere.
    const parts = owners
      .filter((node) => tryResolve(document, node))
      .flatMap((node) => partsOf(document, node, ['allOf']));
    return parts.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, propertyName) ? [properties[propertyName]] : [],
    );
  });
  return new Set(tags.filter((tag) => tag !== undefined));
}

/** Copies an alternative so that it requires the property, with one of the values; with any if other rules tell them apart. */
export function requireTag({ propertyName }: Discriminator, alternative: Schema, values: readonly string[]): Schema {
  const tag: Schema = values.length > 0 ? { type: 'string', enum: values } : {};
  const requiresTag: Schema = { required: [propertyName], properties: { [propertyName]: tag } };
  // The copy also has the values under a symbol: findTaggedUnion reads them.
  return withTag({ allOf: [alternative, requiresTag] }, { property: propertyName, values });
}
