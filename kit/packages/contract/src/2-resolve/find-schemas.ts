// Finds the schemas of a document, the schemas below a schema, and the schemas that describe the same value.
import { isData, isMapByName } from '../1-parse/parse-yaml';
import { resolveReference, type Document } from './document';
import { DocumentError } from '../text/document-error';
import { isObjectOrArray, schemasOf, subschemas, toRegExp, type SchemaKeywords } from './schema';

/**
 * Finds every schema of a document, including nested schemas and the targets of references.
 *
 * @param from the part of the document to start from
 * @example for (const { type } of findSchemas(document)) console.log(type)
 */
export function findSchemas<S extends SchemaKeywords<S>>(
  document: Document<S>,
  from: object = document,
): ReadonlySet<S> {
  const schemas = new Set<S>();
  for (const { schema } of outermostSchemas(from)) if (isObjectOrArray(schema)) schemas.add(schema as S);
  for (const schema of schemas) {
    const target = tryResolve(document, schema);
    for (const inner of [...subschemas(schema, true), ...(target ? [target] : [])]) schemas.add(inner);
  }
  return schemas;
}

/** Like resolveReference, but returns undefined if the target is missing. That error is reported elsewhere. */
export function tryResolve<S extends SchemaKeywords<S>>(document: Document<S>, schema: S): S | undefined {
  try {
    return resolveReference(document, schema);
  } catch {
    return undefined;
  }
}

/** A schema that is not inside another schema. It can still be malformed. */
interface OutermostSchema {
  readonly owner: object;
  readonly key: string;
  readonly schema: unknown;
}

/**
 * Lists the schemas of media types, parameters, headers and components. It skips examples and extensions.
 *
 * @param isNameMap whether the keys of `owner` are names, not keywords
 */
export function* outermostSchemas(owner: object, isNameMap = false): Generator<OutermostSchema> {
  for (const [key, child] of Object.entries(owner) as [string, unknown][]) {
    if (!isNameMap && ((key.startsWith('x-') && !key.startsWith('x-oai-')) || key === 'examples' || isData(key, child)))
      continue;
    if ((key === 'schema' || key === 'itemSchema') && !isNameMap) yield { owner, key, schema: child };
    else if (!isObjectOrArray(child)) continue;
    else if (key === 'schemas' && !isNameMap)
      for (const [name, schema] of Object.entries(child)) yield { owner: child, key: name, schema };
    else yield* outermostSchemas(child, !isNameMap && isMapByName(key, child));
  }
}

type Applicator = 'allOf' | 'not' | (typeof CONDITIONAL_APPLICATORS)[number];

/** Keywords whose schemas apply to the same value, which does not have to match them. */
export const CONDITIONAL_APPLICATORS = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'] as const;

const IN_PLACE_APPLICATORS: readonly Applicator[] = ['allOf', ...CONDITIONAL_APPLICATORS];

/**
 * Lists the in-place schemas of a schema, which all describe the same value. They are the schema itself and those in
 * keywords such as allOf and anyOf, at any depth, with references followed (JSON Schema Core, section 10.2).
 *
 * @param keywords the keywords to follow. With only allOf, the result is the schemas that every value has to match.
 * @throws DocumentError if a schema applies itself to the same value, which no validator can decide
 * @example const types = inPlaceSchemasOf(document, schema).flatMap(({ type = [] }) => type)
 */
export function inPlaceSchemasOf<S extends SchemaKeywords<S>>(
  document: Document<S>,
  node: S,
  keywords: readonly Applicator[] = IN_PLACE_APPLICATORS,
): S[] {
  return collectInPlaceSchemas(document, [node], keywords);
}

/**
 * Lists the in-place schemas of several schemas that describe the same value. Duplicates are left out, because they would
 * multiply at each level.
 *
 * @example const parts = collectInPlaceSchemas(document, propertySchemas(inPlaceSchemasOf(document, schema), 'id'))
 */
export function collectInPlaceSchemas<S extends SchemaKeywords<S>>(
  document: Document<S>,
  nodes: readonly S[],
  keywords: readonly Applicator[] = IN_PLACE_APPLICATORS,
): S[] {
  const collectedSchemas = new Set<S>();
  const enclosingSchemas = new Set<S>();
  function visit(node: S): void {
    if (typeof node !== 'object') return;
    const schema = resolveReference(document, node);
    if (enclosingSchemas.has(schema))
      throw new DocumentError(
        schema,
        'refers to itself for the same value, through a keyword such as allOf or not, and so never ends: remove the reference',
      );
    if (collectedSchemas.has(schema)) return;
    collectedSchemas.add(schema);
    enclosingSchemas.add(schema);
    for (const keyword of keywords) (schemasOf(keyword, schema[keyword]) as S[]).forEach(visit);
    enclosingSchemas.delete(schema);
  }
  nodes.forEach(visit);
  return [...collectedSchemas];
}

