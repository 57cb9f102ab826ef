// Reads discriminators, and finds the schemas they choose from.
import { resolveReference, type Document, type NormalizedDocument } from '../2-resolve/document';
import { inPlaceSchemasOf, tryResolve } from '../2-resolve/find-schemas';
import {
  isOpenApi32,
  type Discriminator,
  type NormalizedSchema,
  type SchemaKeywords,
  type WrittenSchema,
} from '../2-resolve/schema';
import { DocumentError, fromPointerKey, toPointerKey } from '../text/document-error';
import { whyUnfollowed } from '../1-parse/parse-yaml';

const COMPONENT_SCHEMAS = '#/components/schemas/';

export function referTo(name: string): { readonly $ref: string } {
  return { $ref: COMPONENT_SCHEMAS + encodeURIComponent(toPointerKey(name)) };
}

function componentsOf({ components }: Document): Readonly<Record<string, WrittenSchema>> {
  return (components?.['schemas'] ?? {}) as Readonly<Record<string, WrittenSchema>>;
}

// OpenAPI, Discriminator Object: a mapping has references or schema names.
function toMappedReference(target: string): WrittenSchema {
  return target.startsWith('#') || whyUnfollowed(target) !== undefined ? { $ref: target } : referTo(target);
}

/**
 * Lists the values of a discriminator's property that select a schema and that the schema allows: the keys of the mapping that
 * lead to it, or else its own name.
 */
export function discriminatorValuesOf(document: Document, discriminator: Discriminator, reference: string): string[] {
  const { propertyName, mapping = {} } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  if (!target) return [];
  const mapped = Object.entries(mapping).filter(([, to]) => tryResolve(document, toMappedReference(to)) === target);
  const { discriminator: ownDiscriminator } = target;
  // A schema with another discriminator for the property is selected by the names of its own alternatives.
  const hasOtherDiscriminator = ownDiscriminator !== discriminator && ownDiscriminator?.propertyName === propertyName;
  if (mapped.length === 0 && hasOtherDiscriminator) return [];
  const schemaName = fromPointerKey(decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1)));
  // If the mapping has the schema's name as a key, the name selects another schema.
  const implicit = Object.hasOwn(mapping, schemaName) ? [] : [schemaName];
  const values = mapped.length > 0 ? mapped.map(([value]) => value) : implicit;
  return values.filter((value) => allowsText(document, target, propertyName, value));
}

/**
 * Lists the values of a discriminator's property that do not select the schema of its defaultMapping (OpenAPI 3.2). Undefined if
 * the reference does not lead to that schema.
 */
export function valuesBesideDefault(
  document: Document,
  discriminator: Discriminator,
  alternatives: readonly WrittenSchema[],
  reference: string,
): string[] | undefined {
  const { mapping = {}, defaultMapping } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  const isDefault = (node: WrittenSchema): boolean => tryResolve(document, node) === target;
  if (defaultMapping === undefined || !target || !isDefault(toMappedReference(defaultMapping))) return undefined;
  const mapped = Object.entries(mapping).filter(([, to]) => !isDefault(toMappedReference(to)));
  const otherReferences = alternatives
    .filter((alternative) => !isDefault(alternative))
    .flatMap(({ $ref }) => $ref ?? []);
  const values = otherReferences.flatMap((other) => discriminatorValuesOf(document, discriminator, other));
  return [...new Set([...mapped.map(([value]) => value), ...values])];
}

/** Finds mapping entries that do not lead to a schema in the document. */
export function findLostMappings(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  return [...schemas].flatMap(({ discriminator }) => {
    if (!discriminator) return [];
    const { mapping = {}, defaultMapping = '' } = discriminator;
    const targets = [
      ...Object.entries(mapping).map(([key, to]) => [mapping, key, to] as const),
      ...(defaultMapping === '' ? [] : [[discriminator, 'defaultMapping', defaultMapping] as const]),
    ];
    const lost = targets.filter(([, , to]) => tryResolve(document, toMappedReference(to)) === undefined);
    return lost.map(([node, key, to]) => {
      const message = `${JSON.stringify(to)} ${whyUnfollowed(to) ?? 'does not exist'}`;
      return new DocumentError(node, message, key);
    });
  });
}

