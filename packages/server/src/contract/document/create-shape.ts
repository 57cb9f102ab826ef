import { assertNoAmbiguousInt64 } from './ambiguous-int64';
import type { Document } from './document';
import { assertMarkedAlike, findMarked, holdsMarked, type Mark } from './marks';
import { Mistake } from './mistake';
import { itemsOf, joinParts, membersOf, othersOf } from './parts';
import type { Schema } from './schema';
import { assertSupportedSchema, holdsInt64, isInt64Schema } from './schema-support';
import type { Shape } from './shape';

/**
 * Finds where the values of a schema have an int64, and what a request or a reply does not have of them.
 *
 * @param excluded what says so of a property; without it the value is of no direction, as an example
 * @throws Mistake when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: Document, schema: Schema, excluded?: Mark): Shape {
  assertSupportedSchema(document, schema);
  const ids = new Map<Schema, number>();
  const known = new Map<string, Shape>();
  assertNoAmbiguousInt64(document, schema, shapeOf);
  return shapeOf([schema]);

  // Cached by the set of schemas, so that recursive schemas terminate.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const parts = joinParts(document, schemas);
    const key = parts.map(idOf).join();
    const seen = known.get(key);
    if (seen) return seen;

    if (excluded) assertMarkedAlike(document, parts, excluded);
    const marked = findMarked(document, parts, excluded);
    const properties = new Map<string, Shape>();
    const shape = {
      isInt64: parts.some(isInt64Schema),
      holdsInt64: parts.some((part) => holdsInt64(document, part)),
      types: new Set(parts.flatMap(({ type = [] }) => type)),
      properties,
      others: undefined as Shape | undefined,
      items: undefined as Shape | undefined,
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties),
      excluded: marked,
      holdsExcluded: parts.some((part) => holdsMarked(document, part, excluded)),
    };
    known.set(key, shape);
    const divided = parts.find((part) => part.multipleOf !== undefined);
    if (shape.isInt64 && divided) {
      throw new Mistake(divided, 'an int64 with multipleOf cannot be checked exactly', 'multipleOf');
    }
    for (const name of new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})))) {
      if (marked.has(name)) continue;
      properties.set(name, shapeOf(membersOf(parts, name)));
    }
    const others = othersOf(parts);
    if (others.length > 0) shape.others = shapeOf(others);
    shape.items = shapeOf(itemsOf(parts));
    return shape;
  }

  function idOf(part: Schema): number {
    const id = ids.get(part) ?? ids.size;
    ids.set(part, id);
    return id;
  }
}

function isOpen({ additionalProperties, patternProperties }: Schema): boolean {
  return patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);
}
