// The shape of a value: where a schema has int64s, properties and items.
import type { ExactRule } from './exact-rules';

/** The properties, items and types that a schema declares for a value, with allOf, anyOf and oneOf merged. */
export interface Shape {
  readonly isInt64: boolean;
  /** Whether a number that is no int64 may be valid, too: of another alternative. */
  readonly isOtherNumber: boolean;
  /** What an int64 has to be beside what the validator decides. */
  readonly rules: readonly ExactRule[];
  /** The default of an int64, where a double cannot hold it. */
  readonly exactDefault: bigint | undefined;
  /** Whether this value, or any value below it, may be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The shapes of properties that are not in `properties`, by what their names match. */
  readonly patterns: readonly { readonly pattern: RegExp; readonly shape: Shape }[];
  /** The shape of all other properties; undefined if no schema describes them. */
  readonly others: Shape | undefined;
  /** The shapes of the first items. */
  readonly firstItems: readonly Shape[];
  /** The shape of the other items. */
  readonly items: Shape | undefined;
  /** Whether items have to differ, decided by the digits of their int64s. */
  readonly isUnique: boolean;
  /** Whether properties that are not in `properties` are declared too. */
  readonly isOpen: boolean;
  /** The shapes of an object by the value of its property that names its schema; undefined without a discriminator. */
  readonly variants: { readonly property: string; readonly shapes: ReadonlyMap<string, Shape> } | undefined;
  /** The properties that the contract declares for the other direction: readOnly ones of a request, writeOnly ones of a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value, or any value below it, declares some. */
  readonly holdsExcluded: boolean;
}

/** The shape of a property; undefined if no schema describes it. */
export function childOf(shape: Shape | undefined, name: string): Shape | undefined {
  if (!shape) return undefined;
  return shape.properties.get(name) ?? shape.patterns.find(({ pattern }) => pattern.test(name))?.shape ?? shape.others;
}

/** Whether properties may have shapes that the contract does not name. */
export function hasOthers({ patterns, others }: Shape): boolean {
  return others !== undefined || patterns.length > 0;
}

/** The shape of an item. */
export function itemOf(shape: Shape | undefined, index: number): Shape | undefined {
  return shape?.firstItems[index] ?? shape?.items;
}

/** The shape of an object, without what only other alternatives declare. */
export function variantOf(shape: Shape, value: object): Shape {
  if (!shape.variants) return shape;
  const { property, shapes } = shape.variants;
  const name = Object.hasOwn(value, property) ? (value as Readonly<Record<string, unknown>>)[property] : undefined;
  return (typeof name === 'string' ? shapes.get(name) : undefined) ?? shape;
}

/** What an int64 is not, of all that it has to be. */
export function findBroken({ rules }: Shape, value: bigint): string | undefined {
  for (const rule of rules) {
    const broken = rule(value);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
