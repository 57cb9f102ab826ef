import { resolveReference, subschemas, type Document, type Schema } from './document';

/** What a schema says about one place of a value, allOf, anyOf and oneOf taken together. */
export interface Shape {
  readonly isInt64: boolean;
  /** There is an int64 at this place or below it. */
  readonly holdsInt64: boolean;
  readonly properties: ReadonlyMap<string, Shape>;
  readonly items: Shape | undefined;
  /** Other properties than `properties` are declared too. */
  readonly isOpen: boolean;
}

// Where an int64 would be one of several types, or stand under a name that is not known beforehand.
const AMBIGUOUS = ['anyOf', 'oneOf', 'not', 'additionalProperties', 'patternProperties', 'prefixItems'] as const;
const ROUNDED = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const'] as const;

/** @throws Error when a schema has an int64 that could not be kept exact */
export function createShape(document: Document, schema: Schema): Shape {
  const ids = new Map<Schema, number>();
  const known = new Map<string, Shape>();
  return shapeOf([schema]);

  // A place is told by its schemas, so that one that refers to itself ends.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const parts = schemas.flatMap((part) => flatten(document, part));
    const key = parts.map(idOf).join();
    const seen = known.get(key);
    if (seen) return seen;

    const properties = new Map<string, Shape>();
    const shape = {
      isInt64: parts.some(isInt64Schema),
      holdsInt64: parts.some((part) => holdsInt64(document, part)),
      properties,
      items: undefined as Shape | undefined,
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties),
    };
    known.set(key, shape);
    parts.forEach((part) => {
      assertExact(document, part);
    });
    for (const name of new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})))) {
      properties.set(name, shapeOf(parts.flatMap((part) => part.properties?.[name] ?? [])));
    }
    const items = parts.flatMap((part) => part.items ?? []);
    if (items.length > 0) shape.items = shapeOf(items);
    return shape;
  }
  function idOf(part: Schema): number {
    const id = ids.get(part) ?? ids.size;
    ids.set(part, id);
    return id;
  }
}

function flatten(document: Document, node: Schema): Schema[] {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap((part) => flatten(document, part))];
}

function isInt64Schema(schema: Schema): boolean {
  return schema.format === 'int64';
}

// exclusiveMinimum and exclusiveMaximum are booleans in OpenAPI 3.0, and a nullable enum lists null.
function isExactLimit(limit: unknown): boolean {
  return typeof limit !== 'number' || Number.isSafeInteger(limit);
}

function isOpen({ additionalProperties, patternProperties }: Schema): boolean {
  return patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);
}

function holdsInt64(document: Document, node: Schema, seen = new Set<Schema>()): boolean {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return false;
  seen.add(schema);
  return isInt64Schema(schema) || subschemas(schema).some((child) => holdsInt64(document, child, seen));
}

function assertExact(document: Document, schema: Schema): void {
  for (const keyword of AMBIGUOUS) {
    const children = subschemas({ [keyword]: schema[keyword] });
    if (children.some((child) => holdsInt64(document, child))) {
      throw new Error(`an int64 inside ${keyword} is not supported`);
    }
  }
  if (!isInt64Schema(schema)) return;
  for (const keyword of ROUNDED) {
    const limits = [schema[keyword] ?? []].flat();
    if (keyword === 'multipleOf' ? limits.length > 0 : !limits.every(isExactLimit)) {
      throw new Error(`an int64 with ${keyword} ${JSON.stringify(schema[keyword])} cannot be checked exactly`);
    }
  }
}
