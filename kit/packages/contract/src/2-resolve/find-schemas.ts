// Finds the schemas of a document, the schemas below a schema, and those that describe the same value.
import { isData, isMapByName } from '../1-parse/parse-yaml';
import { resolveReference, type Document } from './document';
import { DocumentError } from '../text/document-error';
import { isObjectOrArray, schemasOf, subschemas, toRegExp, type SchemaKeywords } from './schema';

/**
 * Finds every schema of a document, with those inside others and those that references lead to.
 *
 * @param from the part of the document to begin at
 * @example for (const { type } of findSchemas(document)) console.log(type)
 */
export function findSchemas<S extends SchemaKeywords<S>>(
  document: Document<S>,
  from: object = document,
): ReadonlySet<S> {
  const found = new Set<S>();
  for (const { schema } of outermostSchemas(from)) if (isObjectOrArray(schema)) found.add(schema as S);
  // The set grows during the loop.
  for (const schema of found) {
    const target = tryResolve(document, schema);
    for (const inner of [...subschemas(schema, true), ...(target ? [target] : [])]) found.add(inner);
  }
  return found;
}

/** Like resolveReference, but undefined if the reference leads nowhere, which is reported elsewhere. */
export function tryResolve<S extends SchemaKeywords<S>>(document: Document<S>, schema: S): S | undefined {
  try {
    return resolveReference(document, schema);
  } catch {
    return undefined;
  }
}

/** A schema that no other schema contains; `schema` may be malformed. */
interface OutermostSchema {
  readonly owner: object;
  readonly key: string;
  readonly schema: unknown;
}

/**
 * Lists the schemas of media types, parameters and headers, and those in components. Examples and extensions contain none.
 *
 * @param areKeysNames whether the keys of `owner` are names, not keywords
 */
export function* outermostSchemas(owner: object, areKeysNames = false): Generator<OutermostSchema> {
  for (const [key, child] of Object.entries(owner) as [string, unknown][]) {
    if (
      !areKeysNames &&
      ((key.startsWith('x-') && !key.startsWith('x-oai-')) || key === 'examples' || isData(key, child))
    )
      continue;
    if ((key === 'schema' || key === 'itemSchema') && !areKeysNames) yield { owner, key, schema: child };
    else if (!isObjectOrArray(child)) continue;
    else if (key === 'schemas' && !areKeysNames)
      for (const [name, schema] of Object.entries(child)) yield { owner: child, key: name, schema };
    else yield* outermostSchemas(child, !areKeysNames && isMapByName(key, child));
  }
}

type Applicator = 'allOf' | 'not' | (typeof CONDITIONAL_APPLICATORS)[number];

/** Keywords whose schemas describe the same value, which need not match them. */
export const CONDITIONAL_APPLICATORS = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'] as const;

const IN_PLACE_APPLICATORS: readonly Applicator[] = ['allOf', ...CONDITIONAL_APPLICATORS];

/**
 * Lists the in-place schemas of a schema, which all describe the same value: itself and the schemas in allOf, anyOf and the
 * like, at any depth, with references followed (JSON Schema Core, section 10.2).
 *
 * @param keywords the keywords to follow; only allOf for the schemas that every value has to match
 * @throws DocumentError if a schema applies to its own value in place, which no validator can decide
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
 * Lists the in-place schemas of several schemas of one value, each only once: repeated ones would multiply at each level.
 *
 * @example const parts = collectInPlaceSchemas(document, propertySchemas(inPlaceSchemasOf(document, schema), 'id'))
 */
export function collectInPlaceSchemas<S extends SchemaKeywords<S>>(
  document: Document<S>,
  nodes: readonly S[],
  keywords: readonly Applicator[] = IN_PLACE_APPLICATORS,
): S[] {
  const found = new Set<S>();
  const enclosing = new Set<S>();
  function visit(node: S): void {
    if (typeof node !== 'object') return;
    const schema = resolveReference(document, node);
    if (enclosing.has(schema))
      throw new DocumentError(
        schema,
        'refers to itself for the same value, through a keyword such as allOf or not, and so never ends: remove the reference',
      );
    if (found.has(schema)) return;
    found.add(schema);
    enclosing.add(schema);
    for (const keyword of keywords) (schemasOf(keyword, schema[keyword]) as S[]).forEach(visit);
    enclosing.delete(schema);
  }
  nodes.forEach(visit);
  return [...found];
}

