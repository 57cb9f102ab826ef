// Makes values for the branches of oneOf and anyOf, and of conditions.
import { rulesOf, type Choice, type Schema } from '../contract/schema';
import { OPEN_BRANCH } from '../contract/discriminators';
import type { LeftOpen } from '../contract/standards';
import { isJsonObject, toJson } from '../wire/json';
import { fits, pointerOf, type Ancestors, type Values, type Variant } from './variant';
import { breakObject } from './objects';

/** Keeps those that are valid for the whole schema; without any, the branch is untried. */
export function goodOfBranch(values: Values, schema: Schema, branch: Schema, ancestors: Ancestors): Variant[] {
  const valid = values.goodValues(branch, ancestors).filter(({ value }) => fits(values, schema, value));
  if (valid.length === 0)
    schema.contract.untried.add({ reason: noneFound('values of one branch alone'), pointer: pointerOf(branch) });
  // `x-left-open` of a branch names the clause of a standard that lets a server refuse its values.
  const [leftOpen] = rulesOf(branch, OPEN_BRANCH).map(({ value }) => value as LeftOpen);
  return valid.map((variant) => ({ ...variant, leftOpen: variant.leftOpen ?? leftOpen }));
}

export function isConditional({ keyword }: Choice): boolean {
  return keyword === 'if' || keyword === 'dependentSchemas';
}

/** Values that match no branch of a oneOf or anyOf, or more than one branch of a oneOf, or break a condition. */
export function badOfChoice(values: Values, schema: Schema, choice: Choice, ancestors: Ancestors): Variant[] {
  const { keyword, branches } = choice;
  const keepInvalid = (variants: readonly Variant[]): Variant[] =>
    variants.filter(({ value }) => !fits(values, schema, value));
  const matchingNone = branches.flatMap((branch, index) =>
    keepInvalid(values.badValues(branch, ancestors)).map((variant) => ({
      ...variant,
      label: `branch ${String(index)}, ${variant.label}`,
    })),
  );
  // What is valid for one branch but not for the whole must match another branch as well, or another condition.
  const matchingSeveral = branches
    .flatMap((branch) => keepInvalid(values.goodValues(branch, ancestors)))
    .map((variant) => ({
      ...variant,
      keyword: isConditional(choice) ? keyword : 'oneOf',
      label: `${isConditional(choice) ? keyword : 'more than one branch'}, ${variant.label}`,
    }));
  const breakingConditions = isConditional(choice)
    ? branches.flatMap((branch) => breakCondition(values, schema, branch, ancestors))
    : [];
  return [
    ...matchingNone,
    ...matchingSeveral,
    ...breakingConditions.map((variant) => ({ ...variant, label: `${keyword}, ${variant.label}` })),
  ];
}

// Of the first valid object that can be broken by what a branch adds: only there the condition holds.
function breakCondition(values: Values, schema: Schema, branch: Schema, ancestors: Ancestors): Variant[] {
  const added = { ...branch, places: branch.places.slice(schema.places.length) };
  for (const { value } of goodOfBranch(values, schema, branch, ancestors)) {
    const json = toJson(value);
    const broken = isJsonObject(json) ? breakObject(values, added, json, ancestors) : [];
    const invalid = broken.filter((variant) => !fits(values, schema, variant.value));
    if (invalid.length > 0) return invalid;
  }
  return [];
}

export function noneFound(what: string): string {
  return `rules that no ${what} were found for`;
}
