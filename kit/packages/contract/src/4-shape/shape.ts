// The shape of a value, where a schema has int64s, properties and items; and what makes it.
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

/** What the kit itself knows of one value, beside its validator: the types, properties, items and int64s that all its schemas declare. */
export interface Shape {
  readonly isInt64: boolean;
  /** The formats of the int64, with their ranges: several where alternatives differ. */
  readonly int64Formats: readonly Int64Format[];
  /** Whether an alternative also allows a number that is not an int64. */
  readonly allowsOtherNumbers: boolean;
  /** Whether this value, or any value below it, may be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types but null; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The shapes of properties that are not in `properties`, by the pattern that their names match. */
  readonly patternProperties: readonly { readonly pattern: RegExp; readonly shape: Shape }[];
  /** The shape of properties that match no pattern either; undefined if no schema describes them. */
  readonly additionalProperties: Shape | undefined;
  /** The shapes of the items that prefixItems describes. */
  readonly prefixItems: readonly Shape[];
  /** The shape of the items after them. */
  readonly items: Shape | undefined;
  /** Whether undeclared properties reach the handler: the schema has additionalProperties, or no properties at all. */
  readonly keepsUndeclared: boolean;
  /**
   * The shapes of the alternatives, by the value of the discriminator's property; that for all other objects is under undefined.
   * Undefined without a discriminator.
   */
  readonly discriminator:
    { readonly property: string; readonly shapes: ReadonlyMap<string | undefined, Shape> } | undefined;
  /** The properties that the contract declares for the other direction: readOnly ones of a request, writeOnly ones of a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value, or any value below it, has excluded properties. */
  readonly holdsExcluded: boolean;
}

/**
 * The shape of a property: by its name, else by a pattern, the first one with int64s, else that of all others; undefined if no
 * schema describes it.
 *
 * @example propertyShape(shape, 'id')
 */
export function propertyShape(shape: Shape | undefined, name: string): Shape | undefined {
  const declared = shape?.properties.get(name);
  if (!shape || declared || shape.patternProperties.length === 0) return declared ?? shape?.additionalProperties;
  const matching = shape.patternProperties.filter(({ pattern }) => pattern.test(name)).map((one) => one.shape);
  return matching.find(({ holdsInt64 }) => holdsInt64) ?? matching[0] ?? shape.additionalProperties;
}

/** Whether a schema describes properties that it does not name. @example describesUndeclared(shape) */
export function describesUndeclared({ patternProperties, additionalProperties }: Shape): boolean {
  return additionalProperties !== undefined || patternProperties.length > 0;
}

/** The shape of an item; undefined if no schema describes it. @example itemShape(shape, 0)?.isInt64 */
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
 * Creates the shape of a schema: where its values have int64s, properties and items.
 *
 * @param excluded properties that the value must not have: readOnly in a request, writeOnly in a reply, none in an example
 * @throws DocumentError when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: NormalizedDocument, schema: NormalizedSchema, excluded?: AccessMode): Shape {
  const makers = CACHED_MAKERS.get(document) ?? new Map<AccessMode | undefined, ShapeMaker>();
  const maker = makers.get(excluded) ?? new ShapeMaker(document, excluded);
  // The maker caches shapes too. If the next line throws, some of them are incomplete: it is not used again.
  makers.delete(excluded);
  const shape = maker.make(schema);
  CACHED_MAKERS.set(document, makers.set(excluded, maker));
  return shape;
}

// One maker for all messages of a document: they share schemas, whose shapes it caches.
const CACHED_MAKERS = new WeakMap<NormalizedDocument, Map<AccessMode | undefined, ShapeMaker>>();

type Schemas = readonly NormalizedSchema[];

/** A shape to which properties and items are added. */
type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

