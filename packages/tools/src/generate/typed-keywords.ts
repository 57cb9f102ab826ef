// Rewrites keywords of OpenAPI 3.1 for openapi-typescript.
import { type Document, findSchemas, resolveReference, type Schema } from '@contract-kit/server/contract';

type Schemas = Record<string, Schema>;

const CONDITIONAL_KEYWORDS = ['then', 'else'] as const;

/**
 * Replaces keywords of OpenAPI 3.1 by others that openapi-typescript knows, and that mean the same for types.
 *
 * @param copy changed
 */
export function replaceUnsupportedKeywords(copy: Document): void {
  const schemas = findSchemas(copy);
  hoistDefinitions(copy, schemas);
  for (const schema of schemas) {
    loosenTuple(schema);
    addConditionalProperties(copy, schema);
    const { unevaluatedProperties: others = false, additionalProperties = others } = schema;
    if (others !== false) Object.assign(schema, { additionalProperties });
  }
}

// Moves `$defs` to the components: openapi-typescript would type them as a property.
function hoistDefinitions(copy: Document, schemas: ReadonlySet<Schema>): void {
  const components = ((copy as { components?: { schemas?: Schemas } }).components ??= {});
  const all = (components.schemas ??= {});
  for (const schema of schemas) {
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) all[toFreeName(name, all)] = definition;
  }
  const names = new Map(Object.entries(all).map(([name, schema]) => [schema, name]));
  for (const schema of schemas) {
    if (schema.$ref?.includes('/$defs/') !== true) continue;
    const name = names.get(resolveReference<Schema>(copy, schema));
    if (name !== undefined) Object.assign(schema, { $ref: `#/components/schemas/${name}` });
  }
  for (const schema of schemas) delete (schema as { $defs?: unknown }).$defs;
}

function toFreeName(name: string, all: Schemas): string {
  return Object.hasOwn(all, name) ? toFreeName(`${name}_`, all) : name;
}

// A tuple that may be shorter, or longer, is a list of any of its items.
function loosenTuple(schema: Schema & { readonly minItems?: number; readonly maxItems?: number }): void {
  const { prefixItems, items = {}, minItems = 0, maxItems = Infinity } = schema;
  if (prefixItems === undefined) return;
  const isClosed = maxItems <= prefixItems.length || matchesNothing(items);
  if (isClosed && minItems >= prefixItems.length) return;
  delete (schema as { prefixItems?: unknown }).prefixItems;
  Object.assign(schema, { items: { anyOf: isClosed ? prefixItems : [...prefixItems, items] } });
}

// Properties that only `then`, `else` or `dependentSchemas` declare are optional ones.
function addConditionalProperties(copy: Document, schema: Schema): void {
  const conditions = [...CONDITIONAL_KEYWORDS.map((keyword) => schema[keyword]), ...Object.values(schema.dependentSchemas ?? {})];
  const found = conditions
    .filter((one) => one !== undefined)
    .flatMap((one) => Object.entries(resolveReference<Schema>(copy, one).properties ?? {}))
    .filter(([name]) => !Object.hasOwn(schema.properties ?? {}, name));
  const properties = [...Map.groupBy(found, ([name]) => name)].map(([name, all]) => {
    const alternatives = all.map(([, property]) => ({ ...property, default: undefined }));
    return [name, alternatives.length === 1 ? alternatives[0] : { anyOf: alternatives }] as const;
  });
  if (properties.length === 0) return;
  Object.assign(schema, { properties: { ...schema.properties, ...Object.fromEntries(properties) } });
}

/** Whether no value matches a schema, as `{ not: {} }`. */
export function matchesNothing({ not }: { readonly not?: unknown }): boolean {
  return typeof not === 'object' && not !== null && Object.keys(not).length === 0;
}
