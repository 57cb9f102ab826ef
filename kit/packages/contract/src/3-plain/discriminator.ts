// Reads discriminators, and finds the schemas that they select.
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

// Converts a value of a mapping, which is a reference or a schema name (OpenAPI, Discriminator Object), to a reference.
function toMappedReference(target: string): WrittenSchema {
  return target.startsWith('#') || whyUnfollowed(target) !== undefined ? { $ref: target } : referTo(target);
}

/**
 * Lists the values of a discriminator's property that select a schema and are valid in it. They are the schema's keys in the
 * mapping, or the schema's name if it has no keys there.
 */
export function discriminatorValuesOf(document: Document, discriminator: Discriminator, reference: string): string[] {
  const { propertyName, mapping = {} } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  if (!target) return [];
  const entries = Object.entries(mapping).filter(([, to]) => tryResolve(document, toMappedReference(to)) === target);
  const { discriminator: ownDiscriminator } = target;
  // If the schema has another discriminator for the same property, the names of its alternatives select it.
  const hasOtherDiscriminator = ownDiscriminator !== discriminator && ownDiscriminator?.propertyName === propertyName;
  if (entries.length === 0 && hasOtherDiscriminator) return [];
  const schemaName = fromPointerKey(decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1)));
  // If the schema's name is a key of the mapping, it selects another schema.
  const implicitNames = Object.hasOwn(mapping, schemaName) ? [] : [schemaName];
  const values = entries.length > 0 ? entries.map(([value]) => value) : implicitNames;
  return values.filter((value) => allowsText(document, target, propertyName, value));
}

/**
 * Lists the values of a discriminator's property that select schemas other than its defaultMapping (OpenAPI 3.2). The result
 * is undefined if `reference` does not lead to the defaultMapping.
 */
export function listNonDefaultValues(
  document: Document,
  discriminator: Discriminator,
  alternatives: readonly WrittenSchema[],
  reference: string,
): string[] | undefined {
  const { mapping = {}, defaultMapping } = discriminator;
  const target = tryResolve(document, { $ref: reference });
  const isDefault = (node: WrittenSchema): boolean => tryResolve(document, node) === target;
  if (defaultMapping === undefined || !target || !isDefault(toMappedReference(defaultMapping))) return undefined;
  const entries = Object.entries(mapping).filter(([, to]) => !isDefault(toMappedReference(to)));
  const otherReferences = alternatives
    .filter((alternative) => !isDefault(alternative))
    .flatMap(({ $ref }) => $ref ?? []);
  const values = otherReferences.flatMap((other) => discriminatorValuesOf(document, discriminator, other));
  return [...new Set([...entries.map(([value]) => value), ...values])];
}

/** Finds the mapping entries whose targets do not exist in the document. */
export function findLostMappings(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  return [...schemas].flatMap(({ discriminator }) => {
    if (!discriminator) return [];
    const { mapping = {}, defaultMapping = '' } = discriminator;
    const targets = [
      ...Object.entries(mapping).map(([key, to]) => [mapping, key, to] as const),
      ...(defaultMapping === '' ? [] : [[discriminator, 'defaultMapping', defaultMapping] as const]),
    ];
    const brokenTargets = targets.filter(([, , to]) => tryResolve(document, toMappedReference(to)) === undefined);
    return brokenTargets.map(([node, key, to]) => {
      const message = `${JSON.stringify(to)} ${whyUnfollowed(to) ?? 'does not exist'}`;
      return new DocumentError(node, message, key);
    });
  });
}

/** Finds discriminators without a defaultMapping whose property is optional, which OpenAPI 3.2 forbids. */
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
 * Lists the schemas that a property has to match, given the schemas of its object.
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
 * Finds the schemas of tags, which are the properties that discriminators use. They are kept even if they are readOnly or
 * writeOnly, because they select the schema.
 */
