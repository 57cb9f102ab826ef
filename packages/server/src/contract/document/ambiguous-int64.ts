// Refuses schemas that leave open whether a number is an int64.
import type { Document } from './document';
import { holdsInt64 } from './int64-schema';
import type { Mark } from './marks';
import { Mistake } from './mistake';
import { without, type Schema } from './schema';
import { childOf, itemOf, type Shape } from './shape';

const CONDITIONS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/**
 * Creates the check that the kit can tell which values below a value are int64s, whatever it matches. A handler would get
 * the wrong type otherwise.
 *
 * @param excluded what the message has none of, such as readOnly of a request
 */
export function createAmbiguityCheck(
  document: Document,
  shapeOf: (schemas: readonly Schema[]) => Shape,
  excluded: Mark | undefined,
): { readonly check: (parts: readonly Schema[], union: Schema | undefined) => void; readonly assertNone: () => void } {
  // Compared when all of them are whole.
  const pending = new Set<Schema>();
  return {
    /** @param union whose alternatives a discriminator tells apart */
    check(parts, union) {
      for (const part of parts) if (part !== union && holdsInt64(document, part)) pending.add(part);
    },
    /** @throws Mistake that names the keyword */
    assertNone() {
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
      const isInDoubt = shapes.some((one, place) => shapes.slice(place + 1).some((other) => differBelow(one, other)));
      if (isInDoubt) {
        const message = `what is an int64 in one alternative of ${keyword} is another number in the next: give both the format int64, or a discriminator`;
        throw new Mistake(schema, message, keyword);
      }
    }
    const always = without(schema, ...CONDITIONS);
    for (const keyword of CONDITIONS) {
      const { [keyword]: condition } = schema;
      if (condition === undefined) continue;
      const all = keyword === 'dependentSchemas' ? Object.values(condition as object) : [condition];
      if (!all.some((one: Schema) => adds(shapeOf([one]), shapeOf([always])))) continue;
      throw new Mistake(schema, `an int64 that only ${keyword} has is not supported: write it in properties`, keyword);
    }
  }
}

function differ(one: Shape, other: Shape, seen: Map<Shape, Set<Shape>>): boolean {
  if (!one.holdsInt64 && !other.holdsInt64) return false;
  return (one.isInt64 !== other.isInt64 && [one, other].every(mayBeNumber)) || differBelow(one, other, seen);
}

// Of a value itself the handler sees whether it is a bigint.
function differBelow(one: Shape, other: Shape, seen = new Map<Shape, Set<Shape>>()): boolean {
  const known = seen.get(one) ?? new Set();
  if (known.has(other)) return false;
  seen.set(one, known.add(other));
  return pairsOf(one, other).some(([left, right]) => left && right && differ(left, right, seen));
}

/** Whether a schema has int64s where another one has none. */
function adds(one: Shape, other: Shape | undefined, seen = new Set<Shape>()): boolean {
  if (!one.holdsInt64 || seen.has(one)) return false;
  seen.add(one);
  if (one.isInt64 && other?.isInt64 !== true) return true;
  return pairsOf(one, other).some(([left, right]) => left && adds(left, right, seen));
}

function pairsOf(one: Shape, other: Shape | undefined): (readonly [Shape | undefined, Shape | undefined])[] {
  const shapes = [one, ...(other ? [other] : [])];
  const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
  const count = Math.max(...shapes.map(({ firstItems }) => firstItems.length));
  const patterns = new Set(shapes.flatMap((shape) => shape.patterns.map(({ pattern }) => pattern.source)));
  return [
    ...[...names].map((name) => [childOf(one, name), childOf(other, name)] as const),
    ...Array.from({ length: count }, (_, index) => [itemOf(one, index), itemOf(other, index)] as const),
    ...[...patterns].map((pattern) => [matchingOf(one, pattern), matchingOf(other, pattern)] as const),
    [one.others, other?.others],
    [one.items, other?.items],
  ];
}

function matchingOf(shape: Shape | undefined, source: string): Shape | undefined {
  return shape?.patterns.find(({ pattern }) => pattern.source === source)?.shape ?? shape?.others;
}

function mayBeNumber({ isInt64, types }: Shape): boolean {
  return isInt64 || types.has('number') || types.has('integer');
}
