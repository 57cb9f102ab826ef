// Lists the schemas that describe the same value as a schema: itself, its allOf, its alternatives and their references.
import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { schemasOf } from './keywords';
import { toRegExp } from '../text/to-reg-exp';
import { subschemas, type Schema } from './schema';

type Applicator = 'allOf' | (typeof ALTERNATIVES)[number];

/** Keywords with schemas for the same value that it need not match. */
export const ALTERNATIVES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'] as const;

const ALL: readonly Applicator[] = ['allOf', ...ALTERNATIVES];

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
  keywords: readonly Applicator[] = ALL,
  around: readonly Schema[] = [],
): Schema[] {
  if (typeof node !== 'object') return [];
  const schema = resolveReference(document, node);
  if (around.includes(schema)) throw new Mistake(schema, 'is a part of itself: take it out of allOf, anyOf or oneOf');
  const within = [...around, schema];
  const below = keywords.flatMap((keyword) => schemasOf(keyword, schema[keyword])) as Schema[];
  return [schema, ...below.flatMap((part) => partsOf(document, part, keywords, within))];
}

/** Lists the parts of several schemas of one value, each once: repeated ones would multiply at each level. */
export function collectParts(document: Document, schemas: readonly Schema[]): readonly Schema[] {
  const each = new Set(schemas.map((schema) => resolveReference(document, schema)));
  return [...new Set([...each].flatMap((schema) => partsOf(document, schema)))];
}

/** Whether `isWanted` is true for a schema or any schema below it. */
export function holds(
  document: Document,
  node: Schema,
  isWanted: (schema: Schema) => boolean,
  seen = new Set<Schema>(),
): boolean {
  if (typeof node !== 'object') return false;
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return isWanted(schema) || subschemas(schema).some((child) => holds(document, child, isWanted, seen));
}

/**
 * Lists the schemas of one property of an object.
 *
 * @param parts all schemas that describe the object
 */
export function propertySchemas(parts: readonly Schema[], name: string): Schema[] {
  return parts.flatMap((part) => {
    const { properties = {}, patternProperties = {} } = part;
    const patterns = Object.entries(patternProperties).filter(([pattern]) => toRegExp(pattern).test(name));
    const listed = [...(Object.hasOwn(properties, name) ? [properties[name]] : []), ...patterns.map(([, one]) => one)];
    return listed.length > 0 ? listed.filter((one) => one !== undefined) : additionalSchemas([part]);
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

/**
 * Lists the schemas of one item of an array.
 *
 * @param parts all schemas that describe the array
 * @param index left out for an item after all prefixItems
 */
export function itemSchemas(parts: readonly Schema[], index = Infinity): Schema[] {
  return parts.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    return prefixItems[index] ?? [items, unevaluatedItems].filter(isObject);
  });
}

function isObject(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object';
}
