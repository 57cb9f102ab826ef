// Makes values for oneOf, anyOf and conditions.
import { isRecursive, rulesOf, type Schema } from '../contract/schema';
import { type Union } from '../contract/unions';
import { MEMBER_CLAUSE } from '../contract/discriminators';
import type { ImplementationDefined } from '../contract/standards';
import { isJsonObject, toJson } from '../wire/json';
import { fits, pointerOf, type Values, type Variant } from './variant';
import { breakObject } from './objects';

/** Keeps values that are valid for the whole schema, and lists the member as skipped if none is. */
export function makeValidMemberValues(values: Values, schema: Schema, member: Schema): Variant[] {
  const validVariants = values.validValues(member).filter(({ value }) => fits(values, schema, value));
  if (validVariants.length === 0)
    schema.contract.skipped.add({ reason: toNotFoundReason('value of one alternative'), pointer: pointerOf(member) });
  const [implementationDefined] = rulesOf(member, MEMBER_CLAUSE).map(({ value }) => value as ImplementationDefined);
  return validVariants.map((variant) => ({
    ...variant,
    implementationDefined: variant.implementationDefined ?? implementationDefined,
  }));
}

export function isConditional({ keyword }: Union): boolean {
  return keyword === 'if' || keyword === 'dependentSchemas';
}

/** Makes values that match no union member, match more than one member of a oneOf, or break a condition. */
export function makeInvalidUnionValues(values: Values, schema: Schema, union: Union): Variant[] {
  const { keyword, members } = union;
  // A recursive member is already tested in the outer value.
  const isTested = (member: Schema): boolean => !isRecursive(member) || members.every(isRecursive);
  const keepInvalid = (variants: readonly Variant[]): Variant[] =>
    variants.filter(({ value }) => !fits(values, schema, value));
  const unmatchedVariants = members.flatMap((member, index) =>
    keepInvalid(isTested(member) ? values.invalidValues(member) : []).map((variant) => ({
      ...variant,
      label: `union member ${String(index)}, ${variant.label}`,
    })),
  );
  // A value that a member allows but the whole schema refuses matches another member too, or breaks a condition.
  const ambiguousVariants = members
    .flatMap((member) => keepInvalid(values.validValues(member)))
    .map((variant) => ({
      ...variant,
      keyword: isConditional(union) ? keyword : 'oneOf',
      label: `${isConditional(union) ? keyword : 'more than one union member'}, ${variant.label}`,
    }));
  const brokenVariants = isConditional(union)
    ? members.flatMap((member) => breakCondition(values, schema, member))
    : [];
  return [
    ...unmatchedVariants,
    ...ambiguousVariants,
    ...brokenVariants.map((variant) => ({ ...variant, label: `${keyword}, ${variant.label}` })),
  ];
}

// Breaks a rule that the member adds. Starts from an object that is valid for the member, so the condition holds.
function breakCondition(values: Values, schema: Schema, member: Schema): Variant[] {
  const branchRules = { ...member, schemaObjects: member.schemaObjects.slice(schema.schemaObjects.length) };
  for (const { value } of makeValidMemberValues(values, schema, member)) {
    const json = toJson(value);
    const candidates = isJsonObject(json) ? breakObject(values, branchRules, json) : [];
    const invalidVariants = candidates.filter((variant) => !fits(values, schema, variant.value));
    if (invalidVariants.length > 0) return invalidVariants;
  }
  return [];
}

export function toNotFoundReason(what: string): string {
  return `schemas that no ${what} was found to satisfy`;
}
