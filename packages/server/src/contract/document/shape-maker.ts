// Makes shapes: where the values of a schema have int64s, properties and items.
import { createAmbiguityCheck } from './ambiguous-int64';
import { resolveReference, type Document } from './document';
import { exactValueOf } from './exact-numbers';
import { findConditional } from './find-conditional';
import { holdsInt64, isInt64Schema, mayBeOtherNumber } from './int64-schema';
import { assertMarkedAlike, findMarked, holdsMarked, type Mark } from './marks';
import { itemSchemas, collectParts, patternSchemas, propertySchemas, additionalSchemas, partsOf } from './parts';
import type { Schema } from './schema';
import { toRegExp } from '../text/to-reg-exp';
import { assertSupportedSchema } from './schema-support';
import type { Shape } from './shape';
import { findTaggedUnion, narrow, type TaggedUnion } from './tagged-union';
import { hasUniqueInt64s, readInt64Rules } from './unconditional-rules';

/** `dependsOnRoot`: parts of the shape depend on the schema around them, so that no other schema may reuse them. */
export type ShapeMaker = (root: Schema) => { readonly shape: Shape; readonly dependsOnRoot: boolean };

/** A shape whose properties and items are not known yet. */
type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

/**
 * Creates a maker of shapes, which reuses the shapes that it made before. A shape tells where the values of a schema have
 * int64s, properties and items.
 *
 * @param mark the keyword of properties that the values must not have: readOnly in a request, writeOnly in a reply
 */
export function createShapeMaker(document: Document, mark: Mark | undefined): ShapeMaker {
  const idBySchema = new Map<Schema, number>();
  const shapeByIds = new Map<string, Shape>();
  const supported = new Set<Schema>();
  const { addPending, assertPending } = createAmbiguityCheck(document, shapeOf, mark);
  let root: Schema;
  let conditional: ReadonlySet<Schema> | undefined;
  return (schema) => {
    root = schema;
    assertSupportedSchema(document, schema, supported);
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
    // Also those in their allOf, anyOf and the like.
    const parts = collectParts(document, schemas);
    if (mark) assertMarkedAlike(document, parts, mark);
    const shape = createOuterShape(schemas, parts);
    shapeByIds.set(key, shape);
    addInnerShapes(shape, parts);
    const union = findTaggedUnion(schemas.flatMap((schema) => partsOf(document, schema, ['allOf'])));
    if (union) shape.variants = createVariants(schemas, union);
    // Whether alternatives are ambiguous is asserted when all shapes are finished.
    addPending(parts, union?.schema);
    return shape;
  }

  // The shape of the value itself, still without those of its properties and items. `parts` are all schemas that describe
  // the value: also those in the allOf, anyOf and the like of `schemas`.
  function createOuterShape(schemas: readonly Schema[], parts: readonly Schema[]): UnfinishedShape {
    const isInt64 = parts.some(isInt64Schema);
    return {
      isInt64,
      isOtherNumber: schemas.some((schema) => mayBeOtherNumber(document, schema)),
      rules: isInt64 ? parts.flatMap((part) => readInt64Rules(part, isConditional)) : [],
      exactDefault: parts.map((part) => exactValueOf(part, 'default')).find((value) => typeof value === 'bigint'),
      holdsInt64: parts.some((part) => holdsInt64(document, part)),
      types: new Set(parts.flatMap(({ type = [] }) => type)),
      properties: new Map(),
      patterns: [],
      others: undefined,
      firstItems: [],
      items: undefined,
      isUnique: parts.some((part) => hasUniqueInt64s(document, part, isConditional)),
      // A schema that lists no properties leaves them open, too.
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties ?? part.patternProperties),
      variants: undefined,
      excluded: findMarked(document, parts, mark),
      holdsExcluded: parts.some((part) => holdsMarked(document, part, mark)),
    };
  }

  // Adds the shapes of properties and items. `parts` are all schemas that describe the value.
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

  // A discriminator tells the alternatives of the union apart by a property. For each value of it, there is the shape of the
  // schemas with only the alternative that the value means.
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

function isOpen({ additionalProperties, unevaluatedProperties }: Schema): boolean {
  return [additionalProperties, unevaluatedProperties].some((one) => one !== undefined && one !== false);
}
