import { resolveReference, type Document } from '../schema/document';
import { assertMarkedAlike, findMarked, holdsMarked, type Mark } from '../schema/read-write-only';
import { subschemas, toRegExp, type Schema } from '../schema/schema';
import type { Shape } from './shape';
import { createAmbiguityCheck } from './alternatives';
import {
  itemSchemas,
  collectParts,
  patternSchemas,
  propertySchemas,
  additionalSchemas,
  partsOf,
  ALTERNATIVES,
} from '../schema/parts';
import { assertSupportedSchema } from '../schema/supported';
import { findTaggedUnion, narrow, type TaggedUnion } from '../discriminator/discriminator';
import { exactValueOf } from '../yaml/exact-numbers';
import { holdsInt64, isInt64Schema, mayBeOtherNumber, hasUniqueInt64s, readInt64Rules } from './exact-rules';
import { schemasOf } from '../schema/keywords';

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

/** `dependsOnRoot`: parts of the shape depend on the schema around them, so that no other schema may reuse them. */
type ShapeMaker = (root: Schema) => { readonly shape: Shape; readonly dependsOnRoot: boolean };

/** Creates a maker of shapes, which reuses those that it made before. */
function createShapeMaker(document: Document, mark: Mark | undefined): ShapeMaker {
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

/** A shape to which properties and items are added. */
type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

interface ValueSchemas {
  readonly document: Document;
  /** The schemas that the value matches. */
  readonly schemas: readonly Schema[];
  /** All that describe the value: also those in the allOf, anyOf and the like of `schemas`. */
  readonly parts: readonly Schema[];
  readonly mark: Mark | undefined;
  /** Whether a valid value need not match a schema, such as an alternative of anyOf. */
  readonly isConditional: (schema: Schema) => boolean;
}

/** @throws Mistake when a rule for int64s is conditional */
function createOuterShape(value: ValueSchemas): UnfinishedShape {
  const { document, schemas, parts, mark, isConditional } = value;
  const isInt64 = parts.some(isInt64Schema);
  const declaresProperties = parts.some((part) => part.properties ?? part.patternProperties);
  return {
    isInt64,
    isOtherNumber: schemas.some((schema) => mayBeOtherNumber(document, schema)),
    rules: isInt64 ? parts.flatMap((part) => readInt64Rules(part, isConditional)) : [],
    exactDefault: parts.map((part) => exactValueOf(part, 'default')).find((one) => typeof one === 'bigint'),
    holdsInt64: parts.some((part) => holdsInt64(document, part)),
    types: new Set(parts.flatMap(({ type = [] }) => type)),
    properties: new Map(),
    patterns: [],
    others: undefined,
    firstItems: [],
    items: undefined,
    isUnique: parts.some((part) => hasUniqueInt64s(document, part, isConditional)),
    isOpen: parts.some(allowsUndeclared) || !declaresProperties,
    variants: undefined,
    excluded: findMarked(document, parts, mark),
    holdsExcluded: parts.some((part) => holdsMarked(document, part, mark)),
  };
}

function allowsUndeclared({ additionalProperties, unevaluatedProperties }: Schema): boolean {
  return [additionalProperties, unevaluatedProperties].some((one) => one !== undefined && one !== false);
}

const CONDITIONAL_KEYWORDS = [...ALTERNATIVES, 'not', 'contains'] as const;

function findConditional(document: Document, schema: Schema): ReadonlySet<Schema> {
  const conditional = [...collectSchemas(document, [schema])].flatMap((one) =>
    CONDITIONAL_KEYWORDS.flatMap((keyword) => schemasOf(keyword, one[keyword])),
  );
  return collectSchemas(document, conditional as Schema[]);
}

function collectSchemas(document: Document, roots: readonly Schema[]): ReadonlySet<Schema> {
  const collected = new Set(roots.map((root) => resolveReference(document, root)));
  // The set grows during the loop.
  for (const schema of collected) {
    for (const child of subschemas(schema)) collected.add(resolveReference(document, child));
  }
  return collected;
}
