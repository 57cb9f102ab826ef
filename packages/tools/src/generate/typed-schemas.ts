// Rewrites readOnly, writeOnly and defaults for openapi-typescript.
import {
  type NormalizedDocument as Document,
  type NormalizedSchema as Schema,
  findSchemas,
  inPlaceSchemasOf,
  resolveReference,
  subschemas,
} from '@contract-kit/server/contract';

const READ_OR_WRITE_ONLY = ['readOnly', 'writeOnly'] as const;

/**
 * Copies readOnly and writeOnly to each property from its parts, since openapi-typescript does not follow references,
 * and deletes each default that the server does not fill in: with a default, the type of a property is never undefined.
 */
export function prepareProperties(copy: Document): void {
  const schemas = findSchemas(copy);
  for (const property of [...schemas].flatMap((schema) => Object.values(schema.properties ?? {}))) {
    const parts = inPlaceSchemasOf(copy, property);
    for (const keyword of READ_OR_WRITE_ONLY) {
      if (parts.some((part) => part[keyword])) Object.assign(property, { [keyword]: true });
    }
  }
  // Those of requests, but for anyOf and oneOf.
  const filledIn = findSchemasBelow(copy, listRequestSchemas(copy));
  const alternatives = [...schemas].flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  for (const schema of findSchemasBelow(copy, alternatives)) filledIn.delete(schema);
  for (const { properties = {} } of [...schemas].filter((schema) => !filledIn.has(schema))) {
    for (const property of Object.values(properties)) delete (property as { default?: unknown }).default;
  }
}

interface Requested {
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
}

// The schemas of the parameters and bodies of requests.
function listRequestSchemas(document: Document): Schema[] {
  const items = Object.values(document.paths as Record<string, Requested>).map((item) =>
    resolveReference<Requested>(document, item),
  );
  const operations = items.flatMap((item) => [item, ...(Object.values(item) as Requested[])]);
  const holders = operations.flatMap(({ parameters = [], requestBody = {} }) => [...parameters, requestBody]);
  return holders
    .map((holder) =>
      resolveReference<{ schema?: Schema; content?: Record<string, { schema?: Schema }> }>(document, holder),
    )
    .flatMap(({ schema = [], content = {} }) => [schema, ...Object.values(content).map((media) => media.schema ?? [])])
    .flat();
}

function findSchemasBelow(document: Document, schemas: readonly Schema[]): Set<Schema> {
  const found = new Set(schemas);
  // The loop goes on with the schemas that it adds.
  for (const schema of found) {
    for (const inner of [...subschemas(schema), ...inPlaceSchemasOf(document, schema)]) found.add(inner);
  }
  return found;
}

type Schemas = Record<string, Schema>;

const CONDITIONAL_KEYWORDS = ['then', 'else'] as const;

/** Replaces keywords such as `if`, which openapi-typescript does not know, by others that mean the same for types. */
export function replaceUnsupportedKeywords(copy: Document): void {
  const schemas = findSchemas(copy);
  hoistDefinitions(copy, schemas);
  for (const schema of schemas) {
    loosenTuple(schema);
    addConditionalProperties(copy, schema);
    // For types, unevaluatedProperties means the same as additionalProperties. `false` is what types mean anyway.
    const { unevaluatedProperties = false, additionalProperties = unevaluatedProperties } = schema;
    if (unevaluatedProperties !== false) Object.assign(schema, { additionalProperties });
  }
}

// Moves `$defs` and `definitions` to components/schemas: openapi-typescript would type them as properties.
function hoistDefinitions(copy: Document, schemas: ReadonlySet<Schema>): void {
  const components = ((copy as { components?: { schemas?: Schemas } }).components ??= {});
  const componentSchemas = (components.schemas ??= {});
  for (const { $defs = {}, definitions = {} } of schemas) {
    for (const [name, definition] of [$defs, definitions].flatMap(Object.entries<Schema>)) {
      componentSchemas[toFreeName(name, componentSchemas)] = definition;
    }
  }
  const nameOfSchema = new Map(Object.entries(componentSchemas).map(([name, schema]) => [schema, name]));
  for (const schema of schemas) {
    const refersToDefinition = /\/(?:\$defs|definitions)\//.test(schema.$ref ?? '');
    if (!refersToDefinition) continue;
    const name = nameOfSchema.get(resolveReference<Schema>(copy, schema));
    if (name !== undefined) Object.assign(schema, { $ref: `#/components/schemas/${name}` });
  }
  // Last, since references to them are resolved above.
  for (const schema of schemas as ReadonlySet<{ $defs?: unknown; definitions?: unknown }>) {
    delete schema.$defs;
    delete schema.definitions;
  }
}

