import type { Document } from './document';
import type { Mark } from './marks';
import type { Schema } from './schema';
import type { Shape } from './shape';
import { createShapeMaker, type ShapeMaker } from './shape-maker';

/**
 * Creates the shape of a schema: where its values have int64s, properties and items.
 *
 * @param excluded the keyword of properties that the value must not have: readOnly in a request, writeOnly in a reply, none
 *   in an example
 * @throws Mistake when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: Document, schema: Schema, excluded?: Mark): Shape {
  const makers = MAKERS.get(document) ?? new Map<Mark | undefined, ShapeMaker>();
  const make = makers.get(excluded) ?? createShapeMaker(document, excluded);
  // If the next line throws, the maker has incomplete shapes: it is not used again.
  makers.delete(excluded);
  const { shape, isOfRoot } = make(schema);
  if (!isOfRoot) MAKERS.set(document, makers.set(excluded, make));
  return shape;
}

// One maker for all messages of a document: they share schemas, whose shapes it caches.
const MAKERS = new WeakMap<Document, Map<Mark | undefined, ShapeMaker>>();
