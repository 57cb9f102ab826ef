/** The properties, items and types that a schema declares for a value, with allOf, anyOf and oneOf merged. */
export interface Shape {
  readonly isInt64: boolean;
  /** Whether this value, or any value below it, may be an int64. */
  readonly holdsInt64: boolean;
  /** The allowed types; empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The shape of properties that are not in `properties`; undefined if no schema describes them. */
  readonly others: Shape | undefined;
  readonly items: Shape | undefined;
  /** Whether properties that are not in `properties` are declared too. */
  readonly isOpen: boolean;
  /** The properties that the contract declares for the other direction: readOnly ones of a request, writeOnly ones of a reply. */
  readonly excluded: ReadonlySet<string>;
  /** Whether this value, or any value below it, declares some. */
  readonly holdsExcluded: boolean;
}

/** The shape of a property; undefined if no schema describes it. */
export function childOf(shape: Shape | undefined, name: string): Shape | undefined {
  return shape?.properties.get(name) ?? shape?.others;
}
