// The shape of a value: where a schema has int64s, properties and items.
import type { ExactRule } from './exact-rules';

/** The types, properties and items that schemas declare for one value, with allOf, anyOf and oneOf merged. */
export interface Shape {
  readonly isInt64: boolean;
  /** Whether an alternative allows a number that is no int64, too. */
  readonly isOtherNumber: boolean;
  /** The rules for an int64 that the validator, which sees only doubles, cannot decide. */
  readonly rules: readonly ExactRule[];
  /** The default of an int64 that a double cannot hold. */
  readonly exactDefault: bigint | undefined;
  /** Whether this value, or any value below it, may be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The shapes of properties that are not in `properties`, by the pattern that their names match. */
  readonly patterns: readonly { readonly pattern: RegExp; readonly shape: Shape }[];
  /** The shape of properties that match no pattern either; undefined if no schema describes them. */
  readonly others: Shape | undefined;
  /** The shapes of the items that prefixItems describes. */
  readonly firstItems: readonly Shape[];
  /** The shape of the items after them. */
  readonly items: Shape | undefined;
  /** Whether the kit checks uniqueItems itself, by all digits of int64s. */
  readonly isUnique: boolean;
  /** Whether undeclared properties reach the handler: the schema has additionalProperties, or no properties at all. */
  readonly isOpen: boolean;
  /** The shapes of the alternatives, by the value of the discriminator's property; undefined without a discriminator. */
  readonly variants: { readonly property: string; readonly shapes: ReadonlyMap<string, Shape> } | undefined;
  /** The properties that the contract declares for the other direction: readOnly ones of a request, writeOnly ones of a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value, or any value below it, has excluded properties. */
  readonly holdsExcluded: boolean;
}

/** The shape of a property: by its name, else by a pattern, else that of all others; undefined if no schema describes it. */
export function propertyShape(shape: Shape | undefined, name: string): Shape | undefined {
  if (!shape) return undefined;
  const byName = shape.properties.get(name);
  if (byName) return byName;
  const byPattern = shape.patterns.find(({ pattern }) => pattern.test(name));
  return byPattern?.shape ?? shape.others;
}

export function hasUnnamedProperties({ patterns, others }: Shape): boolean {
  return others !== undefined || patterns.length > 0;
}

export function itemShape(shape: Shape | undefined, index: number): Shape | undefined {
  return shape?.firstItems[index] ?? shape?.items;
}

/** The shape of the alternative that an object's discriminator names; the shape itself if it names none. */
export function narrowShape(shape: Shape, value: object): Shape {
  if (!shape.variants) return shape;
  const { property, shapes } = shape.variants;
  const name = Object.hasOwn(value, property) ? (value as Readonly<Record<string, unknown>>)[property] : undefined;
  const variant = typeof name === 'string' ? shapes.get(name) : undefined;
  return variant ?? shape;
}

/** Finds the first rule that an int64 breaks; returns what it must be, such as `be > 5`; undefined if it breaks none. */
export function findBrokenRule({ rules }: Shape, value: bigint): string | undefined {
  for (const rule of rules) {
    const requirement = rule(value);
    if (requirement !== undefined) return requirement;
  }
  return undefined;
}
