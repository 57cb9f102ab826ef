import type { Document } from './document';
import type { Mark } from './marks';
import type { Schema } from './schema';
import type { Shape } from './shape';
import { createShapeMaker, type ShapeMaker } from './shape-maker';

/**
 * Creates the shape of a schema: where its values have int64s, properties and items.
 *
 * @param excluded properties that the value must not have: readOnly in a request, writeOnly in a reply, none in an example
 * @throws Mistake when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: Document, schema: Schema, excluded?: Mark): Shape {
  const makers = CACHED_MAKERS.get(document) ?? new Map<Mark | undefined, ShapeMaker>();
  const makeShape = makers.get(excluded) ?? createShapeMaker(document, excluded);
  // The maker caches shapes too. If the next line throws, some of them are incomplete: it is not used again.
  makers.delete(excluded);
  const { shape, dependsOnRoot } = makeShape(schema);
  // Shapes that depend on this schema are wrong inside another one: then the next call takes a new maker.
  if (!dependsOnRoot) CACHED_MAKERS.set(document, makers.set(excluded, makeShape));
  return shape;
}

// One maker for all messages of a document: they share schemas, whose shapes it caches.
const CACHED_MAKERS = new WeakMap<Document, Map<Mark | undefined, ShapeMaker>>();
