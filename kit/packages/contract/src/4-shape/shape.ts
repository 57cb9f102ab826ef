// Defines the shape of a value, and creates it from the value's schema.
import { type Int64Format, holdsInt64, isInt64Schema, mayBeOtherNumber } from './integer-formats';
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import {
  assertConsistentModes,
  findExcludedProperties,
  hasExcludedProperty,
  type AccessMode,
} from '../2-resolve/read-write-only';
import { toRegExp, schemasOf, omitKeywords, type NormalizedSchema } from '../2-resolve/schema';
import {
  additionalSchemas,
  collectInPlaceSchemas,
  itemSchemas,
  patternSchemas,
  propertySchemas,
} from '../2-resolve/find-schemas';
import { assertSupportedSchema } from '../2-resolve/supported';
import { readValueKinds } from './value-kinds';
import { findTaggedUnion, narrowUnion, type TaggedUnion } from '../3-plain/discriminator';
import { DocumentError } from '../text/document-error';

/** The types, properties, items and int64s that all schemas of a value declare together. The kit reads these without its validator. */
export interface Shape {
  readonly isInt64: boolean;
  /** Has several formats if alternatives differ. */
  readonly int64Formats: readonly Int64Format[];
  /** Whether an alternative also allows a number that is not an int64. */
  readonly allowsOtherNumbers: boolean;
  /** Whether this value or any value below it may be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types except null; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** Applies to properties that are not in `properties`. */
  readonly patternProperties: readonly { readonly pattern: RegExp; readonly shape: Shape }[];
  /** Applies to all other properties; undefined if no schema describes them. */
  readonly additionalProperties: Shape | undefined;
  readonly prefixItems: readonly Shape[];
  /** Applies to the items after prefixItems. */
  readonly items: Shape | undefined;
  /** Whether undeclared properties reach the handler, because the schema has additionalProperties, or no properties at all. */
  readonly keepsUndeclared: boolean;
  /** The shapes of the alternatives by the value of the discriminator's property; the key of the default is undefined. */
  readonly discriminator:
    { readonly property: string; readonly shapes: ReadonlyMap<string | undefined, Shape> } | undefined;
  /** The names of readOnly properties in a request, and of writeOnly ones in a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value or any value below it has excluded properties. */
  readonly holdsExcluded: boolean;
}

/**
 * Finds a property's shape by its name, else by the patterns it matches, else that of additional properties; undefined if no
 * schema describes it. A pattern with int64s takes precedence over others.
 *
 * @example propertyShape(shape, 'id')
 */
export function propertyShape(shape: Shape | undefined, name: string): Shape | undefined {
  const declared = shape?.properties.get(name);
  if (!shape || declared || shape.patternProperties.length === 0) return declared ?? shape?.additionalProperties;
  const matching = shape.patternProperties.filter(({ pattern }) => pattern.test(name)).map((entry) => entry.shape);
  return matching.find(({ holdsInt64 }) => holdsInt64) ?? matching[0] ?? shape.additionalProperties;
}

/** Whether a shape covers properties that it does not name. @example describesUndeclared(shape) */
export function describesUndeclared({ patternProperties, additionalProperties }: Shape): boolean {
  return additionalProperties !== undefined || patternProperties.length > 0;
}

/** Finds the shape of an item; undefined if no schema describes it. @example itemShape(shape, 0)?.isInt64 */
export function itemShape(shape: Shape | undefined, index: number): Shape | undefined {
  return shape?.prefixItems[index] ?? shape?.items;
}

/**
 * The shape of the alternative that an object's discriminator names; the shape itself if it names none.
 *
 * @example narrowShape(shape, { kind: 'cat' }).properties.has('lives')
 */
export function narrowShape(shape: Shape, value: object): Shape {
  if (!shape.discriminator) return shape;
  const { property, shapes } = shape.discriminator;
  const name = Object.hasOwn(value, property) ? (value as Readonly<Record<string, unknown>>)[property] : undefined;
  return shapes.get(name as string) ?? shapes.get(undefined) ?? shape;
}