/**
 * The default of a schema, of its reference's target, or of its allOf.
 *
 * @example findDefault(document, { $ref: '#/components/schemas/Limit' }) // 20
 */
export function findDefault<S extends SchemaKeywords<S> & { readonly default?: unknown }>(
  document: Document<S>,
  schema: S,
): unknown {
  return inPlaceSchemasOf(document, schema, ['allOf']).find((part) => part.default !== undefined)?.default;
}

/**
 * Lists schemas and all schemas below them, with references followed, each only once.
 *
 * @param listed the schemas to leave out; those that are listed are added to it
 * @example for (const { type } of subschemasOf(document, [schema])) console.log(type)
 */
export function* subschemasOf<S extends SchemaKeywords<S>>(
  document: Document<S>,
  roots: readonly S[],
  listed = new Set<S>(),
): Generator<S> {
  // The list grows during the loop.
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
 * Whether `isWanted` is true for a schema or any below it.
 *
 * @param known a cache of answers, for calls with the same `isWanted`
 * @example someSchemaBelow(document, schema, ({ format }) => format === 'int64')
 */
export function someSchemaBelow<S extends SchemaKeywords<S>>(
  document: Document<S>,
  node: S,
  isWanted: (schema: S) => boolean,
  known = new WeakMap<S, boolean>(),
): boolean {
  // OpenAPI 3.1 also has the schemas true and false.
  if (typeof node !== 'object') return false;
  // The set grows during the loop.
  const below = new Set([resolveReference(document, node)]);
  for (const schema of below) {
    const answer = known.get(schema) ?? (isWanted(schema) || undefined);
    if (answer === true) {
      known.set(resolveReference(document, node), true);
      return true;
    }
    if (answer === undefined) for (const inner of subschemas(schema)) below.add(resolveReference(document, inner));
  }
  for (const schema of below) known.set(schema, false);
  return false;
}

/**
 * The schemas of one property of an object, from all in-place schemas of the object.
 *
 * @example propertySchemas(inPlaceSchemasOf(document, schema), 'id')
 */
export function propertySchemas<S extends SchemaKeywords<S>>(parts: readonly S[], name: string): S[] {
  const found: S[] = [];
  // There may be thousands of parts and of names, so this allocates nothing for a part without the property.
  for (const part of parts) {
    const { properties, patternProperties } = part;
    const count = found.length;
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) found.push(property);
    for (const pattern in patternProperties) {
      const schema = patternProperties[pattern];
      if (schema !== undefined && toRegExp(pattern).test(name)) found.push(schema);
    }
    // JSON Schema Core, section 10.3.2.3: additionalProperties applies only where its siblings do not.
    if (found.length === count) addAdditionalSchemas(part, found);
  }
  return found;
}

/** Lists the schemas of properties that match a pattern; a schema without the pattern applies its additionalProperties. */
export function patternSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[], pattern: string): S[] {
  return inPlaceSchemas.flatMap((part) => part.patternProperties?.[pattern] ?? additionalSchemas([part]));
}

/**
 * Lists the schemas of properties that neither properties nor patternProperties describe.
 *
 * @example additionalSchemas([{ additionalProperties: { type: 'string' } }]) // [{ type: 'string' }]
 */
export function additionalSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[]): S[] {
  const found: S[] = [];
  for (const part of inPlaceSchemas) addAdditionalSchemas(part, found);
  return found;
}

function addAdditionalSchemas<S extends SchemaKeywords<S>>(part: S, found: S[]): void {
  for (const schema of [part.additionalProperties, part.unevaluatedProperties])
    if (isObjectOrArray(schema)) found.push(schema);
}

/**
 * The schemas of one item of an array; without an index, those of an item after all prefixItems.
 *
 * @example itemSchemas(inPlaceSchemasOf(document, schema), 0)
 */
export function itemSchemas<S extends SchemaKeywords<S>>(inPlaceSchemas: readonly S[], index = Infinity): S[] {
  return inPlaceSchemas.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    return prefixItems[index] ?? ([items, unevaluatedItems].filter(isObjectOrArray) as S[]);
  });
}