/** Finds discriminators with an optional property but no defaultMapping, which OpenAPI 3.2 forbids. */
export function findOptionalTags(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  if (!isOpenApi32(document.openapi)) return [];
  const isRequiredBy = (node: WrittenSchema, name: string): boolean => {
    if (tryResolve(document, node) === undefined) return true;
    return inPlaceSchemasOf(document, node, ['allOf']).some(({ required = [], oneOf = [], anyOf = [] }) => {
      const alternatives = [...oneOf, ...anyOf].filter(({ type }) => type !== 'null');
      const isInEach = alternatives.length > 0 && alternatives.every((alternative) => isRequiredBy(alternative, name));
      return isInEach || required.includes(name);
    });
  };
  return [...schemas].flatMap((schema) => {
    const { discriminator } = schema;
    if (!discriminator || discriminator.defaultMapping !== undefined) return [];
    const { propertyName } = discriminator;
    if (isRequiredBy(schema, propertyName)) return [];
    const message = `${propertyName} is optional: require it, or name the schema of objects without it in defaultMapping`;
    return [new DocumentError(schema, message, 'discriminator')];
  });
}

function allowsText(document: Document, schema: WrittenSchema, propertyName: string, text: string): boolean {
  const propertySchemas = propertiesNamed(document, inPlaceSchemasOf(document, schema, ['allOf']), propertyName);
  return propertySchemas.every(({ type = 'string', enum: values = [text], const: value = text }) => {
    return [type].flat().includes('string') && values.includes(text) && value === text;
  });
}

/**
 * Lists the schemas that a property has to match, from the `properties` of its object's schemas.
 *
 * @example propertiesNamed(document, [{ properties: { id: { type: 'integer' } } }], 'id') // [{ type: 'integer' }]
 */
export function propertiesNamed<S extends SchemaKeywords<S>>(
  document: Document<S>,
  inPlaceSchemas: readonly S[],
  name: string,
): S[] {
  return inPlaceSchemas
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([key]) => key === name)
    .flatMap(([, property]) => inPlaceSchemasOf(document, property, ['allOf']));
}

/**
 * Finds the schemas of tags, which are the properties that discriminators read. Requests and replies keep them even if they are
 * readOnly or writeOnly, because they select the schema.
 */
export function findTags(document: Document, schemas: ReadonlySet<WrittenSchema>): ReadonlySet<WrittenSchema> {
  const tags = [...schemas].flatMap((schema) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema;
    if (!discriminator) return [];
    const { propertyName, mapping = {}, defaultMapping } = discriminator;
    const mapped = [...Object.values(mapping), ...(defaultMapping === undefined ? [] : [defaultMapping])];
    // The tag may be a property of the schema, of its alternatives, or of the schemas in the mapping.
    const owners = [schema, ...oneOf, ...anyOf, ...mapped.map(toMappedReference)];
    const inPlaceSchemas = owners
      .filter((node) => tryResolve(document, node))
      .flatMap((node) => inPlaceSchemasOf(document, node, ['allOf']));
    return inPlaceSchemas.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, propertyName) ? [properties[propertyName]] : [],
    );
  });
  return new Set(tags.filter((tag) => tag !== undefined));
}

/**
 * Copies an alternative so that it requires the tag, with one of the values if there are any.
 *
 * @param otherValues the values of the other alternatives if this is the default, which only has to forbid them
 */
export function requireTag(
  { propertyName }: Discriminator,
  alternative: NormalizedSchema,
  values: readonly string[],
  otherValues: readonly string[] | undefined,
): NormalizedSchema {
  if (otherValues) {
    const forbidsOthers: NormalizedSchema = { properties: { [propertyName]: { not: { enum: otherValues } } } };
    const tag: Tag = { property: propertyName, values: [...values, undefined] };
    return Object.assign({ allOf: [alternative, forbidsOthers] }, { [TAG]: tag });
  }
  const tag: NormalizedSchema = values.length > 0 ? { type: 'string', enum: values } : {};
  const requiresTag: NormalizedSchema = { required: [propertyName], properties: { [propertyName]: tag } };
  return Object.assign({ allOf: [alternative, requiresTag] }, { [TAG]: { property: propertyName, values } });
}

/** A parent schema with a discriminator, and its children: the schemas that refer to it in their allOf. */
export interface Family {
  readonly discriminator: Discriminator;
  readonly name: string;
  readonly children: ReadonlySet<WrittenSchema>;
  /** A new schema that every member of the family matches. */
  readonly union: WrittenSchema & Required<Pick<WrittenSchema, 'oneOf'>>;
}

