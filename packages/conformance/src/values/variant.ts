import type { Schema } from '../contract/schema';
import type { LeftOpen } from '../left-open';
import type { Validate } from '../validator';
import type { Given } from './given';
import { toJson, type Wire } from '../wire/json';

/** A value that keeps or breaks one rule of the contract. */
export interface Variant {
  readonly value: Wire;
  /** The JSON pointer of the rule's schema. */
  readonly pointer: string;
  /** What is special about it, such as `int64 maximum+1`. */
  readonly label: string;
  /** The keyword of the rule, or another kind such as `spelling`. */
  readonly keyword: string;
  /** Every rule that this value tests. */
  readonly covers: readonly string[];
  /** The clause of a standard that lets a server accept or refuse it. */
  readonly leftOpen?: LeftOpen | undefined;
}

/** The keys of the schemas around a value, so that recursive schemas end. */
export type Inside = readonly string[];

/** Makes values for any schema. */
export interface Values {
  readonly validate: Validate;
  /** The same without discriminators. */
  readonly validateUntagged: Validate;
  readonly given: Given;
  /** The string where any string is valid. */
  readonly mark: string;
  /**
   * Makes one valid value, with every optional part that ends.
   *
   * @throws Untriable when no valid value can be made
   */
  readonly baseOf: (schema: Schema, inside?: Inside) => Wire;
  /** Makes valid values, at the edge of each rule. */
  readonly goodValues: (schema: Schema, inside?: Inside) => Variant[];
  /** Makes invalid values, each of which breaks one rule. */
  readonly badValues: (schema: Schema, inside?: Inside) => Variant[];
}

/**
 * Whether a value is valid, by a validator that is independent of the makers of values.
 *
 * @throws Untriable when the validator cannot say
 */
export function fits({ validate }: Pick<Values, 'validate'>, schema: Schema, value: Wire): boolean {
  const json = toJson(value);
  return schema.places.every(({ pointer }) => validate(pointer, json).length === 0);
}

/** The pointer of the first rule, or else of the schema. */
export function pointerOf(schema: Schema, covers: readonly string[] = []): string {
  const [first] = covers;
  return first?.slice(0, first.indexOf(' ')) ?? schema.places[0]?.pointer ?? '#';
}

export function createVariant(
  schema: Schema,
  rule: Pick<Variant, 'keyword' | 'label' | 'leftOpen'>,
  value: Wire,
  covers: readonly string[] = [],
): Variant {
  return { ...rule, value, covers, pointer: pointerOf(schema, covers) };
}

/** Keeps the values that an independent validator finds valid (or invalid) as intended; lists the others as untried. */
export function keepOnSide(
  values: Values,
  schema: Schema,
  made: readonly Variant[],
  isRight: boolean,
): readonly Variant[] {
  const there = made.filter(({ value, pointer, keyword }) => {
    const isThere = fits(values, schema, value) === isRight;
    if (!isThere)
      schema.contract.untried.add({
        reason: `${keyword}, ${isRight ? 'inside' : 'outside'}, beside other rules`,
        pointer,
      });
    return isThere;
  });
  const { validateUntagged } = values;
  if (validateUntagged === values.validate) return there;
  return there.map((variant) => {
    const isSame = fits({ validate: validateUntagged }, schema, variant.value) === isRight;
    return isSame ? variant : { ...variant, leftOpen: 'OpenAPI 3.0.4, 3.1.1 Discriminator Object' };
  });
}
