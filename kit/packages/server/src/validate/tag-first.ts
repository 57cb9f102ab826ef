// Lets a tag select a union's alternative. Trying every alternative can take exponential time, and reports the faults of all.
import {
  inPlaceSchemasOf,
  omitKeywords,
  propertiesNamed,
  type NormalizedDocument,
  type NormalizedSchema,
  type ValidatorSchema,
} from '@contract-kit/contract';

/**
 * In a copied schema, rewrites unions whose alternatives have different tags. For an object, only the alternative with its tag
 * applies, and an unknown tag is reported as such. In a union of null and one other alternative, that alternative applies to all
 * values except null. The same values match as before.
 *
 * @param schema the schema that was copied
 * @param isKept whether the copy has a property
 */
export function checkTagFirst(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  copied: ValidatorSchema,
  isKept: (name: string) => boolean,
): ValidatorSchema {
  return (['oneOf', 'anyOf'] as const).reduce((judged, keyword) => {
    const copies = copied[keyword] ?? [];
    const alternatives = copies.map((copy, index): Alternative => {
      return { copy, parts: inPlaceSchemasOf(document, { ...schema[keyword]?.[index] }, ['allOf']) };
    });
    const union = toTagConditions(document, keyword, alternatives, isKept) ?? toNullCondition(keyword, alternatives);
    return union ? { ...omitKeywords(judged, keyword), allOf: [...(judged.allOf ?? []), union] } : judged;
  }, copied);
}

interface Alternative {
  /** The schemas that every value of the alternative matches. */
  readonly parts: readonly NormalizedSchema[];
  readonly copy: ValidatorSchema;
}

// Returns undefined unless there is a property that each alternative for objects requires, with its own strings as tags. One
// alternative may instead exclude all these tags, as a discriminator's default does.
function toTagConditions(
  document: NormalizedDocument,
  keyword: 'oneOf' | 'anyOf',
  alternatives: readonly Alternative[],
  isKept: (name: string) => boolean,
): ValidatorSchema | undefined {
  const objects = alternatives.filter(({ parts }) => parts.every(({ type = 'object' }) => type.includes('object')));
  // A discriminator's property is required by the last part, so try it first.
  const names = objects.slice(0, 2).flatMap(({ parts }) => parts.toReversed().flatMap(({ required = [] }) => required));
  for (const name of new Set(names.filter(isKept))) {
    const entries = objects.map(({ parts, copy }) => ({ parts, copy, tags: findTags(document, parts, name) }));
    const allTags = entries.flatMap(({ tags }) => tags);
    const [untagged, another] = entries.filter(({ tags }) => tags.length === 0);
    if (another || allTags.length === 0 || new Set(allTags).size < allTags.length) continue;
    if (untagged && !excludes(document, untagged.parts, name, allTags)) continue;
    const hasTag = (tags: readonly string[]): ValidatorSchema => ({
      required: [name],
      properties: { [name]: { type: 'string', enum: tags } },
    });
    // A binary search compares few tags even if there are many alternatives.
    const choose = (candidates: typeof entries): ValidatorSchema => {
      const firstHalf = candidates.slice(0, candidates.length / 2);
      if (firstHalf.length === 0) return { allOf: candidates.map(({ copy }) => copy) };
      const tags = firstHalf.flatMap((candidate) => candidate.tags);
      return { if: hasTag(tags), then: choose(firstHalf), else: choose(candidates.slice(firstHalf.length)) };
    };
    const chosenSchema = choose(entries.filter((candidate) => candidate !== untagged));
    return {
      if: { type: 'object' },
      then: { if: hasTag(allTags), then: chosenSchema, else: untagged?.copy ?? hasTag(allTags) },
      else: copyForNonObjects(),
    };
  }
  return undefined;

  function copyForNonObjects(): ValidatorSchema {
    const areObjects = objects.every(({ parts }) => parts.some(({ type, nullable }) => type === 'object' && !nullable));
    const otherAlternatives = alternatives.filter((alternative) => !objects.includes(alternative));
    if (!areObjects || otherAlternatives.some(({ parts: [first] }) => first?.type !== 'null'))
      return { [keyword]: alternatives.map(({ copy }) => copy) };
    return { type: otherAlternatives.length > 0 ? ['object', 'null'] : 'object' };
  }
}

function toNullCondition(
  keyword: 'oneOf' | 'anyOf',
  alternatives: readonly Alternative[],
): ValidatorSchema | undefined {
  const [nonNull, ...more] = alternatives.filter(({ parts: [first] }) => first?.type !== 'null');
  if (!nonNull || more.length > 0 || alternatives.length !== 2) return undefined;
  const refusesNull = nonNull.parts.some(
    ({ type, nullable }) => type !== undefined && !nullable && !type.includes('null'),
  );
  const matching = refusesNull ? alternatives.filter((alternative) => alternative !== nonNull) : alternatives;
  return { if: { type: 'null' }, then: { [keyword]: matching.map(({ copy }) => copy) }, else: nonNull.copy };
}

function excludes(
  document: NormalizedDocument,
  parts: readonly NormalizedSchema[],
  name: string,
  tags: readonly string[],
): boolean {
  return propertiesNamed(document, parts, name).some(({ not }) => tags.every((tag) => not?.enum?.includes(tag)));
}

// Returns the strings that a property may have, if it is required and allows no other values.
function findTags(document: NormalizedDocument, parts: readonly NormalizedSchema[], name: string): string[] {
  if (!parts.some(({ required = [] }) => required.includes(name))) return [];
  const allowedValueLists = propertiesNamed(document, parts, name).flatMap(({ const: only, enum: values = [only] }) =>
    values[0] === undefined ? [] : [values],
  );
  const [first = [], ...rest] = allowedValueLists;
  const commonValues = first.filter((value) => rest.every((values) => values.includes(value)));
  return commonValues.every((value) => typeof value === 'string') ? commonValues : [];
}
