import { assertNoAmbiguousInt64 } from './ambiguous-int64';
import { resolveReference, type Document, type Schema } from './document';
import { Mistake } from './mistake';
import { assertSupportedSchema, holdsInt64, isInt64Schema } from './schema-support';

import type { Shape } from './shape';

/**
 * Finds where the values of a schema have an int64.
 *
 * @throws Mistake when the kit cannot enforce a schema
 * @example createShape(document, schema)
 */
export function createShape(document: Document, schema: Schema): Shape {
  assertSupportedSchema(document, schema);
  const ids = new Map<Schema, number>();
  const known = new Map<string, Shape>();
  assertNoAmbiguousInt64(document, schema, shapeOf);
  return shapeOf([schema]);

  // Cached by the set of schemas, so that recursive schemas terminate.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const parts = schemas.flatMap((part) => flatten(document, part));
    const key = parts.map(idOf).join();
    const seen = known.get(key);
    if (seen) return seen;

    const properties = new Map<string, Shape>();
    const shape = {
      isInt64: parts.some(isInt64Schema),
      holdsInt64: parts.some((part) => holdsInt64(document, part)),
      types: new Set(parts.flatMap(({ type = [] }) => type)),
      properties,
      others: undefined as Shape | undefined,
      items: undefined as Shape | undefined,
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties),
    };
    known.set(key, shape);
    const divided = parts.find((part) => part.multipleOf !== undefined);
    if (shape.isInt64 && divided) {
      throw new Mistake(divided, 'an int64 with multipleOf cannot be checked exactly', 'multipleOf');
    }
    for (const name of new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})))) {
      properties.set(name, shapeOf(parts.flatMap((part) => part.properties?.[name] ?? othersOf(part))));
    }
    const others = parts.flatMap(othersOf);
    if (others.length > 0) shape.others = shapeOf(others);
    shape.items = shapeOf(parts.flatMap((part) => part.items ?? []));
    return shape;
  }

  function idOf(part: Schema): number {
    const id = ids.get(part) ?? ids.size;
    ids.set(part, id);
    return id;
  }
}

function othersOf({ additionalProperties }: Schema): Schema[] {
  return typeof additionalProperties === 'object' ? [additionalProperties] : [];
}

function flatten(document: Document, node: Schema): Schema[] {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap((part) => flatten(document, part))];
}

function isOpen({ additionalProperties, patternProperties }: Schema): boolean {
  return patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);
}
