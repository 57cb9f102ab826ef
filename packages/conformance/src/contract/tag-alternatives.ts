// Rewrites discriminators as plain JSON Schema.
import type { LeftOpen } from '../left-open';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../wire/json';
import { findFamilies, findInheriting, toReference, toTag, type Family, type Tag } from './families';
import { findReferenced } from './find';

/** A keyword on a branch that standards do not clearly require; its value is the clause. */
export const OPEN_BRANCH = 'x-left-open';

/** How discriminators are interpreted. */
interface TagOptions {
  /**
   * Whether a value must match the child schema that its discriminator names, when the contract refers only to the
   * parent: OpenAPI 3.0.4 and 3.1.1 say that validation does not require that.
   */
  readonly isStrict: boolean;
  /** Whether keywords beside `$ref` count. */
  readonly hasSiblings: boolean;
}

/**
 * Replaces discriminators by plain JSON Schema: each alternative that is a reference requires the property with one of
 * the values that name the schema (OpenAPI, Discriminator Object). A reference to a parent schema becomes an anyOf of
 * its children.
 */
export function replaceDiscriminators(root: JsonObject, { isStrict, hasSiblings }: TagOptions): JsonObject {
  const families = findFamilies(root);
  const inheriting = findInheriting(root);
  return replaceIn(root) as JsonObject;

  function replaceIn(node: Json): Json {
    if (isJsonList(node)) return node.map(replaceIn);
    if (!isJsonObject(node)) return node;
    const copied = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, replaceIn(member)]));
    const { $ref, ...beside } = copied;
    const family = typeof $ref === 'string' && !inheriting.has(node) ? families.get($ref) : undefined;
    if (family) {
      const choice = { anyOf: alternativesOf(family) };
      const { allOf, ...siblings } = beside;
      return hasSiblings ? { ...siblings, allOf: [...(isJsonList(allOf) ? allOf : []), choice] } : choice;
    }
    const { discriminator, ...rest } = copied;
    const keywords = ['oneOf', 'anyOf'].filter((keyword) => isJsonList(rest[keyword]));
    const listed = keywords.flatMap((keyword) => rest[keyword] as readonly Json[]);
    const tag = toTag(discriminator) ?? commonTag(listed);
    if (!tag) return copied;
    const tagged = keywords.map((keyword) => {
      return [keyword, (rest[keyword] as readonly Json[]).map((one) => tagAlternative(root, tag, one))];
    });
    return { ...rest, ...(Object.fromEntries(tagged) as JsonObject) };
  }

  // No standard says whether the parent schema itself is an alternative.
  function alternativesOf({ pointer, tag, heirs, hasMapping }: Family): Json[] {
    const self: Json = { $ref: pointer };
    const own = [...(isStrict ? [] : [self]), ...(isStrict && !hasMapping ? [tagAlternative(root, tag, self)] : [])];
    const open: LeftOpen = 'OpenAPI 3.0.4, 3.1.1 Discriminator Object';
    return [
      ...heirs.map(($ref) => tagAlternative(root, tag, { $ref })),
      ...own.map((one) => ({ allOf: [one], [OPEN_BRANCH]: open })),
    ];
  }

  // The discriminator of a parent from which all alternatives inherit.
  function commonTag(listed: readonly Json[]): Tag | undefined {
    const references = listed.map((one) => (isJsonObject(one) ? one['$ref'] : undefined));
    const all = [...families.values()];
    if (references.length === 0) return undefined;
    return all.find(({ heirs }) => references.every((one) => typeof one === 'string' && heirs.includes(one)))?.tag;
  }
}

function tagAlternative(root: JsonObject, tag: Tag, node: Json): Json {
  if (!isJsonObject(node) || typeof node['$ref'] !== 'string') return node;
  const names = tagValuesOf(root, tag, node['$ref']);
  const values: JsonObject = names.length > 0 ? { type: 'string', enum: names } : {};
  return { allOf: [node, { required: [tag.property], properties: { [tag.property]: values } }] };
}

// The discriminator values of a schema: from the mapping, or else the last part of its reference. Empty when the schema
// has a discriminator of its own for the same property.
function tagValuesOf(root: JsonObject, { property, mapping }: Tag, reference: string): string[] {
  const target = findReferenced(root, reference);
  const mapped = Object.entries(mapping).filter(([, to]) => {
    return target !== undefined && findReferenced(root, toReference(to)) === target;
  });
  const inner = isJsonObject(target) ? target['discriminator'] : undefined;
  if (mapped.length === 0 && isJsonObject(inner) && inner['propertyName'] === property) return [];
  const own = reference.slice(reference.lastIndexOf('/') + 1);
  const names = mapped.length > 0 ? mapped.map(([name]) => name) : [own].filter((name) => !(name in mapping));
  return names.filter((name) => isAllowed(root, target, property, name));
}

// Whether the type, enum and const of the property allow a discriminator value.
function isAllowed(root: JsonObject, schema: Json | undefined, property: string, name: string): boolean {
  return flattenAllOf(root, schema).every(({ properties }) => {
    const rules = isJsonObject(properties) ? flattenAllOf(root, properties[property]) : [];
    return rules.every(({ type = 'string', enum: values = [name], const: value = name }) => {
      const types = isJsonList(type) ? type : [type];
      return types.includes('string') && isJsonList(values) && values.includes(name) && value === name;
    });
  });
}

const MAX_DEPTH = 20;

// The schema itself and everything in its allOf, references resolved.
function flattenAllOf(root: JsonObject, schema: Json | undefined, depth = 0): JsonObject[] {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, allOf } = schema;
  if (typeof $ref === 'string') return flattenAllOf(root, findReferenced(root, $ref), depth + 1);
  return [schema, ...(isJsonList(allOf) ? allOf.flatMap((part) => flattenAllOf(root, part, depth + 1)) : [])];
}
