// Refuses schemas that do not decide whether a number is an int64.
import type { Document } from '../schema/document';
import { holdsInt64 } from './exact-rules';
import { schemasOf } from '../schema/keywords';
import type { Mark } from '../schema/read-write-only';
import { Mistake } from '../text/mistake';
import { without, type Schema } from '../schema/schema';
import { itemShape, propertyShape, type Shape } from './shape';

const CONDITIONAL_KEYWORDS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/** Creates the check that int64s do not depend on the alternative that matches: the kit parses them before it knows which. */
export function createAmbiguityCheck(
  document: Document,
  shapeOf: (schemas: readonly Schema[]) => Shape,
  excluded: Mark | undefined,
): {
  readonly addPending: (schemas: readonly Schema[], union: Schema | undefined) => void;
  readonly assertPending: () => void;
} {
  // Shapes of recursive schemas are complete only at the end: the check waits until then.
  const pending = new Set<Schema>();
  return {
    /** @param union needs no check: a discriminator tells its alternatives apart */
    addPending(schemas, union) {
      for (const schema of schemas) if (schema !== union && holdsInt64(document, schema)) pending.add(schema);
    },
    /** @throws Mistake that names the keyword with the alternatives */
    assertPending() {
      // The set grows during the loop: shapeOf may meet new schemas and add them.
      for (const schema of pending) assertUnambiguous(schema);
      pending.clear();
    },
  };

  function assertUnambiguous(schema: Schema): void {
    // Requests exclude what is readOnly, replies what is writeOnly.
    const isInRequest = excluded === 'readOnly';
    // A reply comes from the handler: there a bigint or a number tells which alternative it means.
    if (isInRequest) for (const keyword of ['anyOf', 'oneOf'] as const) assertSameInt64s(schema, keyword);
    assertNoConditionalInt64s(schema);
  }

  function assertSameInt64s(schema: Schema, keyword: 'anyOf' | 'oneOf'): void {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    const isAmbiguous = shapes.some((first, index) =>
      shapes.slice(index + 1).some((second) => int64sDifferBelow(first, second)),
    );
    if (isAmbiguous) {
      const message = `what is an int64 in one alternative of ${keyword} is another number in the next: give both the format int64, or a discriminator`;
      throw new Mistake(schema, message, keyword);
    }
  }

  // `if`, `then` and the like apply to some values only: each int64 in them must be an int64 outside of them, too.
  function assertNoConditionalInt64s(schema: Schema): void {
    const unconditional = without(schema, ...CONDITIONAL_KEYWORDS);
    for (const keyword of CONDITIONAL_KEYWORDS) {
      const conditional = schemasOf(keyword, schema[keyword]) as Schema[];
      if (!conditional.some((one) => hasMoreInt64s(shapeOf([one]), shapeOf([unconditional])))) continue;
      throw new Mistake(schema, `an int64 that only ${keyword} has is not supported: write it in properties`, keyword);
    }
  }
}

// Whether a value, or any value below it, is an int64 by one shape and may be another number by the other. `compared` has the
// pairs that were compared already: a recursive schema leads to them again.
function int64sDiffer(first: Shape, second: Shape, compared: Map<Shape, Set<Shape>>): boolean {
  if (!first.holdsInt64 && !second.holdsInt64) return false;
  const differs = first.isInt64 !== second.isInt64 && mayBeNumber(first) && mayBeNumber(second);
  return differs || int64sDifferBelow(first, second, compared);
}

/** Like int64sDiffer, but only below the value: of the value itself, the handler sees whether it is a bigint. */
function int64sDifferBelow(first: Shape, second: Shape, compared = new Map<Shape, Set<Shape>>()): boolean {
  const comparedWithFirst = compared.get(first) ?? new Set();
  if (comparedWithFirst.has(second)) return false;
  compared.set(first, comparedWithFirst.add(second));
  return pairChildren(first, second).some(([left, right]) => left && right && int64sDiffer(left, right, compared));
}

/** Whether a value, or any value below it, is an int64 by `shape` and not by `other`: undefined if no schema describes it. */
function hasMoreInt64s(shape: Shape, other: Shape | undefined, seen = new Set<Shape>()): boolean {
  if (!shape.holdsInt64 || seen.has(shape)) return false;
  seen.add(shape);
  if (shape.isInt64 && other?.isInt64 !== true) return true;
  return pairChildren(shape, other).some(([child, otherChild]) => child && hasMoreInt64s(child, otherChild, seen));
}

type ShapePair = readonly [first: Shape | undefined, second: Shape | undefined];

/** Pairs the shapes that two shapes have for the same property or item; undefined where a shape describes none. */
function pairChildren(first: Shape, second: Shape | undefined): ShapePair[] {
  const shapes = second ? [first, second] : [first];
  const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
  const patterns = new Set(shapes.flatMap((shape) => shape.patterns.map(({ pattern }) => pattern.source)));
  const firstItemCount = Math.max(...shapes.map(({ firstItems }) => firstItems.length));
  const indexes = Array.from({ length: firstItemCount }, (_, index) => index);
  return [
    ...[...names].map((name): ShapePair => [propertyShape(first, name), propertyShape(second, name)]),
    ...indexes.map((index): ShapePair => [itemShape(first, index), itemShape(second, index)]),
    ...[...patterns].map((pattern): ShapePair => [patternShape(first, pattern), patternShape(second, pattern)]),
    // All other properties, and all items after the first ones.
    [first.others, second?.others],
    [first.items, second?.items],
  ];
}

function patternShape(shape: Shape | undefined, source: string): Shape | undefined {
  return shape?.patterns.find(({ pattern }) => pattern.source === source)?.shape ?? shape?.others;
}

function mayBeNumber({ isInt64, types }: Shape): boolean {
  return isInt64 || types.has('number') || types.has('integer');
}
