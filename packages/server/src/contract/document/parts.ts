import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { subschemas, type Schema } from './schema';

type Applicator = 'allOf' | 'anyOf' | 'oneOf';

const ALL: readonly Applicator[] = ['allOf', 'anyOf', 'oneOf'];

/**
 * The schemas that describe one value: a schema, what it refers to, and what its keywords add.
 *
 * @param keywords without anyOf and oneOf, only what every value has to match
 * @throws Mistake when a schema is one of its own parts, which no validator can decide
 * @example const types = partsOf(document, schema).flatMap(({ type = [] }) => type)
 */
export function partsOf(
  document: Document,
  node: Schema,
  keywords: readonly Applicator[] = ALL,
  around: readonly Schema[] = [],
): Schema[] {
  const schema = resolveReference(document, node);
  if (around.includes(schema)) throw new Mistake(schema, 'is a part of itself: take it out of allOf, anyOf or oneOf');
  const within = [...around, schema];
  const below = keywords.flatMap((keyword) => schema[keyword] ?? []);
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
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return isWanted(schema) || subschemas(schema).some((child) => holds(document, child, isWanted, seen));
}

/** The schemas of a property, of those that describe an object. */
export function membersOf(parts: readonly Schema[], name: string): Schema[] {
  return parts.flatMap((part) => part.properties?.[name] ?? othersOf([part]));
}

/** The schemas of properties that are not listed. */
export function othersOf(parts: readonly Schema[]): Schema[] {
  return parts.flatMap(({ additionalProperties: others }) => (typeof others === 'object' ? [others] : []));
}

/** The schemas of the items of an array. */
export function itemsOf(parts: readonly Schema[]): Schema[] {
  return parts.flatMap(({ items = [] }) => items);
}
