// Makes values for unions: of oneOf, of anyOf, and of conditions.
import { isRecursive, rulesOf, type Schema } from '../contract/schema';
import { type Union } from '../contract/unions';
import { MEMBER_CLAUSE } from '../contract/discriminators';
import type { ImplementationDefined } from '../contract/standards';
import { isJsonObject, toJson } from '../wire/json';
import { fits, pointerOf, type Values, type Variant } from './variant';
import { breakObject } from './objects';

/** Keeps those that are valid for the whole schema; without any, the union member is skipped. */
export function goodOfMember(values: Values, schema: Schema, member: Schema): Variant[] {
  const valid = values.validValues(member).filter(({ value }) => fits(values, schema, value));
  if (valid.length === 0)
    schema.contract.skipped.add({ reason: noneFound('value of one alternative'), pointer: pointerOf(member) });
  // `x-implementation-defined` of a member names the clause of a standard that lets a server refuse its values.
  const [implementationDefined] = rulesOf(member, MEMBER_CLAUSE).map(({ value }) => value as ImplementationDefined);
  return valid.map((variant) => ({
    ...variant,
    implementationDefined: variant.implementationDefined ?? implementationDefined,
  }));
}

export function isConditional({ keyword }: Union): boolean {
  return keyword === 'if' || keyword === 'dependentSchemas';
}

/** Values that match no union member, or more than one of a oneOf, or break a condition. */
export function badOfUnion(values: Values, schema: Schema, union: Union): Variant[] {
  const { keyword, members } = union;
  // What leads back to a schema around it is broken there.
  const isTested = (member: Schema): boolean => !isRecursive(member) || members.every(isRecursive);
  const keepInvalid = (variants: readonly Variant[]): Variant[] =>
    variants.filter(({ value }) => !fits(values, schema, value));
  const matchingNone = members.flatMap((member, index) =>
    keepInvalid(isTested(member) ? values.invalidValues(member) : []).map((variant) => ({
      ...variant,
      label: `union member ${String(index)}, ${variant.label}`,
    })),
  );
  // What is valid for one member but not for the whole must match another member as well, or another condition.
  const matchingSeveral = members
    .flatMap((member) => keepInvalid(values.validValues(member)))
    .map((variant) => ({
      ...variant,
      keyword: isConditional(union) ? keyword : 'oneOf',
      label: `${isConditional(union) ? keyword : 'more than one union member'}, ${variant.label}`,
    }));
  const breakingConditions = isConditional(union)
    ? members.flatMap((member) => breakCondition(values, schema, member))
    : [];
  return [
    ...matchingNone,
    ...matchingSeveral,
    ...breakingConditions.map((variant) => ({ ...variant, label: `${keyword}, ${variant.label}` })),
  ];
}

// Of the first valid object that can be broken by what a member adds: only there the condition holds.
function breakCondition(values: Values, schema: Schema, member: Schema): Variant[] {
  const branchRules = { ...member, schemaObjects: member.schemaObjects.slice(schema.schemaObjects.length) };
  for (const { value } of goodOfMember(values, schema, member)) {
    const json = toJson(value);
    const broken = isJsonObject(json) ? breakObject(values, branchRules, json) : [];
    const invalid = broken.filter((variant) => !fits(values, schema, variant.value));
    if (invalid.length > 0) return invalid;
  }
  return [];
}

export function noneFound(what: string): string {
  return `schemas that no ${what} was found to satisfy`;
}