/** Makes shapes, and reuses those that it made before. */
class ShapeMaker {
  private readonly idBySchema = new Map<NormalizedSchema, number>();
  private readonly shapeByIds = new Map<string, Shape>();
  private readonly supportedSchemas = new Set<NormalizedSchema>();
  // Shapes of recursive schemas are complete only at the end: until then, their alternatives wait to be compared.
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
    // The set grows during the loop: shapeOf may meet new schemas and add them.
    for (const unsure of this.pending) assertInt64sCertain(unsure, this.mode, (schemas) => this.shapeOf(schemas));
    this.pending.clear();
    return shape;
  }

  // The shape of a value that matches all these schemas. It is cached before it is finished: schemas may be recursive.
  private shapeOf(schemas: Schemas): Shape {
    const key = [...new Set(schemas.map((schema) => this.idOf(schema)))].join();
    const cachedShape = this.shapeByIds.get(key);
    if (cachedShape) return cachedShape;
    const inPlaceSchemas = collectInPlaceSchemas(this.document, schemas);
    if (this.mode) assertConsistentModes(this.document, inPlaceSchemas, this.mode);
    const shape = this.createShapeWithoutChildren(schemas, inPlaceSchemas);
    this.shapeByIds.set(key, shape);
    this.addChildShapes(shape, inPlaceSchemas);
    // Follows allOf only, since every value has to match its schemas.
    const union = findTaggedUnion(collectInPlaceSchemas(this.document, schemas, ['allOf']));
    if (union) shape.discriminator = this.createAlternativeShapes(schemas, union);
    // A discriminator tells the alternatives of its union apart.
    for (const part of inPlaceSchemas)
      if (part !== union?.schema && holdsInt64(this.document, part)) this.pending.add(part);
    return shape;
  }

  // `parts` also has what is in the allOf, anyOf and the like of `schemas`.
  private createShapeWithoutChildren(schemas: Schemas, parts: Schemas): UnfinishedShape {
    const int64Formats = [...new Set(parts.filter(isInt64Schema).map(({ format }) => format))];
    return {
      isInt64: int64Formats.length > 0,
      int64Formats,
      allowsOtherNumbers: schemas.some((schema) => mayBeOtherNumber(this.document, schema)),
      holdsInt64: parts.some((part) => holdsInt64(this.document, part)),
      types: this.typesOf(schemas, parts),
      properties: new Map(),
      patternProperties: [],
      additionalProperties: undefined,
      prefixItems: [],
      items: undefined,
      keepsUndeclared: parts.some(allowsUndeclared) || !parts.some((part) => part.properties ?? part.patternProperties),
      discriminator: undefined,
      excluded: findExcludedProperties(this.document, parts, this.mode),
      holdsExcluded: parts.some((part) => hasExcludedProperty(this.document, part, this.mode)),
    };
  }

  private typesOf(schemas: Schemas, parts: Schemas): ReadonlySet<string> {
    const inner = PARTIAL_KEYWORDS.flatMap((keyword) => parts.flatMap((part) => schemasOf(keyword, part[keyword])));
    const all = [...schemas, ...(inner as Schemas)].flatMap((one) => [...readValueKinds(this.document, one)]);
    const types = all.filter((kind) => kind !== 'any' && kind !== 'null');
    return new Set(types.map((kind) => (kind === 'file' ? 'string' : kind)));
  }

  private addChildShapes(shape: UnfinishedShape, parts: Schemas): void {
    // A name that is required is declared, with or without a property.
    const required = shape.keepsUndeclared ? [] : parts.flatMap((part) => part.required ?? []);
    const names = new Set([...parts.flatMap((part) => Object.keys(part.properties ?? {})), ...required]);
    const included = [...names].filter((name) => !shape.excluded.has(name));
    shape.properties = new Map(included.map((name) => [name, this.shapeOf(propertySchemas(parts, name))]));
    const patterns = new Set(parts.flatMap((part) => Object.keys(part.patternProperties ?? {})));
    shape.patternProperties = [...patterns].map((pattern) => {
      return { pattern: toRegExp(pattern), shape: this.shapeOf(patternSchemas(parts, pattern)) };
    });
    const additional = additionalSchemas(parts);
    if (additional.length > 0) shape.additionalProperties = this.shapeOf(additional);
    const prefixItemCount = Math.max(0, ...parts.map(({ prefixItems = [] }) => prefixItems.length));
    shape.prefixItems = Array.from({ length: prefixItemCount }, (_, index) => this.shapeOf(itemSchemas(parts, index)));
    shape.items = this.shapeOf(itemSchemas(parts));
  }

  // Creates the shape for each value of the discriminator's property, with only the alternative that the value selects.
  private createAlternativeShapes(schemas: Schemas, union: TaggedUnion): Shape['discriminator'] {
    const narrowTo = (alternative: NormalizedSchema): NormalizedSchema[] =>
      schemas.map((schema) => narrowUnion(this.document, schema, union, alternative));
    const shapes = [...union.alternatives].map(([value, one]) => [value, this.shapeOf(narrowTo(one))] as const);
    return { property: union.property, shapes: new Map(shapes) };
  }

  // A number for each schema, the same for all references to it.
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

