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

/** The types, properties, items and int64s that the schemas of a value declare together. Parsing needs them before the validator runs. */
export interface Shape {
  readonly isInt64: boolean;
  /** The declared formats of int64s; more than one if alternatives declare different ones. */
  readonly int64Formats: readonly Int64Format[];
  readonly allowsOtherNumbers: boolean;
  /** Whether this value or a nested value can be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types except null; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** Applies to properties that are not in `properties`. */
  readonly patternProperties: readonly { readonly pattern: RegExp; readonly shape: Shape }[];
  /** Applies to all other properties; undefined if no schema describes them. */
  readonly additionalProperties: Shape | undefined;
  readonly prefixItems: readonly Shape[];
  readonly items: Shape | undefined;
  /** Whether undeclared properties reach the handler: the schema allows additionalProperties, or declares no properties. */
  readonly keepsUndeclared: boolean;
  /** The shapes of the alternatives, keyed by the value of the discriminator's property. The default's key is undefined. */
  readonly discriminator:
    { readonly property: string; readonly shapes: ReadonlyMap<string | undefined, Shape> } | undefined;
  /** The names of readOnly properties in a request, and of writeOnly ones in a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value or a nested value has excluded properties. */
  readonly holdsExcluded: boolean;
}

/**
 * Finds a property's shape in `properties`, then in `patternProperties`, then in `additionalProperties`; undefined if no
 * schema describes it. If several patterns match, one with int64s takes precedence.
 *
 * @example propertyShape(shape, 'id')
 */
export function propertyShape(shape: Shape | undefined, name: string): Shape | undefined {
  const declared = shape?.properties.get(name);
  if (!shape || declared || shape.patternProperties.length === 0) return declared ?? shape?.additionalProperties;
  const matching = shape.patternProperties.filter(({ pattern }) => pattern.test(name)).map((entry) => entry.shape);
  return matching.find(({ holdsInt64 }) => holdsInt64) ?? matching[0] ?? shape.additionalProperties;
}

/** Whether a shape covers properties that it does not name. @example describesUndeclared({ ...shape, additionalProperties: item }) */
export function describesUndeclared({ patternProperties, additionalProperties }: Shape): boolean {
  return additionalProperties !== undefined || patternProperties.length > 0;
}

/** Finds the shape of an item; undefined if no schema describes it. @example itemShape(shape, 0)?.isInt64 */
export function itemShape(shape: Shape | undefined, index: number): Shape | undefined {
  return shape?.prefixItems[index] ?? shape?.items;
}

