import type { ImplementationDefined } from './standards';
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { findReferenced, COMPONENT_SCHEMAS, extendPointer, sameValueSchemas } from './pointer';

/** The suite adds this keyword to branches that the standards do not clearly require. Its value names the clause. */
export const MEMBER_CLAUSE = 'x-implementation-defined';

/**
 * Rewrites discriminators as plain JSON Schema (OpenAPI, Discriminator Object). Each branch of a oneOf or anyOf
 * requires the property, with a value that names the branch. A reference to a parent becomes an anyOf of its children.
 */
export function replaceDiscriminators(root: JsonObject, hasSiblings: boolean): JsonObject {
  const families = findFamilies(root);
  // In an allOf, a reference to a parent means inheritance.
  const allOfItems = new Set(Object.values(componentSchemas(root)).flatMap(itemsOfAllOf));
  return replaceReferences(root) as JsonObject;

  function replaceReferences(value: Json): Json {
    if (isJsonList(value)) return value.map(replaceReferences);
    if (!isJsonObject(value)) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceReferences(member)]));
    const { $ref, ...siblings } = copy;
    const family = typeof $ref === 'string' && !allOfItems.has(value) ? families.get($ref) : undefined;
    return family
      ? replaceParentReference(root, family, siblings, hasSiblings)
      : replaceDiscriminator(root, copy, [...families.values()]);
  }
}

// Allows every child. Also allows the parent itself if there is no mapping.
function replaceParentReference(
  root: JsonObject,
  { parent, discriminator, children, hasMapping }: Family,
  siblings: JsonObject,
  hasSiblings: boolean,
): JsonObject {
  const toBranch = ($ref: string): Json => requireDiscriminator(root, discriminator, { $ref }, [...children, parent]);
  const clause: ImplementationDefined = 'OpenAPI 3.0.4, 3.1.1 Discriminator Object';
  const parentBranches = hasMapping ? [] : [{ allOf: [toBranch(parent)], [MEMBER_CLAUSE]: clause }];
  const familyUnion = { anyOf: [...children.map(toBranch), ...parentBranches] };
  if (!hasSiblings) return familyUnion;
  const { allOf, ...otherSiblings } = siblings;
  return { ...otherSiblings, allOf: [...(isJsonList(allOf) ? allOf : []), familyUnion] };
}

function replaceDiscriminator(root: JsonObject, schema: JsonObject, families: readonly Family[]): JsonObject {
  const { discriminator: ownDiscriminator, ...otherKeywords } = schema;
  const lists = ['oneOf', 'anyOf'].flatMap((keyword) => {
    const branches = otherKeywords[keyword];
    return isJsonList(branches) ? [{ keyword, branches }] : [];
  });
  const allBranches = lists.flatMap(({ branches }) => branches);
  const references = allBranches
    .map((branch) => objectOrEmpty(branch)['$ref'])
    .filter((ref) => typeof ref === 'string');
  const discriminator = toDiscriminator(ownDiscriminator) ?? findInheritedDiscriminator(families, allBranches);
  if (!discriminator) return schema;
  const replacedLists = lists.map(({ keyword, branches }): [string, Json] => [
    keyword,
    branches.map((branch) => requireDiscriminator(root, discriminator, branch, references)),
  ]);
  return { ...otherKeywords, ...Object.fromEntries(replacedLists) };
}

// A parent's discriminator applies if every branch is one of its children.
function findInheritedDiscriminator(families: readonly Family[], branches: readonly Json[]): Discriminator | undefined {
  if (branches.length === 0) return undefined;
  const references = branches.map((branch) => (isJsonObject(branch) ? branch['$ref'] : undefined));
  const isParentOfAll = ({ children }: Family): boolean =>
    references.every((reference) => typeof reference === 'string' && children.includes(reference));
  return families.find(isParentOfAll)?.discriminator;
}

// OpenAPI 3.2: the target of defaultMapping applies if the property is missing, or its value names no other schema.
function requireDiscriminator(
  root: JsonObject,
  discriminator: Discriminator,
  branch: Json,
  references: readonly string[],
): Json {
  if (!isJsonObject(branch) || typeof branch['$ref'] !== 'string') return branch;
  const { property, defaultReference } = discriminator;
  const isTarget = (reference: string): boolean => findReferenced(root, reference) === defaultTarget;
  const defaultTarget = defaultReference === undefined ? null : findReferenced(root, defaultReference);
  if (isTarget(branch['$ref'])) {
    const otherReferences = references.filter((reference) => !isTarget(reference));
    const otherValues = otherReferences.flatMap((reference) => discriminatorValuesFor(root, discriminator, reference));
    return { allOf: [branch, { properties: { [property]: { not: { enum: otherValues } } } }] };
  }
  const values = discriminatorValuesFor(root, discriminator, branch['$ref']);
  const rules: JsonObject = values.length > 0 ? { type: 'string', enum: values } : {};
  return { allOf: [branch, { required: [property], properties: { [property]: rules } }] };
}