/** Finds the families, keyed by their parents. The union of the parent Pet is named `AnyPet`. */
export function findFamilies(document: Document): ReadonlyMap<WrittenSchema, Family> {
  const components = Object.entries(componentsOf(document));
  const families = new Map<WrittenSchema, Family>();
  for (const [name, parent] of components) {
    const { discriminator, oneOf, anyOf } = parent;
    if (typeof discriminator?.propertyName !== 'string') continue;
    const childComponents = components.filter(([, schema]) => inherits(document, schema, parent));
    const children = new Set(childComponents.map(([, child]) => child));
    const listedAlternatives = oneOf ?? anyOf;
    // If none of the alternatives that the parent lists inherits from it, it is an ordinary union.
    const isFamily = listedAlternatives
      ? listedAlternatives.some((node) => children.has(tryResolve(document, node) ?? node))
      : children.size > 0 || discriminator.mapping !== undefined;
    if (!isFamily) continue;
    const childNames = childComponents.map(([childName]) => childName);
    const alternatives = listedAlternatives ?? listReferences(document, discriminator, name, childNames);
    const union = { oneOf: alternatives, discriminator };
    families.set(parent, { discriminator, name: toFreeName(`Any${name}`, components), children, union });
  }
  return families;
}

/** Finds the schemas in each allOf of components, where a reference to a parent means only the parent. */
export function findAllOfEntries(document: Document): ReadonlySet<WrittenSchema> {
  return new Set(Object.values(componentsOf(document)).flatMap(({ allOf = [] }) => allOf));
}

// Whether a schema inherits directly or through other schemas. References may form a cycle.
function inherits(
  document: Document,
  schema: WrittenSchema,
  parent: WrittenSchema,
  seen = new Set<WrittenSchema>(),
): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const references = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
  return references
    .map((reference) => tryResolve(document, reference))
    .some((target) => target && (target === parent || inherits(document, target, parent, seen)));
}

// Lists a reference to each schema: those in the mapping, then the other children, and without a mapping also the parent.
function listReferences(
  document: Document,
  { mapping, defaultMapping }: Discriminator,
  parentName: string,
  childNames: readonly string[],
): WrittenSchema[] {
  const targets = [...Object.values(mapping ?? {}), ...(defaultMapping === undefined ? [] : [defaultMapping])];
  const mapped = targets.map(toMappedReference);
  const unmapped = [...(mapping === undefined ? [parentName] : []), ...childNames].map(referTo);
  const bySchema = Map.groupBy([...mapped, ...unmapped], (reference) => tryResolve(document, reference));
  return [...bySchema.values()].flatMap((references) => references.slice(0, 1));
}

function toFreeName(name: string, components: readonly (readonly [string, WrittenSchema])[]): string {
  return components.some(([existing]) => existing === name) ? toFreeName(`${name}_`, components) : name;
}

/** A discriminator's property, and the values that select one alternative. */
interface Tag {
  readonly property: string;
  /** Contains undefined for the default. */
  readonly values: readonly (string | undefined)[];
}

const TAG = Symbol('tag');

export interface TaggedUnion {
  readonly property: string;
  readonly schema: NormalizedSchema;
  readonly keyword: 'oneOf' | 'anyOf';
  /** The alternatives by the value of the property; the key of the default is undefined. */
  readonly alternatives: ReadonlyMap<string | undefined, NormalizedSchema>;
}

/** Finds the first oneOf or anyOf in which every alternative except null has a tag. */
export function findTaggedUnion(schemas: readonly NormalizedSchema[]): TaggedUnion | undefined {
  for (const schema of schemas) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const objects = (schema[keyword] ?? []).filter(({ type }) => type !== 'null');
      const tagged = objects.flatMap((alternative: NormalizedSchema & { readonly [TAG]?: Tag }) => {
        const { [TAG]: tag } = alternative;
        return tag && tag.values.length > 0 ? [{ alternative, ...tag }] : [];
      });
      const [first] = tagged;
      if (!first || objects.length < 2 || tagged.length < objects.length) continue;
      const byValue = tagged.flatMap(({ alternative, values }) => values.map((value) => [value, alternative] as const));
      return { property: first.property, schema, keyword, alternatives: new Map(byValue) };
    }
  }
  return undefined;
}

/** Copies a schema, keeping only one alternative of a union in it or in its allOf. Without the union, returns the schema. */
export function narrowUnion(
  document: NormalizedDocument,
  node: NormalizedSchema,
  union: TaggedUnion,
  alternative: NormalizedSchema,
): NormalizedSchema {
  const schema = resolveReference(document, node);
  if (schema === union.schema) return { ...schema, [union.keyword]: [alternative] };
  const { allOf = [] } = schema;
  const narrowed = allOf.map((child) => narrowUnion(document, child, union, alternative));
  const hasUnion = narrowed.some((child, index) => child !== allOf[index]);
  return hasUnion ? { ...schema, allOf: narrowed } : node;
}
