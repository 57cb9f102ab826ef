// Refuses schemas that do not decide whether a number is an int64.
import type { Document } from './document';
import { holdsInt64 } from './int64-schema';
import type { Mark } from './marks';
import { Mistake } from './mistake';
import { without, type Schema } from './schema';
import { propertyShape, itemShape, type Shape } from './shape';

const CONDITIONS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/**
 * Creates the check that int64s are in the same places whichever alternative a value matches. Otherwise a handler would get
 * the wrong type.
 *
 * @param excluded the keyword of properties that the message must not have: readOnly in a request
 */
export function createAmbiguityCheck(
  document: Document,
  shapeOf: (schemas: readonly Schema[]) => Shape,
  excluded: Mark | undefined,
): {
  readonly addPending: (parts: readonly Schema[], union: Schema | undefined) => void;
  readonly assertPending: () => void;
} {
  // Shapes of recursive schemas are complete only at the end: the check waits until then.
  const pending = new Set<Schema>();
  return {
    /** @param union needs no check: a discriminator tells its alternatives apart */
    addPending(parts, union) {
      for (const part of parts) if (part !== union && holdsInt64(document, part)) pending.add(part);
    },
    /** @throws Mistake that names the keyword */
    assertPending() {
      // The set grows during the loop.
      for (const part of pending) assertAlike(part);
      pending.clear();
    },
  };

  function assertAlike(schema: Schema): void {
    // In a reply, the type of a number says which alternative its handler means.
    const keywords = excluded === 'readOnly' ? (['anyOf', 'oneOf'] as const) : [];
    for (const keyword of keywords) {
      const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
      const isAmbiguous = shapes.some((one, index) =>
        shapes.slice(index + 1).some((other) => int64sDifferBelow(one, other)),
      );
      if (isAmbiguous) {
        const message = `what is an int64 in one alternative of ${keyword} is another number in the next: give both the format int64, or a discriminator`;
        throw new Mistake(schema, message, keyword);
      }
    }
    const unconditional = without(schema, ...CONDITIONS);
    for (const keyword of CONDITIONS) {
      const { [keyword]: condition } = schema;
      if (condition === undefined) continue;
      const all = keyword === 'dependentSchemas' ? Object.values(condition as object) : [condition];
      if (!all.some((one: Schema) => hasMoreInt64s(shapeOf([one]), shapeOf([unconditional])))) continue;
      throw new Mistake(schema, `an int64 that only ${keyword} has is not supported: write it in properties`, keyword);
    }
  }
}

function int64sDiffer(one: Shape, other: Shape, seen: Map<Shape, Set<Shape>>): boolean {
  if (!one.holdsInt64 && !other.holdsInt64) return false;
  return (one.isInt64 !== other.isInt64 && [one, other].every(mayBeNumber)) || int64sDifferBelow(one, other, seen);
}

// Compares only properties and items: of the value itself, the handler sees whether it is a bigint.
function int64sDifferBelow(one: Shape, other: Shape, seen = new Map<Shape, Set<Shape>>()): boolean {
  const known = seen.get(one) ?? new Set();
  if (known.has(other)) return false;
  seen.set(one, known.add(other));
  return pairsOf(one, other).some(([left, right]) => left && right && int64sDiffer(left, right, seen));
}

/** Whether `one` has an int64 in a place where `other` has none. */
function hasMoreInt64s(one: Shape, other: Shape | undefined, seen = new Set<Shape>()): boolean {
  if (!one.holdsInt64 || seen.has(one)) return false;
  seen.add(one);
  if (one.isInt64 && other?.isInt64 !== true) return true;
  return pairsOf(one, other).some(([left, right]) => left && hasMoreInt64s(left, right, seen));
}

/** Pairs the shapes that two shapes have for the same property or item. */
function pairsOf(one: Shape, other: Shape | undefined): (readonly [Shape | undefined, Shape | undefined])[] {
  const shapes = [one, ...(other ? [other] : [])];
  const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
  const count = Math.max(...shapes.map(({ firstItems }) => firstItems.length));
  const patterns = new Set(shapes.flatMap((shape) => shape.patterns.map(({ pattern }) => pattern.source)));
  return [
    ...[...names].map((name) => [propertyShape(one, name), propertyShape(other, name)] as const),
    ...Array.from({ length: count }, (_, index) => [itemShape(one, index), itemShape(other, index)] as const),
    ...[...patterns].map((pattern) => [patternShape(one, pattern), patternShape(other, pattern)] as const),
    [one.others, other?.others],
    [one.items, other?.items],
  ];
}

function patternShape(shape: Shape | undefined, source: string): Shape | undefined {
  return shape?.patterns.find(({ pattern }) => pattern.source === source)?.shape ?? shape?.others;
}

function mayBeNumber({ isInt64, types }: Shape): boolean {
  return isInt64 || types.has('number') || types.has('integer');
}
