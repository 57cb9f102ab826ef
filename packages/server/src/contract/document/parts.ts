// The schemas that describe one value: a schema, what it refers to, and its alternatives.
import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { schemasOf } from './keywords';
import { toRegExp } from '../text/to-reg-exp';
import { subschemas, type Schema } from './schema';

type Applicator = 'allOf' | (typeof ALTERNATIVES)[number];

/** What a value may match, or not. */
export const ALTERNATIVES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'] as const;

const ALL: readonly Applicator[] = ['allOf', ...ALTERNATIVES];

/**
 * The schemas that describe one value: a schema, what it refers to, and what its keywords add.
 *
 * @param keywords only allOf for what every value has to match
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

/** The parts of all schemas of one value, each once: alternatives that hold one another would multiply at each level. */
export function joinParts(document: Document, schemas: readonly Schema[]): readonly Schema[] {
  const each = new Set(schemas.map((schema) => resolveReference(document, schema)));
  return [...new Set([...each].flatMap((schema) => partsOf(document, schema)))];
}

/** Whether a schema, or any schema below it, is what is looked for. */
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

/** The schemas of a property, of those that describe an object. */
export function membersOf(parts: readonly Schema[], name: string): Schema[] {
  return parts.flatMap((part) => {
    const { properties = {}, patternProperties = {} } = part;
    const patterns = Object.entries(patternProperties).filter(([pattern]) => toRegExp(pattern).test(name));
    const listed = [...(Object.hasOwn(properties, name) ? [properties[name]] : []), ...patterns.map(([, one]) => one)];
    return listed.length > 0 ? listed.filter((one) => one !== undefined) : othersOf([part]);
  });
}

/** The schemas of properties whose names match a pattern. */
export function matchingOf(parts: readonly Schema[], pattern: string): Schema[] {
  return parts.flatMap((part) => part.patternProperties?.[pattern] ?? othersOf([part]));
}

/** The schemas of properties that are not listed. */
export function othersOf(parts: readonly Schema[]): Schema[] {
  return parts.flatMap((part) => [part.additionalProperties, part.unevaluatedProperties]).filter(isObject);
}

/**
 * The schemas of an item of an array.
 *
 * @param index without it, the item is beyond those that are told by their position
 */
export function itemsOf(parts: readonly Schema[], index = Infinity): Schema[] {
  return parts.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    return prefixItems[index] ?? [items, unevaluatedItems].filter(isObject);
  });
}

function isObject(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object';
}