/**
 * Creates the shape of a schema's values.
 *
 * @param excluded readOnly for a request, writeOnly for a reply, undefined for other values
 * @throws DocumentError if the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: NormalizedDocument, schema: NormalizedSchema, excluded?: AccessMode): Shape {
  const makers = CACHED_MAKERS.get(document) ?? new Map<AccessMode | undefined, ShapeMaker>();
  const maker = makers.get(excluded) ?? new ShapeMaker(document, excluded);
  // If the next line throws, the maker has cached incomplete shapes, so it must not be used again.
  makers.delete(excluded);
  const shape = maker.make(schema);
  CACHED_MAKERS.set(document, makers.set(excluded, maker));
  return shape;
}

// The messages of a document share schemas, so they also share the maker that caches their shapes.
const CACHED_MAKERS = new WeakMap<NormalizedDocument, Map<AccessMode | undefined, ShapeMaker>>();

type Schemas = readonly NormalizedSchema[];

type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

class ShapeMaker {
  private readonly idBySchema = new Map<NormalizedSchema, number>();
  private readonly shapeByIds = new Map<string, Shape>();
  private readonly supportedSchemas = new Set<NormalizedSchema>();
  // Schemas whose alternatives are compared at the end, when the shapes of recursive schemas are complete.
  private readonly pending = new Set<NormalizedSchema>();
  private readonly document: NormalizedDocument;
  private readonly mode: AccessMode | undefined;

  constructor(document: NormalizedDocument, mode: AccessMode | undefined) {
    this.document = document;
    this.mode = mode;
  }

  make(schema: NormalizedSchema): Shape {
    assertSupportedSchema(this.document, schema, this.supportedSchemas, this.mode);
    const shape = this.shapeOf([schema]);
    // The set grows during the loop, because shapeOf may add schemas.
    for (const unsure of this.pending) assertInt64sCertain(unsure, this.mode, (schemas) => this.shapeOf(schemas));
    this.pending.clear();
    return shape;
  }

  // Returns the shape of a value that matches all these schemas. Schemas may be recursive, so it is cached before it is finished.
  private shapeOf(schemas: Schemas): Shape {
    const key = [...new Set(schemas.map((schema) => this.idOf(schema)))].join();
    const cachedShape = this.shapeByIds.get(key);
    if (cachedShape) return cachedShape;
    const inPlaceSchemas = collectInPlaceSchemas(this.document, schemas);
    if (this.mode) assertConsistentModes(this.document, inPlaceSchemas, this.mode);
    const shape = this.createShapeWithoutChildren(schemas, inPlaceSchemas);
    this.shapeByIds.set(key, shape);
    this.addChildShapes(shape, inPlaceSchemas);
    const union = findTaggedUnion(collectInPlaceSchemas(this.document, schemas, ['allOf']));
    if (union) shape.discriminator = this.createAlternativeShapes(schemas, union);
    // The discriminator of a union already distinguishes its alternatives.
    for (const inPlaceSchema of inPlaceSchemas)
      if (inPlaceSchema !== union?.schema && holdsInt64(this.document, inPlaceSchema)) this.pending.add(inPlaceSchema);
    return shape;
  }

  private createShapeWithoutChildren(schemas: Schemas, inPlaceSchemas: Schemas): UnfinishedShape {
    const int64Formats = [...new Set(inPlaceSchemas.filter(isInt64Schema).map(({ format }) => format))];
    return {
      isInt64: int64Formats.length > 0,
      int64Formats,
      allowsOtherNumbers: schemas.some((schema) => mayBeOtherNumber(this.document, schema)),
      holdsInt64: inPlaceSchemas.some((schema) => holdsInt64(this.document, schema)),
      types: this.typesOf(schemas, inPlaceSchemas),
      properties: new Map(),
      patternProperties: [],
      additionalProperties: undefined,
      prefixItems: [],
      items: undefined,
      keepsUndeclared:
        inPlaceSchemas.some(allowsUndeclared) ||
        !inPlaceSchemas.some((schema) => schema.properties ?? schema.patternProperties),
      discriminator: undefined,
      excluded: findExcludedProperties(this.document, inPlaceSchemas, this.mode),
      holdsExcluded: inPlaceSchemas.some((schema) => hasExcludedProperty(this.document, schema, this.mode)),
    };
  }

  private typesOf(schemas: Schemas, inPlaceSchemas: Schemas): ReadonlySet<string> {
    const inner = PARTIAL_KEYWORDS.flatMap((keyword) =>
      inPlaceSchemas.flatMap((schema) => schemasOf(keyword, schema[keyword])),
    );
    const kinds = [...schemas, ...(inner as Schemas)].flatMap((schema) => [...readValueKinds(this.document, schema)]);
    const types = kinds.filter((kind) => kind !== 'any' && kind !== 'null');
    return new Set(types.map((kind) => (kind === 'file' ? 'string' : kind)));
  }

  private addChildShapes(shape: UnfinishedShape, inPlaceSchemas: Schemas): void {
    // A required name counts as declared.
    const required = shape.keepsUndeclared ? [] : inPlaceSchemas.flatMap((schema) => schema.required ?? []);
    const names = new Set([...inPlaceSchemas.flatMap((schema) => Object.keys(schema.properties ?? {})), ...required]);
    const included = [...names].filter((name) => !shape.excluded.has(name));
    shape.properties = new Map(included.map((name) => [name, this.shapeOf(propertySchemas(inPlaceSchemas, name))]));
    const patterns = new Set(inPlaceSchemas.flatMap((schema) => Object.keys(schema.patternProperties ?? {})));
    shape.patternProperties = [...patterns].map((pattern) => {
      return { pattern: toRegExp(pattern), shape: this.shapeOf(patternSchemas(inPlaceSchemas, pattern)) };
    });
    const additional = additionalSchemas(inPlaceSchemas);
    if (additional.length > 0) shape.additionalProperties = this.shapeOf(additional);
    const prefixItemCount = Math.max(0, ...inPlaceSchemas.map(({ prefixItems = [] }) => prefixItems.length));
    shape.prefixItems = Array.from({ length: prefixItemCount }, (_, index) =>
      this.shapeOf(itemSchemas(inPlaceSchemas, index)),
    );
    shape.items = this.shapeOf(itemSchemas(inPlaceSchemas));
  }

  private createAlternativeShapes(schemas: Schemas, union: TaggedUnion): Shape['discriminator'] {
    const narrowTo = (alternative: NormalizedSchema): NormalizedSchema[] =>
      schemas.map((schema) => narrowUnion(this.document, schema, union, alternative));
    const shapes = [...union.alternatives].map(
      ([value, alternative]) => [value, this.shapeOf(narrowTo(alternative))] as const,
    );
    return { property: union.property, shapes: new Map(shapes) };
  }

  private idOf(node: NormalizedSchema): number {
    const schema = resolveReference(this.document, node);
    const id = this.idBySchema.get(schema) ?? this.idBySchema.size;
    this.idBySchema.set(schema, id);
    return id;
  }
}

function allowsUndeclared({ additionalProperties, unevaluatedProperties }: NormalizedSchema): boolean {
  return [additionalProperties, unevaluatedProperties].some((schema) => schema !== undefined && schema !== false);
}

const PARTIAL_KEYWORDS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/** @throws DocumentError if int64s depend on which alternative matches, which the kit does not know yet when it parses them */
function assertInt64sCertain(
  schema: NormalizedSchema,
  mode: AccessMode | undefined,
  shapeOf: (schemas: Schemas) => Shape,
): void {
  // Only requests exclude readOnly. In a reply, a bigint or a number shows which one the handler means.
  const compared = mode === 'readOnly' ? (['anyOf', 'oneOf'] as const) : [];
  for (const keyword of compared) {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    if (!shapes.some((left, index) => shapes.slice(index + 1).some((right) => int64sDiffer(left, right)))) continue;
    const message = `a number is an int64 in one alternative of ${keyword}, but not in another: give both the format int64, or add a discriminator`;
    throw new DocumentError(schema, message, keyword);
  }
  // `if` and the like apply only to some values, so the rest of the schema must declare the same int64s.
  for (const keyword of PARTIAL_KEYWORDS) {
    const partial = schemasOf(keyword, schema[keyword]) as NormalizedSchema[];
    const shapeOfRest = (): Shape => shapeOf([omitKeywords(schema, ...PARTIAL_KEYWORDS)]);
    if (!partial.some((partialSchema) => hasMoreInt64s(shapeOf([partialSchema]), shapeOfRest()))) continue;
    throw new DocumentError(
      schema,
      `an int64 that only ${keyword} declares is not supported: declare it in properties, too`,
      keyword,
    );
  }
}