export function findTags(document: Document, schemas: ReadonlySet<WrittenSchema>): ReadonlySet<WrittenSchema> {
  const tags = [...schemas].flatMap((schema) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema;
    if (!discriminator) return [];
    const { propertyName, mapping = {}, defaultMapping } = discriminator;
    const targets = [...Object.values(mapping), ...(defaultMapping === undefined ? [] : [defaultMapping])];
    // The tag can be a property of the schema itself, of an alternative, or of a schema in the mapping.
    const owners = [schema, ...oneOf, ...anyOf, ...targets.map(toMappedReference)];
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
 * Copies an alternative and makes it require the tag, with one of the values if there are any.
 *
 * @param otherValues if this is the default alternative, the values of the others, which it forbids instead
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

/** A parent schema with a discriminator, and its children, which refer to it in their allOf. */
export interface Family {
  readonly discriminator: Discriminator;
  readonly name: string;
  readonly children: ReadonlySet<WrittenSchema>;
  /** A new schema that every member of the family matches. */
  readonly union: WrittenSchema & Required<Pick<WrittenSchema, 'oneOf'>>;
}

/** Finds the families, keyed by parent. The union for the parent Pet is called `AnyPet`. */
export function findFamilies(document: Document): ReadonlyMap<WrittenSchema, Family> {
  const components = Object.entries(componentsOf(document));
  const families = new Map<WrittenSchema, Family>();
  for (const [name, parent] of components) {
    const { discriminator, oneOf, anyOf } = parent;
    if (typeof discriminator?.propertyName !== 'string') continue;
    const childComponents = components.filter(([, schema]) => inherits(document, schema, parent));
    const children = new Set(childComponents.map(([, child]) => child));
    const listedAlternatives = oneOf ?? anyOf;
    // If the parent lists alternatives and none inherits from it, it is an ordinary union.
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

/** Finds the schemas in the allOf of components. There, a reference to a parent does not stand for its family. */
export function findAllOfEntries(document: Document): ReadonlySet<WrittenSchema> {
  return new Set(Object.values(componentsOf(document)).flatMap(({ allOf = [] }) => allOf));
}

// Whether a schema inherits from a parent, directly or indirectly.
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

// Lists one reference to each member: first those in the mapping, then the parent if there is no mapping, then the children.
function listReferences(
  document: Document,
  { mapping, defaultMapping }: Discriminator,
  parentName: string,
  childNames: readonly string[],
): WrittenSchema[] {
  const targets = [...Object.values(mapping ?? {}), ...(defaultMapping === undefined ? [] : [defaultMapping])];
  const names = [...(mapping === undefined ? [parentName] : []), ...childNames];
  const references = [...targets.map(toMappedReference), ...names.map(referTo)];
  const bySchema = Map.groupBy(references, (reference) => tryResolve(document, reference));
  return [...bySchema.values()].flatMap((sameReferences) => sameReferences.slice(0, 1));
}

function toFreeName(name: string, components: readonly (readonly [string, WrittenSchema])[]): string {
  return components.some(([existing]) => existing === name) ? toFreeName(`${name}_`, components) : name;
}

/** The property of a discriminator, and the values that select one alternative. */
interface Tag {
  readonly property: string;
  /** Includes undefined if the alternative is the default. */
  readonly values: readonly (string | undefined)[];
}

const TAG = Symbol('tag');

export interface TaggedUnion {
  readonly property: string;
  readonly schema: NormalizedSchema;
  readonly keyword: 'oneOf' | 'anyOf';
  /** The alternatives, keyed by the value of the property. The default's key is undefined. */
  readonly alternatives: ReadonlyMap<string | undefined, NormalizedSchema>;
}

/** Finds the first oneOf or anyOf whose alternatives all have a tag, except null. */
export function findTaggedUnion(schemas: readonly NormalizedSchema[]): TaggedUnion | undefined {
  for (const schema of schemas) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const objects = (schema[keyword] ?? []).filter(({ type }) => type !== 'null');
      const tags = objects.flatMap((alternative: NormalizedSchema & { readonly [TAG]?: Tag }) => {
        const { [TAG]: tag } = alternative;
        return tag && tag.values.length > 0 ? [{ alternative, ...tag }] : [];
      });
      const [first] = tags;
      if (!first || objects.length < 2 || tags.length < objects.length) continue;
      const byValue = tags.flatMap(({ alternative, values }) => values.map((value) => [value, alternative] as const));
      return { property: first.property, schema, keyword, alternatives: new Map(byValue) };
    }
  }
  return undefined;
}

/** Copies a schema with only one alternative of a union in it or its allOf. A schema without the union is not copied. */
export function narrowUnion(
  document: NormalizedDocument,
  node: NormalizedSchema,
  union: TaggedUnion,
  alternative: NormalizedSchema,
): NormalizedSchema {
  const schema = resolveReference(document, node);
  if (schema === union.schema) return { ...schema, [union.keyword]: [alternative] };
  const { allOf = [] } = schema;
  const narrowedSchemas = allOf.map((child) => narrowUnion(document, child, union, alternative));
  const hasUnion = narrowedSchemas.some((child, index) => child !== allOf[index]);
  return hasUnion ? { ...schema, allOf: narrowedSchemas } : node;
}
