import { isJsonList, isJsonObject, type Json, type JsonObject } from '../wire/json';
import { resolvePointer } from './pointer';

const SCHEMAS = '#/components/schemas/';

/**
 * A contract whose discriminators are said in words that every validator has: each alternative that is a reference needs
 * the property, with one of the values that name the schema (OpenAPI, Discriminator Object).
 *
 * A discriminator without alternatives stays: those that inherit from its schema are not listed.
 */
export function tagAlternatives(root: JsonObject): JsonObject {
  return tagIn(root, root) as JsonObject;
}

function tagIn(root: JsonObject, node: Json): Json {
  if (isJsonList(node)) return node.map((item) => tagIn(root, item));
  if (!isJsonObject(node)) return node;
  const copied = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, tagIn(root, member)]));
  const { discriminator, ...rest } = copied;
  const keywords = ['oneOf', 'anyOf'].filter((keyword) => isJsonList(rest[keyword]));
  if (!isJsonObject(discriminator) || typeof discriminator['propertyName'] !== 'string' || keywords.length === 0) {
    return copied;
  }
  const { propertyName, mapping = {} } = discriminator;
  const tag: Tag = { property: propertyName, mapping: isJsonObject(mapping) ? mapping : {} };
  const tagged = keywords.map((keyword) => {
    return [keyword, (rest[keyword] as readonly Json[]).map((one) => tagAlternative(root, tag, one))];
  });
  return { ...rest, ...(Object.fromEntries(tagged) as JsonObject) };
}

interface Tag {
  readonly property: string;
  readonly mapping: JsonObject;
}

function tagAlternative(root: JsonObject, tag: Tag, node: Json): Json {
  if (!isJsonObject(node) || typeof node['$ref'] !== 'string') return node;
  const names = namesOf(root, tag, node['$ref']);
  const values: JsonObject = names.length > 0 ? { type: 'string', enum: names } : {};
  return { allOf: [node, { required: [tag.property], properties: { [tag.property]: values } }] };
}

// Those of the mapping, or else the last part of the reference. None where rules of the schema itself name it otherwise.
function namesOf(root: JsonObject, { property, mapping }: Tag, reference: string): string[] {
  const target = find(root, reference);
  const mapped = Object.entries(mapping).filter(([, to]) => {
    const pointer = typeof to === 'string' && !to.startsWith('#') ? SCHEMAS + to : to;
    return typeof pointer === 'string' && target !== undefined && find(root, pointer) === target;
  });
  const inner = isJsonObject(target) ? target['discriminator'] : undefined;
  if (mapped.length === 0 && isJsonObject(inner) && inner['propertyName'] === property) return [];
  const own = reference.slice(reference.lastIndexOf('/') + 1);
  const names = mapped.length > 0 ? mapped.map(([name]) => name) : [own].filter((name) => !(name in mapping));
  return names.filter((name) => isAllowed(root, target, property, name));
}

function isAllowed(root: JsonObject, schema: Json | undefined, property: string, name: string): boolean {
  return partsOf(root, schema).every(({ properties }) => {
    const rules = isJsonObject(properties) ? partsOf(root, properties[property]) : [];
    return rules.every(({ type = 'string', enum: values = [name], const: value = name }) => {
      const types = isJsonList(type) ? type : [type];
      return types.includes('string') && isJsonList(values) && values.includes(name) && value === name;
    });
  });
}

const MAX_DEPTH = 20;

function partsOf(root: JsonObject, schema: Json | undefined, depth = 0): JsonObject[] {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, allOf } = schema;
  if (typeof $ref === 'string') return partsOf(root, find(root, $ref), depth + 1);
  return [schema, ...(isJsonList(allOf) ? allOf.flatMap((part) => partsOf(root, part, depth + 1)) : [])];
}

function find(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  try {
    return resolvePointer(root, reference);
  } catch {
    return undefined;
  }
}
