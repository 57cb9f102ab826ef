// Compares where two shapes have int64s.
import { itemShape, propertyShape, type Shape } from './shape';

// Whether a value, or any value below it, is an int64 by one shape and may be another number by the other. `compared` has the
// pairs that were compared already: a recursive schema leads to them again.
function int64sDiffer(first: Shape, second: Shape, compared: Map<Shape, Set<Shape>>): boolean {
  if (!first.holdsInt64 && !second.holdsInt64) return false;
  const differs = first.isInt64 !== second.isInt64 && mayBeNumber(first) && mayBeNumber(second);
  return differs || int64sDifferBelow(first, second, compared);
}

/** Like int64sDiffer, but only below the value: of the value itself, the handler sees whether it is a bigint. */
export function int64sDifferBelow(first: Shape, second: Shape, compared = new Map<Shape, Set<Shape>>()): boolean {
  const comparedWithFirst = compared.get(first) ?? new Set();
  if (comparedWithFirst.has(second)) return false;
  compared.set(first, comparedWithFirst.add(second));
  return pairChildren(first, second).some(([left, right]) => left && right && int64sDiffer(left, right, compared));
}

/** Whether a value, or any value below it, is an int64 by `shape` and not by `other`: undefined if no schema describes it. */
export function hasMoreInt64s(shape: Shape, other: Shape | undefined, seen = new Set<Shape>()): boolean {
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