/** Whether any value below is an int64 in one shape, and may be another number in the other. */
function int64sDiffer(first: Shape, second: Shape): boolean {
  const isNumber = ({ isInt64, types }: Shape): boolean => isInt64 || types.has('number') || types.has('integer');
  const pairs = [...pairsBelow(first, second)];
  return pairs.some(([left, right]) => right && left.isInt64 !== right.isInt64 && isNumber(left) && isNumber(right));
}

/** Whether this value or any value below it is an int64 in `shape` but not in `other`. */
function hasMoreInt64s(shape: Shape, other: Shape): boolean {
  const pairs = [[shape, other] as const, ...pairsBelow(shape, other)];
  return pairs.some(([left, right]) => left.isInt64 && right?.isInt64 !== true);
}

type OptionalShape = Shape | undefined;
type ShapePairs = Generator<readonly [first: Shape, second: OptionalShape]>;

/** Lists the pairs of shapes that describe the same value, at any depth, as long as one of them has int64s. */
function* pairsBelow(first: Shape, second: OptionalShape, seen = new Map<Shape, Set<OptionalShape>>()): ShapePairs {
  const shapes = second ? [first, second] : [first];
  const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
  const patterns = new Set(shapes.flatMap((shape) => shape.patternProperties.map(({ pattern }) => pattern.source)));
  const indexes = new Set(shapes.flatMap(({ prefixItems }) => [...prefixItems.keys()]));
  const children = (shape: OptionalShape): OptionalShape[] => [
    ...[...names].map((name) => propertyShape(shape, name)),
    ...[...indexes].map((index) => itemShape(shape, index)),
    ...[...patterns].map((pattern) => patternShape(shape, pattern)),
    shape?.additionalProperties,
    shape?.items,
  ];
  const secondChildren = children(second);
  for (const [index, left] of children(first).entries()) {
    const right = secondChildren[index];
    if (!left || !(left.holdsInt64 || right?.holdsInt64)) continue;
    const compared = seen.get(left) ?? new Set();
    if (compared.has(right)) continue;
    seen.set(left, compared.add(right));
    yield [left, right];
    yield* pairsBelow(left, right, seen);
  }
}

function patternShape(shape: OptionalShape, source: string): OptionalShape {
  const declared = shape?.patternProperties.find(({ pattern }) => pattern.source === source);
  return declared?.shape ?? shape?.additionalProperties;
}