// Returns an empty list if the schema has its own discriminator for the property, because that one applies instead.
function discriminatorValuesFor(root: JsonObject, { property, mapping }: Discriminator, reference: string): string[] {
  const schema = findReferenced(root, reference);
  const isSchema = (mapped: Json): boolean =>
    schema !== undefined && findReferenced(root, toReference(mapped)) === schema;
  const mappedValues = Object.entries(mapping)
    .filter(([, mapped]) => isSchema(mapped))
    .map(([value]) => value);
  const { propertyName } = objectOrEmpty(objectOrEmpty(schema)['discriminator']);
  if (mappedValues.length === 0 && propertyName === property) return [];
  const ownName = reference.slice(reference.lastIndexOf('/') + 1);
  // The mapping can assign the schema's name to another schema.
  const ownValues = ownName in mapping ? [] : [ownName];
  const values = mappedValues.length > 0 ? mappedValues : ownValues;
  return values.filter((value) => allowsValue(root, schema, property, value));
}

function allowsValue(root: JsonObject, schema: Json | undefined, property: string, value: string): boolean {
  return sameValueSchemas(root, [schema], ['allOf']).every(({ properties }) => {
    const rules = sameValueSchemas(root, [objectOrEmpty(properties)[property]], ['allOf']);
    return rules.every(({ type = 'string', enum: allowed = [value], const: constant = value }) => {
      const types = isJsonList(type) ? type : [type];
      return types.includes('string') && isJsonList(allowed) && allowed.includes(value) && constant === value;
    });
  });
}

interface Discriminator {
  readonly property: string;
  /** Maps each value of the property to a reference, or to the name of a component schema. */
  readonly mapping: JsonObject;
  /** Refers to the schema that applies if the property is missing, or its value names no schema. */
  readonly defaultReference: string | undefined;
}

/** A component schema with a discriminator, and the schemas that inherit from it. */
interface Family {
  /** A reference such as `#/components/schemas/Pet`. */
  readonly parent: string;
  readonly discriminator: Discriminator;
  readonly hasMapping: boolean;
  /** References to the mapped schemas, and to the schemas that have the parent in their allOf. */
  readonly children: readonly string[];
}

function toDiscriminator(value: Json | undefined): Discriminator | undefined {
  if (!isJsonObject(value) || typeof value['propertyName'] !== 'string') return undefined;
  const { propertyName, mapping, defaultMapping } = value;
  const defaultReference = defaultMapping === undefined ? undefined : toReference(defaultMapping);
  return { property: propertyName, mapping: objectOrEmpty(mapping), defaultReference };
}

function toReference(mapped: Json): string {
  const target = toText(mapped);
  return target.startsWith('#') ? target : COMPONENT_SCHEMAS + target;
}

function findFamilies(root: JsonObject): ReadonlyMap<string, Family> {
  const components = Object.entries(componentSchemas(root)).map(([name, schema]) => ({
    reference: extendPointer('#/components/schemas', name),
    schema,
  }));
  const families = components.flatMap(({ reference: parent, schema }): Family[] => {
    const discriminator = isJsonObject(schema) ? toDiscriminator(schema['discriminator']) : undefined;
    // Next to oneOf or anyOf, a discriminator selects a branch, so this schema is not a parent.
    const hasBranches = isJsonObject(schema) && [schema['oneOf'], schema['anyOf']].some(isJsonList);
    if (!discriminator || hasBranches) return [];
    const mappedReferences = Object.values(discriminator.mapping).map(toReference);
    const childComponents = components.filter(
      (candidate) =>
        candidate.schema !== schema &&
        sameValueSchemas(root, [candidate.schema], ['allOf']).includes(schema as JsonObject),
    );
    const references = [...mappedReferences, ...childComponents.map(({ reference }) => reference)];
    // Keying by target removes duplicates. References without a target get the key undefined.
    const children = new Map(references.map((reference) => [findReferenced(root, reference), reference]));
    children.delete(undefined);
    if (children.size === 0) return [];
    return [{ parent, discriminator, hasMapping: mappedReferences.length > 0, children: [...children.values()] }];
  });
  return new Map(families.map((family) => [family.parent, family]));
}

function componentSchemas({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  return objectOrEmpty(schemas);
}

function itemsOfAllOf(schema: Json): readonly Json[] {
  return isJsonObject(schema) && isJsonList(schema['allOf']) ? schema['allOf'] : [];
}