function toFreeName(name: string, schemas: Schemas): string {
  return Object.hasOwn(schemas, name) ? toFreeName(`${name}_`, schemas) : name;
}

// openapi-typescript makes a tuple of `prefixItems`, which is neither shorter nor longer. Unless all arrays have
// exactly these items, `items` of any of the same schemas replace it.
function loosenTuple(schema: Schema & { readonly minItems?: number; readonly maxItems?: number }): void {
  const { prefixItems, items = {}, minItems = 0, maxItems = Infinity } = schema;
  if (prefixItems === undefined) return;
  const mayBeLonger = maxItems > prefixItems.length && !matchesNothing(items);
  const mayBeShorter = minItems < prefixItems.length;
  if (!mayBeLonger && !mayBeShorter) return;
  delete (schema as { prefixItems?: unknown }).prefixItems;
  Object.assign(schema, { items: { anyOf: mayBeLonger ? [...prefixItems, items] : prefixItems } });
}

// Properties that only `then`, `else` or `dependentSchemas` declare become optional ones in `properties`.
function addConditionalProperties(copy: Document, schema: Schema): void {
  const { dependentSchemas = {} } = schema;
  const conditional = [...CONDITIONAL_KEYWORDS.map((keyword) => schema[keyword]), ...Object.values(dependentSchemas)];
  const undeclared = conditional
    .filter((node) => node !== undefined)
    .flatMap((node) => Object.entries(resolveReference<Schema>(copy, node).properties ?? {}))
    .filter(([name]) => !Object.hasOwn(schema.properties ?? {}, name));
  const properties = [...Map.groupBy(undeclared, ([name]) => name)].map(([name, declarations]) => {
    // openapi-typescript would make a property with a default a required one.
    const alternatives = declarations.map(([, property]) => ({ ...property, default: undefined }));
    return [name, alternatives.length === 1 ? alternatives[0] : { anyOf: alternatives }] as const;
  });
  if (properties.length === 0) return;
  Object.assign(schema, { properties: { ...schema.properties, ...Object.fromEntries(properties) } });
}

/**
 * Declares each name of `required` that has no property, so that its type has it: any value is allowed, or what
 * `additionalProperties` allows. It is readOnly or writeOnly if the property is so elsewhere, such as in another part of
 * an allOf.
 */
export function addRequiredProperties(copy: Document): void {
  const schemas = findSchemas(copy);
  // openapi-typescript makes a union of an anyOf and the properties beside it.
  const alternatives = new Set([...schemas].flatMap(({ anyOf = [] }) => anyOf));
  const added = new Map<Schema, Schemas>();
  for (const parts of [...schemas].map((schema) => inPlaceSchemasOf(copy, schema))) {
    for (const part of parts) {
      const { required = [], properties = {}, patternProperties, additionalProperties, type = 'object' } = part;
      const isObject = [type].flat().includes('object') && patternProperties === undefined && !alternatives.has(part);
      for (const name of required) {
        if (!isObject || Object.hasOwn(properties, name)) continue;
        const value = typeof additionalProperties === 'object' ? additionalProperties : {};
        const modes = READ_OR_WRITE_ONLY.filter((mode) => parts.some((other) => other.properties?.[name]?.[mode]));
        const before = added.get(part) ?? {};
        const property = { ...value, ...before[name], ...Object.fromEntries(modes.map((mode) => [mode, true])) };
        added.set(part, { ...before, [name]: property });
      }
    }
  }
  for (const [part, properties] of added) Object.assign(part, { properties: { ...part.properties, ...properties } });
}

/** Whether no value matches a schema, as for `{ not: {} }`. */
export function matchesNothing({ not }: { readonly not?: unknown }): boolean {
  return typeof not === 'object' && not !== null && Object.keys(not).length === 0;
}
