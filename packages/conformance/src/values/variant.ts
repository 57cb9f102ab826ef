import type { Schema } from '../contract/schema';
import type { LeftOpen } from '../left-open';
import type { Validate } from '../validator';
import type { Given } from './given';
import { toJson, type Wire } from '../wire/json';

/** One value for a place in a request, on one side of a rule of the contract. */
export interface Variant {
  readonly value: Wire;
  /** Where the rule stands. */
  readonly pointer: string;
  /** What is special about it, such as `int64 maximum+1`. */
  readonly label: string;
  /** The keyword of the rule, or what else made it. */
  readonly keyword: string;
  /** Every rule that this value stands at the edge of. */
  readonly covers: readonly string[];
  /** The clause that lets a server take it, and refuse it. */
  readonly leftOpen?: LeftOpen | undefined;
}

/** The schemas that a value is being made inside of, so that one that holds itself ends. */
export type Inside = readonly string[];

/** Makes values for any schema. */
export interface Values {
  readonly validate: Validate;
  /** The same, but for what discriminators say. */
  readonly validateUntagged: Validate;
  readonly given: Given;
  /** The text that strings have where any will do. */
  readonly mark: string;
  /**
   * A plain value that fits, with every optional part that is not endless.
   *
   * @throws Untriable when nobody can tell one
   */
  readonly baseOf: (schema: Schema, inside?: Inside) => Wire;
  /** Values on the right side of every rule. */
  readonly goodValues: (schema: Schema, inside?: Inside) => Variant[];
  /** Values on the wrong side of one rule each. */
  readonly badValues: (schema: Schema, inside?: Inside) => Variant[];
}

/**
 * Whether a value fits, by a validator that knows nothing of how it was made.
 *
 * @throws Untriable when nobody can say
 */
export function fits({ validate }: Pick<Values, 'validate'>, schema: Schema, value: Wire): boolean {
  const json = toJson(value);
  return schema.places.every(({ pointer }) => validate(pointer, json).length === 0);
}

/** Where the first of some rules stands; the schema itself where there is none. */
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

/** What was made for one side of the rules, as far as an independent validator finds it there. */
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
