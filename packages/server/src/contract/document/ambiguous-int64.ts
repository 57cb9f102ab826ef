import { resolveReference, type Document } from './document';
import { Mistake } from './mistake';
import { subschemas, type Schema } from './schema';
import type { Shape } from './shape';

/**
 * Asserts that no value is an int64 in one alternative of anyOf or oneOf and another number in the next. The kit could
 * not tell which alternative a value matched, and a handler would get the wrong type.
 *
 * @throws Mistake that names the keyword
 */
export function assertNoAmbiguousInt64(
  document: Document,
  node: Schema,
  shapeOf: (schemas: readonly Schema[]) => Shape,
  seen = new Set<Schema>(),
): void {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    const isInDoubt = shapes.some((one, place) => shapes.slice(place + 1).some((other) => differ(one, other)));
    if (isInDoubt) {
      const message = `what is an int64 in one alternative of ${keyword} is another number in the next: give both the format int64`;
      throw new Mistake(schema, message, keyword);
    }
  }
  for (const child of subschemas(schema)) assertNoAmbiguousInt64(document, child, shapeOf, seen);
}

function differ(one: Shape, other: Shape, seen = new Map<Shape, Set<Shape>>()): boolean {
  if (!one.holdsInt64 && !other.holdsInt64) return false;
  const known = seen.get(one) ?? new Set();
  if (known.has(other)) return false;
  seen.set(one, known.add(other));
  if (one.isInt64 !== other.isInt64 && [one, other].every(mayBeNumber)) return true;
  const names = new Set([...one.properties.keys(), ...other.properties.keys()]);
  const pairs = [...names].map((name) => [placeOf(one, name), placeOf(other, name)]);
  return [...pairs, [one.others, other.others], [one.items, other.items]].some(
    ([left, right]) => left !== undefined && right !== undefined && differ(left, right, seen),
  );
}

function placeOf({ properties, others }: Shape, name: string): Shape | undefined {
  return properties.get(name) ?? others;
}

function mayBeNumber({ isInt64, types }: Shape): boolean {
  return isInt64 || types.has('number') || types.has('integer');
}
