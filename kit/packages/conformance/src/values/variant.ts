// Variants: values that keep or break a rule of the contract, and what the makers of variants share.
import { pointersOf, type Schema } from '../contract/schema';
import { SkippedError } from '../contract/skipped';
import type { ImplementationDefined } from '../contract/standards';
import type { Validate } from '../validation/validator';
import type { WorkLimit } from '../validation/work-limit';
import type { Fixtures } from './fixtures';
import { Members, Raw, toJson, type Wire } from '../wire/json';

export interface Variant {
  readonly value: Wire;
  /** The JSON pointer of the rule's schema. */
  readonly pointer: string;
  /** What is special about it, such as `int64 maximum+1`. */
  readonly label: string;
  /** The keyword of the rule, or another kind such as `spelling`. */
  readonly keyword: string;
  /** How many values the tested part is nested in; 0 for the value itself. */
  readonly depth: number;
  /** The clause of a standard that lets a server accept or refuse it. */
  readonly implementationDefined?: ImplementationDefined | undefined;
}

export interface Values {
  readonly validate: Validate;
  /** Validates without discriminators. */
  readonly validateWithoutDiscriminators: Validate;
  readonly fixtures: Fixtures;
  /** The string where any string is valid. */
  readonly marker: string;
  readonly workLimit: WorkLimit;
  /** Makes one valid value, with every optional part that ends. @throws SkippedError when none can be made */
  readonly baseOf: (schema: Schema) => Wire;
  /** Makes valid values, at the edge of each rule. */
  readonly validValues: (schema: Schema) => Variant[];
  /** Makes invalid values, each of which breaks one rule. */
  readonly invalidValues: (schema: Schema) => Variant[];
  /** Makes the values of members and items, which have none of their own beyond the depth that is tried. */
  readonly inner: Values;
  /** Makes the values of the outermost schema. */
  readonly outermost: Values;
  /** Whether the values are nested too deep to be tried: optional properties are left out. */
  readonly isInnermost: boolean;
  /** The JSON pointers of the schemas that are nested too deep to be tried. */
  readonly tooDeep: Set<string>;
}

/** Asks a validator that is independent of the makers of values. @throws SkippedError when it cannot say */
export function fits({ validate }: Pick<Values, 'validate'>, schema: Schema, value: Wire): boolean {
  const json = toJson(value);
  // `schemaObjects` are all that apply to the value: the schema, what it refers to, and its allOf.
  return schema.schemaObjects.every(({ pointer }) => validate(pointer, json).length === 0);
}

/** The JSON pointer of a schema: of all schema objects that apply, the first. */
export function pointerOf(schema: Schema): string {
  return schema.schemaObjects[0]?.pointer ?? '#';
}

/** The pointer is by default that of the first schema object with the keyword, or else of the schema. */
export function createVariant(
  schema: Schema,
  description: Omit<Variant, 'value' | 'pointer' | 'depth'> & { readonly pointer?: string | undefined },
  value: Wire,
): Variant {
  const { keyword, pointer = pointersOf(schema, keyword)[0] ?? pointerOf(schema) } = description;
  return { ...description, value, pointer, depth: 0 };
}

/** A variant of what a member or an item is nested in. */
export function nest(inner: Variant, value: Wire, label = inner.label): Variant {
  return { ...inner, value, label, depth: inner.depth + 1 };
}

/** @throws SkippedError always, with the schema's pointer */
export function throwSkipped(schema: Schema, reason: string): never {
  throw new SkippedError(reason, pointerOf(schema));
}

/** Keeps the variants that an independent validator confirms; the others are listed as skipped. */
export function keepConfirmed(
  values: Values,
  schema: Schema,
  variants: readonly Variant[],
  areValid: boolean,
): readonly Variant[] {
  const kept = variants.filter(({ value, pointer, keyword }) => {
    const isConfirmed = fits(values, schema, value) === areValid;
    if (!isConfirmed)
      schema.contract.skipped.add({
        reason: `${areValid ? 'valid' : 'invalid'} values of ${keyword}, because of the other keywords`,
        pointer,
      });
    return isConfirmed;
  });
  return kept.map((variant) => ({
    ...variant,
    implementationDefined: disputeOf(values, schema, variant.value) ?? variant.implementationDefined,
  }));
}

/** The clause by which OpenAPI leaves open whether a value is valid: only a discriminator decides it. */
export function disputeOf(values: Values, schema: Schema, value: Wire): ImplementationDefined | undefined {
  const { validate, validateWithoutDiscriminators } = values;
  // Both are the same function when the contract has no discriminators.
  if (validateWithoutDiscriminators === validate) return undefined;
  const isUndisputed = fits({ validate: validateWithoutDiscriminators }, schema, value) === fits(values, schema, value);
  return isUndisputed ? undefined : 'OpenAPI 3.0.4, 3.1.1 Discriminator Object';
}

// The parts of a value are shared by those that are made of it.
const counted = new WeakMap<object, number>();

/** How many values a value has in it, itself included. */
export function countValues(value: Wire): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counted.get(value);
  if (known !== undefined) return known;
  const parts: readonly Wire[] =
    value instanceof Members
      ? value.entries.map(([, member]) => member)
      : value instanceof Raw
        ? []
        : Object.values(value);
  const count = parts.reduce<number>((sum, part) => sum + countValues(part), 1);
  counted.set(value, count);
  return count;
}
