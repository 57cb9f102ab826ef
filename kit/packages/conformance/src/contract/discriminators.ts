// Rewrites discriminators as plain JSON Schema.
import type { ImplementationDefined } from './standards';
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { findReferenced, COMPONENT_SCHEMAS, extendPointer, sameValueSchemas } from './pointer';

/** A keyword on a branch that standards do not clearly require; its value is the clause. */
export const MEMBER_CLAUSE = 'x-implementation-defined';

/**
 * Copies a contract with its discriminators as plain JSON Schema: a referenced branch of a oneOf or anyOf requires the
 * discriminator property, with a value that names the branch (OpenAPI, Discriminator Object). A reference to a parent
 * schema becomes an anyOf of its children.
 */
export function replaceDiscriminators(root: JsonObject, hasSiblings: boolean): JsonObject {
  const families = findFamilies(root);
  // A reference to a parent in an allOf means inheritance.
  const allOfItems = new Set(Object.values(componentSchemas(root)).flatMap(itemsOfAllOf));
  return replaceIn(root) as JsonObject;

  function replaceIn(node: Json): Json {
    if (isJsonList(node)) return node.map(replaceIn);
    if (!isJsonObject(node)) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, replaceIn(member)]));
    const { $ref, ...siblings } = copy;
    const family = typeof $ref === 'string' && !allOfItems.has(node) ? families.get($ref) : undefined;
    return family
      ? replaceParentReference(root, family, siblings, hasSiblings)
      : replaceDiscriminator(root, copy, [...families.values()]);
  }
}

// The schema in place of a reference to a parent: a choice of its children, and of the parent itself where no mapping
// leaves it out. `siblings` are the keywords beside the `$ref`.
function replaceParentReference(
  root: JsonObject,
  { parent, discriminator, children, hasMapping }: Family,
  siblings: JsonObject,
  hasSiblings: boolean,
): JsonObject {
  const require = ($ref: string): Json => requireDiscriminator(root, discriminator, { $ref }, [...children, parent]);
  const clause: ImplementationDefined = 'OpenAPI 3.0.4, 3.1.1 Discriminator Object';
  const itself = hasMapping ? [] : [{ allOf: [require(parent)], [MEMBER_CLAUSE]: clause }];
  const choice = { anyOf: [...children.map(require), ...itself] };
  if (!hasSiblings) return choice;
  const { allOf, ...others } = siblings;
  return { ...others, allOf: [...(isJsonList(allOf) ? allOf : []), choice] };
}

// Replaces the schema's own or inherited discriminator by rules in the branches of oneOf and anyOf.
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
  const replaced = lists.map(({ keyword, branches }): [string, Json] => [
    keyword,
    branches.map((branch) => requireDiscriminator(root, discriminator, branch, references)),
  ]);
  return { ...otherKeywords, ...Object.fromEntries(replaced) };
}

// The discriminator of a parent whose children are all the branches; undefined when there is no such parent.
function findInheritedDiscriminator(families: readonly Family[], branches: readonly Json[]): Discriminator | undefined {
  if (branches.length === 0) return undefined;
  const references = branches.map((branch) => (isJsonObject(branch) ? branch['$ref'] : undefined));
  const isParentOfAll = ({ children }: Family): boolean =>
    references.every((reference) => typeof reference === 'string' && children.includes(reference));
  return families.find(isParentOfAll)?.discriminator;
}

// A reference becomes an allOf that also requires the discriminator property, with a value that names its target. That of
// the defaultMapping may lack the property, or have a value that names no other target (OpenAPI 3.2, Discriminator Object).
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
    const others = references.filter((reference) => !isTarget(reference));
    const taken = others.flatMap((reference) => valuesNaming(root, discriminator, reference));
    return { allOf: [branch, { properties: { [property]: { not: { enum: taken } } } }] };
  }
  const values = valuesNaming(root, discriminator, branch['$ref']);
  const rules: JsonObject = values.length > 0 ? { type: 'string', enum: values } : {};
  return { allOf: [branch, { required: [property], properties: { [property]: rules } }] };
}

