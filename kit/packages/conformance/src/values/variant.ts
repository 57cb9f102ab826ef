// Variants are values that keep or break one rule of the contract.
import { pointersOf, type Schema } from '../contract/schema';
import { SkippedError } from '../contract/skipped';
import { mergeAlternatives, unionMembersOf } from '../contract/unions';
import type { ImplementationDefined } from '../contract/standards';
import { createValidator, type Validate } from '../validation/validator';
import type { WorkLimit } from '../validation/work-limit';
import type { Fixtures } from './fixtures';
import { Members, Raw, toJson, type Json, type Wire } from '../wire/json';

export interface Variant {
  readonly value: Wire;
  /** The JSON pointer of the rule's schema. */
  readonly pointer: string;
  /** Describes the value, such as `int64 maximum+1`. */
  readonly label: string;
  /** The rule's keyword, or another category such as `spelling`. */
  readonly keyword: string;
  /** Number of values that enclose the tested part; 0 for the value itself. */
  readonly depth: number;
  /** The clause of a standard that lets a server either accept or refuse the value. */
  readonly implementationDefined?: ImplementationDefined | undefined;
}

export interface Values {
  readonly validate: Validate;
  readonly validateWithoutDiscriminators: Validate;
  readonly fixtures: Fixtures;
  /** The string that is sent wherever any string is valid. */
  readonly marker: string;
  readonly workLimit: WorkLimit;
  /** Makes one valid value with all optional parts, except endless recursion. Throws a SkippedError if impossible. */
  readonly baseOf: (schema: Schema) => Wire;
  /** Makes valid values at the edge of each rule. */
  readonly validValues: (schema: Schema) => Variant[];
  /** Makes values that each break one rule. */
  readonly invalidValues: (schema: Schema) => Variant[];
  /** Makes the values of members and items. Beyond the maximum depth, it makes only base values. */
  readonly inner: Values;
  readonly outermost: Values;
  /** Whether the maximum depth is exceeded, so that optional properties are left out. */
  readonly isInnermost: boolean;
  readonly tooDeep: Set<string>;
}

/** Checks a value with a validator independent of the generators. Throws a SkippedError when it cannot decide. */
export function fits({ validate }: Pick<Values, 'validate'>, schema: Schema, value: Wire): boolean {
  const json = toJson(value);
  return schema.schemaObjects.every(({ pointer }) => validate(pointer, json).length === 0);
}

const validators = new WeakMap<Schema['contract'], Validate>();

/** The schema with only the alternatives that a value fits; if it fits none, the schema itself. */
export function narrowTo(schema: Schema, value: Json, side: 'request' | 'reply' = 'reply'): Schema {
  const { contract } = schema;
  const members = unionMembersOf(schema);
  if (members[0] === schema) return schema;
  const validate = validators.get(contract) ?? createValidator(contract);
  validators.set(contract, validate);
  const validator: Pick<Values, 'validate'> = { validate: (pointer, json) => validate(pointer, json, side) };
  const fittingMembers = contract.skipped.attempt(() => members.filter((member) => fits(validator, member, value)), []);
  return fittingMembers.slice(1).reduce(mergeAlternatives, fittingMembers[0] ?? schema);
}

export function pointerOf(schema: Schema): string {
  return schema.schemaObjects[0]?.pointer ?? '#';
}

/** The pointer defaults to the first schema object with the keyword, or else to the schema. */
export function createVariant(
  schema: Schema,
  description: Omit<Variant, 'value' | 'pointer' | 'depth'> & { readonly pointer?: string | undefined },
  value: Wire,
): Variant {
  const { keyword, pointer = pointersOf(schema, keyword)[0] ?? pointerOf(schema) } = description;
  return { ...description, value, pointer, depth: 0 };
}

export function nest(inner: Variant, value: Wire, label = inner.label): Variant {
  return { ...inner, value, label, depth: inner.depth + 1 };
}

export function throwSkipped(schema: Schema, reason: string): never {
  throw new SkippedError(reason, pointerOf(schema));
}

/** Keeps variants that an independent validator confirms, and lists the others as skipped. */
export function keepConfirmed(
  values: Values,
  schema: Schema,
  variants: readonly Variant[],
  areValid: boolean,
): readonly Variant[] {
  const confirmedVariants = variants.filter(({ value, pointer, keyword }) => {
    const isConfirmed = fits(values, schema, value) === areValid;
    if (!isConfirmed)
      schema.contract.skipped.add({
        reason: `${areValid ? 'valid' : 'invalid'} values of ${keyword}, because of the other keywords`,
        pointer,
      });
    return isConfirmed;
  });
  return confirmedVariants.map((variant) => ({
    ...variant,
    implementationDefined: findDisputedClause(values, schema, variant.value) ?? variant.implementationDefined,
  }));
}

/** Returns the clause that leaves a value's validity open, if only a discriminator decides it. */
export function findDisputedClause(values: Values, schema: Schema, value: Wire): ImplementationDefined | undefined {
  const { validate, validateWithoutDiscriminators } = values;
  // Without discriminators, both are the same function.
  if (validateWithoutDiscriminators === validate) return undefined;
  const isUndisputed = fits({ validate: validateWithoutDiscriminators }, schema, value) === fits(values, schema, value);
  return isUndisputed ? undefined : 'OpenAPI 3.0.4, 3.1.1 Discriminator Object';
}

// Values share their parts, so each part is counted once.
const countCache = new WeakMap<object, number>();

/** Counts the nested values, including the value itself. */
export function countValues(value: Wire): number {
  if (typeof value !== 'object' || value === null) return 1;
  const cachedCount = countCache.get(value);
  if (cachedCount !== undefined) return cachedCount;
  const children: readonly Wire[] =
    value instanceof Members
      ? value.entries.map(([, member]) => member)
      : value instanceof Raw
        ? []
        : Object.values(value);
  const count = children.reduce<number>((sum, child) => sum + countValues(child), 1);
  countCache.set(value, count);
  return count;
}
