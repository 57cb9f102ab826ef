/** What a schema says about one place of a value, allOf, anyOf and oneOf taken together. */
export interface Shape {
  readonly isInt64: boolean;
  /** There is an int64 at this place or below it. */
  readonly holdsInt64: boolean;
  /** The types that a value may have; empty where any may be. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** What properties are like that are not in `properties`; undefined where nothing is said of them. */
  readonly others: Shape | undefined;
  readonly items: Shape | undefined;
  /** Other properties than `properties` are declared too. */
  readonly isOpen: boolean;
}

/** The shape of a property; undefined where nothing is said of it. */
export function childOf(shape: Shape | undefined, name: string): Shape | undefined {
  return shape?.properties.get(name) ?? shape?.others;
}