// The values that name a schema: from the mapping, or else its own name, the last part of its reference. Empty when
// the schema has a discriminator of its own for the same property, which then decides.
function valuesNaming(root: JsonObject, { property, mapping }: Discriminator, reference: string): string[] {
  const schema = findReferenced(root, reference);
  const isSchema = (mapped: Json): boolean =>
    schema !== undefined && findReferenced(root, toReference(mapped)) === schema;
  const mappedValues = Object.entries(mapping)
    .filter(([, mapped]) => isSchema(mapped))
    .map(([value]) => value);
  const nested = isJsonObject(schema) ? schema['discriminator'] : undefined;
  if (mappedValues.length === 0 && isJsonObject(nested) && nested['propertyName'] === property) return [];
  const ownName = reference.slice(reference.lastIndexOf('/') + 1);
  // The mapping may use the schema's name for another schema.
  const ownValues = ownName in mapping ? [] : [ownName];
  const values = mappedValues.length > 0 ? mappedValues : ownValues;
  return values.filter((value) => allowsValue(root, schema, property, value));
}

// An absent keyword allows every value.
function allowsValue(root: JsonObject, schema: Json | undefined, property: string, value: string): boolean {
  return sameValueSchemas(root, [schema], ['allOf']).every(({ properties }) => {
    const rules = sameValueSchemas(root, [objectOrEmpty(properties)[property]], ['allOf']);
    return rules.every(({ type = 'string', enum: allowed = [value], const: single = value }) => {
      const types = isJsonList(type) ? type : [type];
      return types.includes('string') && isJsonList(allowed) && allowed.includes(value) && single === value;
    });
  });
}

/** A Discriminator Object: the value of the property selects the schema of an object. */
interface Discriminator {
  readonly property: string;
  /** Maps each value of the property to a reference or the name of a component schema; empty without `mapping`. */
  readonly mapping: JsonObject;
  /** What applies without the property, or for a value that names no schema; undefined without `defaultMapping`. */
  readonly defaultReference: string | undefined;
}

/** A parent, which is a component schema with a discriminator, and its children: the schemas that inherit from it. */
interface Family {
  /** The reference to the parent, such as `#/components/schemas/Pet`. */
  readonly parent: string;
  readonly discriminator: Discriminator;
  readonly hasMapping: boolean;
  /** References to the schemas in the mapping, and to those with the parent in their allOf. */
  readonly children: readonly string[];
}

function toDiscriminator(value: Json | undefined): Discriminator | undefined {
  if (!isJsonObject(value) || typeof value['propertyName'] !== 'string') return undefined;
  const { propertyName, mapping, defaultMapping } = value;
  const defaultReference = defaultMapping === undefined ? undefined : toReference(defaultMapping);
  return { property: propertyName, mapping: objectOrEmpty(mapping), defaultReference };
}

/** Converts a value of a discriminator's mapping: `Cat` becomes `#/components/schemas/Cat`; a reference stays. */
function toReference(mapped: Json): string {
  const target = toText(mapped);
  return target.startsWith('#') ? target : COMPONENT_SCHEMAS + target;
}

/** The families, by references to their parents such as `#/components/schemas/Pet`. */
function findFamilies(root: JsonObject): ReadonlyMap<string, Family> {
  const components = Object.entries(componentSchemas(root)).map(([name, schema]) => ({
    reference: extendPointer('#/components/schemas', name),
    schema,
  }));
  const families = components.flatMap(({ reference: parent, schema }): Family[] => {
    const discriminator = isJsonObject(schema) ? toDiscriminator(schema['discriminator']) : undefined;
    // Beside oneOf or anyOf, a discriminator selects one of their branches, so the schema is not a parent.
    const hasBranches = isJsonObject(schema) && [schema['oneOf'], schema['anyOf']].some(isJsonList);
    if (!discriminator || hasBranches) return [];
    const mapped = Object.values(discriminator.mapping).map(toReference);
    const inheriting = components.filter(
      (other) =>
        other.schema !== schema && sameValueSchemas(root, [other.schema], ['allOf']).includes(schema as JsonObject),
    );
    const references = [...mapped, ...inheriting.map(({ reference }) => reference)];
    // The target as key: of several references to a child one is kept, and those without a target are dropped.
    const children = new Map(references.map((reference) => [findReferenced(root, reference), reference]));
    children.delete(undefined);
    if (children.size === 0) return [];
    return [{ parent, discriminator, hasMapping: mapped.length > 0, children: [...children.values()] }];
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