/** @throws DocumentError when int64s depend on the alternative that matches: the kit parses them before it knows which */
function assertInt64sCertain(
  schema: NormalizedSchema,
  mode: AccessMode | undefined,
  shapeOf: (schemas: Schemas) => Shape,
): void {
  // Requests exclude what is readOnly. A reply comes from the handler: a bigint or a number tells which alternative it means.
  const compared = mode === 'readOnly' ? (['anyOf', 'oneOf'] as const) : [];
  for (const keyword of compared) {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    if (!shapes.some((left, index) => shapes.slice(index + 1).some((right) => int64sDiffer(left, right)))) continue;
    const message = `a number is an int64 in one alternative of ${keyword}, but not in another: give both the format int64, or add a discriminator`;
    throw new DocumentError(schema, message, keyword);
  }
  // `if`, `then` and the like apply to some values only: each int64 in them must be an int64 outside of them, too.
  for (const keyword of PARTIAL_KEYWORDS) {
    const partial = schemasOf(keyword, schema[keyword]) as NormalizedSchema[];
    const others = (): Shape => shapeOf([omitKeywords(schema, ...PARTIAL_KEYWORDS)]);
    if (!partial.some((one) => hasMoreInt64s(shapeOf([one]), others()))) continue;
    throw new DocumentError(
      schema,
      `an int64 that only ${keyword} declares is not supported: declare it in properties, too`,
      keyword,
    );
  }
}

/** Whether a value below is an int64 by one shape and may be another number by the other. The handler sees which it is itself. */
function int64sDiffer(first: Shape, second: Shape): boolean {
  const isNumber = ({ isInt64, types }: Shape): boolean => isInt64 || types.has('number') || types.has('integer');
  const pairs = [...pairsBelow(first, second)];
  return pairs.some(([left, right]) => right && left.isInt64 !== right.isInt64 && isNumber(left) && isNumber(right));
}

/** Whether a value, or any value below it, is an int64 by `shape` and not by `other`: undefined if no schema describes it. */
function hasMoreInt64s(shape: Shape, other: Shape): boolean {
  const pairs = [[shape, other] as const, ...pairsBelow(shape, other)];
  return pairs.some(([left, right]) => left.isInt64 && right?.isInt64 !== true);
}

type OptionalShape = Shape | undefined;
type ShapePairs = Generator<readonly [first: Shape, second: OptionalShape]>;

/** The pairs of shapes that two shapes have for the same value at any depth, each once; undefined where a shape describes none. */
function* pairsBelow(first: Shape, second: OptionalShape, known = new Map<Shape, Set<OptionalShape>>()): ShapePairs {
  const shapes = second ? [first, second] : [first];
  const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
  const patterns = new Set(shapes.flatMap((shape) => shape.patternProperties.map(({ pattern }) => pattern.source)));
  const indexes = new Set(shapes.flatMap(({ prefixItems }) => [...prefixItems.keys()]));
  const children = (shape: OptionalShape): OptionalShape[] => [
    ...[...names].map((name) => propertyShape(shape, name)),
    ...[...indexes].map((index) => itemShape(shape, index)),
    ...[...patterns].map((pattern) => patternShape(shape, pattern)),
    // All other properties, and all items after the first ones.
    shape?.additionalProperties,
    shape?.items,
  ];
  const secondChildren = children(second);
  for (const [index, left] of children(first).entries()) {
    const right = secondChildren[index];
    if (!left || !(left.holdsInt64 || right?.holdsInt64)) continue;
    const compared = known.get(left) ?? new Set();
    if (compared.has(right)) continue;
    known.set(left, compared.add(right));
    yield [left, right];
    yield* pairsBelow(left, right, known);
  }
}

function patternShape(shape: OptionalShape, source: string): OptionalShape {
  const declared = shape?.patternProperties.find(({ pattern }) => pattern.source === source);
  return declared?.shape ?? shape?.additionalProperties;
}
