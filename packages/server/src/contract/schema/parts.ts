// Lists the schemas that describe the same value as a schema: itself, its allOf, its alternatives and their references.
import { resolveReference, type Document } from './document';
import { Mistake } from '../text/mistake';
import { schemasOf } from './keywords';
import { toRegExp, subschemas, type Schema } from './schema';

type Applicator = 'allOf' | (typeof ALTERNATIVES)[number];

/** Keywords with schemas for the same value that it need not match. */
export const ALTERNATIVES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'] as const;

const ALL_APPLICATORS: readonly Applicator[] = ['allOf', ...ALTERNATIVES];

/**
 * Lists the parts of a schema: all schemas that describe the same value. These are the schema itself, those of its allOf and
 * alternatives, at any depth, with references followed.
 *
 * @param keywords whose schemas are listed; only allOf for those that every value has to match
 * @param around schemas that this one is inside of
 * @throws Mistake when a schema is one of its own parts, which no validator can decide
 * @example const types = partsOf(document, schema).flatMap(({ type = [] }) => type)
 */
export function partsOf(
  document: Document,
  node: Schema,
  keywords: readonly Applicator[] = ALL_APPLICATORS,
  around: readonly Schema[] = [],
): Schema[] {
  if (typeof node !== 'object') return [];
  const schema = resolveReference(document, node);
  if (around.includes(schema)) throw new Mistake(schema, 'is a part of itself: take it out of allOf, anyOf or oneOf');
  const aroundChildren = [...around, schema];
  const children = keywords.flatMap((keyword) => schemasOf(keyword, schema[keyword])) as Schema[];
  return [schema, ...children.flatMap((child) => partsOf(document, child, keywords, aroundChildren))];
}

/** Lists the parts of several schemas of one value, each once: repeated ones would multiply at each level. */
export function collectParts(document: Document, schemas: readonly Schema[]): readonly Schema[] {
  const distinct = new Set(schemas.map((schema) => resolveReference(document, schema)));
  return [...new Set([...distinct].flatMap((schema) => partsOf(document, schema)))];
}

/** Whether `isWanted` is true for a schema or any below it. `seen`: a recursive schema leads to the same ones again. */
export function holds(
  document: Document,
  node: Schema,
  isWanted: (schema: Schema) => boolean,
  seen = new Set<Schema>(),
): boolean {
  // In OpenAPI 3.1, true and false are schemas too: nothing is below them.
  if (typeof node !== 'object') return false;
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return isWanted(schema) || subschemas(schema).some((child) => holds(document, child, isWanted, seen));
}

/** The schemas of one property of an object. `parts` are all schemas that describe the object. */
export function propertySchemas(parts: readonly Schema[], name: string): Schema[] {
  return parts.flatMap((part) => {
    const { properties = {}, patternProperties = {} } = part;
    const byName = Object.hasOwn(properties, name) ? [properties[name]] : [];
    const byPattern = Object.entries(patternProperties)
      .filter(([pattern]) => toRegExp(pattern).test(name))
      .map(([, schema]) => schema);
    const declared = [...byName, ...byPattern].filter((schema) => schema !== undefined);
    // additionalProperties applies only where properties and patternProperties beside it do not.
    return declared.length > 0 ? declared : additionalSchemas([part]);
  });
}

/** Lists the schemas of properties whose names match a pattern; parts without it apply their additionalProperties. */
export function patternSchemas(parts: readonly Schema[], pattern: string): Schema[] {
  return parts.flatMap((part) => part.patternProperties?.[pattern] ?? additionalSchemas([part]));
}

/** Lists the schemas of properties that neither properties nor patternProperties have. */
export function additionalSchemas(parts: readonly Schema[]): Schema[] {
  return parts.flatMap((part) => [part.additionalProperties, part.unevaluatedProperties]).filter(isObject);
}

/** The schemas of one item of an array; without an index, of an item after all prefixItems. */
export function itemSchemas(parts: readonly Schema[], index = Infinity): Schema[] {
  return parts.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    // The other keywords apply only where prefixItems beside them does not.
    return prefixItems[index] ?? [items, unevaluatedItems].filter(isObject);
  });
}

function isObject(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object';
}
