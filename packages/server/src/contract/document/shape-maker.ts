// Makes shapes: where the values of a schema have int64s, properties and items.
import { createAmbiguityCheck } from './ambiguous-int64';
import { resolveReference, type Document } from './document';
import { findConditional } from './find-conditional';
import { assertMarkedAlike, type Mark } from './marks';
import { createOuterShape, type UnfinishedShape } from './outer-shape';
import { itemSchemas, collectParts, patternSchemas, propertySchemas, additionalSchemas, partsOf } from './parts';
import type { Schema } from './schema';
import { toRegExp } from '../text/to-reg-exp';
import { assertSupportedSchema } from './schema-support';
import type { Shape } from './shape';
import { findTaggedUnion, narrow, type TaggedUnion } from './tagged-union';

/** `dependsOnRoot`: parts of the shape depend on the schema around them, so that no other schema may reuse them. */
export type ShapeMaker = (root: Schema) => { readonly shape: Shape; readonly dependsOnRoot: boolean };

/** Creates a maker of shapes, which reuses those that it made before. */
export function createShapeMaker(document: Document, mark: Mark | undefined): ShapeMaker {
  const idBySchema = new Map<Schema, number>();
  const shapeByIds = new Map<string, Shape>();
  const supported = new Set<Schema>();
  const { addPending, assertPending } = createAmbiguityCheck(document, shapeOf, mark);
  let root: Schema;
  let conditional: ReadonlySet<Schema> | undefined;
  return (schema) => {
    root = schema;
    assertSupportedSchema(document, schema, supported, mark);
    const shape = shapeOf([schema]);
    assertPending();
    // Which schemas are conditional was asked only if the shape depends on it.
    return { shape, dependsOnRoot: conditional !== undefined };
  };

  // The shape of a value that matches all these schemas. It is cached before it is finished: schemas may be recursive.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const key = [...new Set(schemas.map(idOf))].join();
    const known = shapeByIds.get(key);
    if (known) return known;
    const parts = collectParts(document, schemas);
    if (mark) assertMarkedAlike(document, parts, mark);
    const shape = createOuterShape({ document, schemas, parts, mark, isConditional });
    shapeByIds.set(key, shape);
    addInnerShapes(shape, parts);
    // Only allOf: every value has to match its schemas, too.
    const unconditionalParts = schemas.flatMap((schema) => partsOf(document, schema, ['allOf']));
    const union = findTaggedUnion(unconditionalParts);
    if (union) shape.variants = createVariants(schemas, union);
    // Whether alternatives are ambiguous is asserted when all shapes are finished.
    addPending(parts, union?.schema);
    return shape;
  }

  function addInnerShapes(shape: UnfinishedShape, parts: readonly Schema[]): void {
    const names = new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
    const included = [...names].filter((name) => !shape.excluded.has(name));
    shape.properties = new Map(included.map((name) => [name, shapeOf(propertySchemas(parts, name))]));
    const patterns = new Set(parts.flatMap((part) => Object.keys(part.patternProperties ?? {})));
    shape.patterns = [...patterns].map((pattern) => {
      return { pattern: toRegExp(pattern), shape: shapeOf(patternSchemas(parts, pattern)) };
    });
    const others = additionalSchemas(parts);
    if (others.length > 0) shape.others = shapeOf(others);
    const firstItemCount = Math.max(0, ...parts.map(({ prefixItems = [] }) => prefixItems.length));
    shape.firstItems = Array.from({ length: firstItemCount }, (_, index) => shapeOf(itemSchemas(parts, index)));
    shape.items = shapeOf(itemSchemas(parts));
  }

  // For each value of the discriminator's property: the schemas with only the alternative that the value means.
  function createVariants(schemas: readonly Schema[], union: TaggedUnion): Shape['variants'] {
    const shapes = [...union.alternatives].map(([value, alternative]) => {
      const narrowed = schemas.map((schema) => narrow(document, schema, union, alternative));
      return [value, shapeOf(narrowed)] as const;
    });
    return { property: union.property, shapes: new Map(shapes) };
  }

  // Whether a value of the root schema need not match this schema inside it.
  function isConditional(schema: Schema): boolean {
    conditional ??= findConditional(document, root);
    return conditional.has(schema);
  }

  // A number for each schema, the same for all references to it.
  function idOf(node: Schema): number {
    const schema = resolveReference(document, node);
    const id = idBySchema.get(schema) ?? idBySchema.size;
    idBySchema.set(schema, id);
    return id;
  }
}