/**
 * Finds the default in a schema or its allOf, after following references.
 *
 * @example findDefault(document, { $ref: '#/components/schemas/Limit' }) // 20
 */
export function findDefault<S extends SchemaKeywords<S> & { readonly default?: unknown }>(
  document: Document<S>,
  schema: S,
): unknown {
  return inPlaceSchemasOf(document, schema, ['allOf']).find(({ default: value }) => value !== undefined)?.default;
}

/**
 * Lists schemas and all schemas below them, with references followed and without duplicates.
 *
 * @param listed the schemas to skip; every schema that is returned is added to it
 * @example for (const { type } of subschemasOf(document, [schema])) console.log(type)
 */
export function* subschemasOf<S extends SchemaKeywords<S>>(
  document: Document<S>,
  roots: readonly S[],
  listed = new Set<S>(),
): Generator<S> {
  const nodes = [...roots];
  for (const node of nodes) {
    const schema = resolveReference(document, node);
    if (listed.has(schema)) continue;
    listed.add(schema);
    yield schema;
    nodes.push(...subschemas(schema));
  }
}

/**
 * Whether `matches` returns true for a schema or any schema below it.
 *
 * @param cache holds the results of earlier calls with the same `matches`
 * @example someSchemaBelow(document, schema, ({ format }) => format === 'int64')
 */
export function someSchemaBelow<S extends SchemaKeywords<S>>(
  document: Document<S>,
  node: S,
  matches: (schema: S) => boolean,
  cache = new WeakMap<S, boolean>(),
): boolean {
  // In OpenAPI 3.1, a schema can also be true or false.
  if (typeof node !== 'object') return false;
  const schemas = new Set([resolveReference(document, node)]);
  for (const schema of schemas) {
    const answer = cache.get(schema) ?? (matches(schema) || undefined);
    if (answer === true) {
      cache.set(resolveReference(document, node), true);
      return true;
    }
    if (answer === undefined) for (const inner of subschemas(schema)) schemas.add(resolveReference(document, inner));
  }
  for (const schema of schemas) cache.set(schema, false);
  return false;
}

/**
 * Lists the schemas that an object's in-place schemas declare for one property.
 *
 * @example propertySchemas(inPlaceSchemasOf(document, schema), 'id')
 */
export function propertySchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[], name: string): S[] {
  const schemas: S[] = [];
  // This allocates nothing for a schema without the property, because there can be thousands of schemas and names.
  for (const inPlaceSchema of inPlaceSchemas) {
    const { properties, patternProperties } = inPlaceSchema;
    const count = schemas.length;
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) schemas.push(property);
    for (const pattern in patternProperties) {
      const schema = patternProperties[pattern];
      if (schema !== undefined && toRegExp(pattern).test(name)) schemas.push(schema);
    }
    // JSON Schema Core, section 10.3.2.3: additionalProperties applies only where its siblings do not.
    if (schemas.length === count) addAdditionalSchemas(inPlaceSchema, schemas);
  }
  return schemas;
}

/** Lists the schemas for properties that match a pattern. Schemas without the pattern contribute their additionalProperties. */
export function patternSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[], pattern: string): S[] {
  return inPlaceSchemas.flatMap((schema) => schema.patternProperties?.[pattern] ?? additionalSchemas([schema]));
}

/**
 * Lists the schemas for properties that match neither `properties` nor `patternProperties`.
 *
 * @example additionalSchemas([{ additionalProperties: { type: 'string' } }]) // [{ type: 'string' }]
 */
export function additionalSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[]): S[] {
  const schemas: S[] = [];
  for (const inPlaceSchema of inPlaceSchemas) addAdditionalSchemas(inPlaceSchema, schemas);
  return schemas;
}

function addAdditionalSchemas<S extends SchemaKeywords<S>>(inPlaceSchema: S, schemas: S[]): void {
  for (const schema of [inPlaceSchema.additionalProperties, inPlaceSchema.unevaluatedProperties])
    if (isObjectOrArray(schema)) schemas.push(schema);
}

/**
 * Lists the schemas for one item of an array. Without an index, they are for the items after all prefixItems.
 *
 * @example itemSchemas(inPlaceSchemasOf(document, schema), 0)
 */
export function itemSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[], index = Infinity): S[] {
  return inPlaceSchemas.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    return prefixItems[index] ?? ([items, unevaluatedItems].filter(isObjectOrArray) as S[]);
  });
}