/**
 * Returns the shape of the alternative that an object's discriminator selects, or the shape itself if it selects none.
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
  // If the next line throws, the maker holds incomplete shapes and must not be used again.
  makers.delete(excluded);
  const shape = maker.make(schema);
  CACHED_MAKERS.set(document, makers.set(excluded, maker));
  return shape;
}

// Messages of a document share schemas, so they also share the maker that caches their shapes.
const CACHED_MAKERS = new WeakMap<NormalizedDocument, Map<AccessMode | undefined, ShapeMaker>>();

type Schemas = readonly NormalizedSchema[];

type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

class ShapeMaker {
  private readonly idBySchema = new Map<NormalizedSchema, number>();
  private readonly shapeByIds = new Map<string, Shape>();
  private readonly supportedSchemas = new Set<NormalizedSchema>();
  // Schemas whose alternatives are compared last, once the shapes of recursive schemas are complete.
  private readonly queue = new Set<NormalizedSchema>();
  private readonly document: NormalizedDocument;
  private readonly mode: AccessMode | undefined;

  constructor(document: NormalizedDocument, mode: AccessMode | undefined) {
    this.document = document;
    this.mode = mode;
  }

  make(schema: NormalizedSchema): Shape {
    assertSupportedSchema(this.document, schema, this.supportedSchemas, this.mode);
    const shape = this.shapeOf([schema]);
    for (const entry of this.queue) assertInt64sCertain(entry, this.mode, (schemas) => this.shapeOf(schemas));
    this.queue.clear();
    return shape;
  }

  // Returns the shape of a value that matches all these schemas. It is cached before it is complete, as schemas can be recursive.
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
      if (inPlaceSchema !== union?.schema && holdsInt64(this.document, inPlaceSchema)) this.queue.add(inPlaceSchema);
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
    const partialSchemas = PARTIAL_KEYWORDS.flatMap((keyword) =>
      inPlaceSchemas.flatMap((schema) => schemasOf(keyword, schema[keyword])),
    );
    const kinds = [...schemas, ...(partialSchemas as Schemas)].flatMap((schema) => [
      ...readValueKinds(this.document, schema),
    ]);
    const types = kinds.filter((kind) => kind !== 'any' && kind !== 'null');
    return new Set(types.map((kind) => (kind === 'file' ? 'string' : kind)));
  }

  private addChildShapes(shape: UnfinishedShape, inPlaceSchemas: Schemas): void {
    const required = shape.keepsUndeclared ? [] : inPlaceSchemas.flatMap((schema) => schema.required ?? []);
    const names = new Set([...inPlaceSchemas.flatMap((schema) => Object.keys(schema.properties ?? {})), ...required]);
    const keys = [...names].filter((name) => !shape.excluded.has(name));
    shape.properties = new Map(keys.map((name) => [name, this.shapeOf(propertySchemas(inPlaceSchemas, name))]));
    const patterns = new Set(inPlaceSchemas.flatMap((schema) => Object.keys(schema.patternProperties ?? {})));
    shape.patternProperties = [...patterns].map((pattern) => {
      return { pattern: toRegExp(pattern), shape: this.shapeOf(patternSchemas(inPlaceSchemas, pattern)) };
    });
    const extras = additionalSchemas(inPlaceSchemas);
    if (extras.length > 0) shape.additionalProperties = this.shapeOf(extras);
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

/** @throws DocumentError if int64s depend on the matching alternative, which is unknown when the kit parses them */
function assertInt64sCertain(
  schema: NormalizedSchema,
  mode: AccessMode | undefined,
  shapeOf: (schemas: Schemas) => Shape,
): void {
  // This check is for requests, which exclude readOnly. In a reply, a handler passes either a bigint or a number.
  const keywordsToCompare = mode === 'readOnly' ? (['anyOf', 'oneOf'] as const) : [];
  for (const keyword of keywordsToCompare) {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    if (!shapes.some((left, index) => shapes.slice(index + 1).some((right) => int64sDiffer(left, right)))) continue;
    const message = `a number is an int64 in one alternative of ${keyword}, but not in another: give both the format int64, or add a discriminator`;
    throw new DocumentError(schema, message, keyword);
  }
  // These keywords apply only to some values, so the rest of the schema must declare the same int64s.
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

/** Whether a nested value is an int64 in one shape, but can be another number in the other. */
function int64sDiffer(first: Shape, second: Shape): boolean {
  const isNumber = ({ isInt64, types }: Shape): boolean => isInt64 || types.has('number') || types.has('integer');
  const pairs = [...pairsBelow(first, second)];
  return pairs.some(([left, right]) => right && left.isInt64 !== right.isInt64 && isNumber(left) && isNumber(right));
}

/** Whether this value or a nested value is an int64 in `shape` but not in `other`. */
function hasMoreInt64s(shape: Shape, other: Shape): boolean {
  const pairs = [[shape, other] as const, ...pairsBelow(shape, other)];
  return pairs.some(([left, right]) => left.isInt64 && right?.isInt64 !== true);
}

type OptionalShape = Shape | undefined;
type ShapePairs = Generator<readonly [first: Shape, second: OptionalShape]>;

/** Lists the pairs of shapes that describe the same nested value, if at least one of the two has int64s. */
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
    const partners = seen.get(left) ?? new Set();
    if (partners.has(right)) continue;
    seen.set(left, partners.add(right));
    yield [left, right];
    yield* pairsBelow(left, right, seen);
  }
}

function patternShape(shape: OptionalShape, source: string): OptionalShape {
  const declared = shape?.patternProperties.find(({ pattern }) => pattern.source === source);
  return declared?.shape ?? shape?.additionalProperties;
}
