import type { Document } from './document';
import type { Mark } from './marks';
import type { Schema } from './schema';
import type { Shape } from './shape';
import { createShapeMaker, type ShapeMaker } from './shape-maker';

/**
 * Finds where the values of a schema have an int64, and what a request or a reply does not have of them.
 *
 * @param excluded what says so of a property; without it the value is of no direction, as an example
 * @throws Mistake when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: Document, schema: Schema, excluded?: Mark): Shape {
  const makers = MAKERS.get(document) ?? new Map<Mark | undefined, ShapeMaker>();
  const make = makers.get(excluded) ?? createShapeMaker(document, excluded);
  // After a mistake, its shapes are not whole.
  makers.delete(excluded);
  const { shape, isOfRoot } = make(schema);
  if (!isOfRoot) MAKERS.set(document, makers.set(excluded, make));
  return shape;
}

// Messages have schemas in common, whose shapes are made once.
const MAKERS = new WeakMap<Document, Map<Mark | undefined, ShapeMaker>>();
