// Rewrites unions so that the tag of a value decides which alternative judges it: judging all of them would take exponential
// time, and would tell what is wrong under each.
import {
  inPlaceSchemasOf,
  omitKeywords,
  propertiesNamed,
  type NormalizedDocument,
  type NormalizedSchema,
  type ValidatorSchema,
} from '@contract-kit/contract';

/**
 * Rewrites the unions of a copied schema whose alternatives a tag tells apart: of an object, only the alternative that its tag
 * names is judged, and a wrong tag is told as such. Of null and one other, that alone is judged, and told, for what is not
 * null. The same values match as before.
 *
 * @param schema the original of the copy
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
    const rewritten =
      toTagConditions(document, keyword, alternatives, isKept) ?? toNullCondition(keyword, alternatives);
    return rewritten ? { ...omitKeywords(judged, keyword), allOf: [...(judged.allOf ?? []), rewritten] } : judged;
  }, copied);
}

interface Alternative {
  /** Its schemas that each of its values matches. */
  readonly parts: readonly NormalizedSchema[];
  readonly copy: ValidatorSchema;
}

// Returns undefined unless there is a property that each alternative for objects requires, with texts of its own; but for one
// alternative, which may exclude just these texts: the default of a discriminator.
function toTagConditions(
  document: NormalizedDocument,
  keyword: 'oneOf' | 'anyOf',
  alternatives: readonly Alternative[],
  isKept: (name: string) => boolean,
): ValidatorSchema | undefined {
  const objects = alternatives.filter(({ parts }) => parts.every(({ type = 'object' }) => type.includes('object')));
  // The property that a discriminator reads is required by the last part.
  const names = objects.slice(0, 2).flatMap(({ parts }) => parts.toReversed().flatMap(({ required = [] }) => required));
  for (const name of new Set(names.filter(isKept))) {
    const tagged = objects.map(({ parts, copy }) => ({ parts, copy, texts: findTexts(document, parts, name) }));
    const allTexts = tagged.flatMap(({ texts }) => texts);
    const [untagged, another] = tagged.filter(({ texts }) => texts.length === 0);
    if (another || allTexts.length === 0 || new Set(allTexts).size < allTexts.length) continue;
    if (untagged && !excludes(document, untagged.parts, name, allTexts)) continue;
    const hasTag = (values: readonly string[]): ValidatorSchema => ({
      required: [name],
      properties: { [name]: { type: 'string', enum: values } },
    });
    // Halved again and again: of many alternatives, few tags are compared.
    const choose = (some: typeof tagged): ValidatorSchema => {
      const half = some.slice(0, some.length / 2);
      if (half.length === 0) return { allOf: some.map(({ copy }) => copy) };
      const texts = half.flatMap((one) => one.texts);
      return { if: hasTag(texts), then: choose(half), else: choose(some.slice(half.length)) };
    };
    const chosen = choose(tagged.filter((one) => one !== untagged));
    return {
      if: { type: 'object' },
      then: { if: hasTag(allTexts), then: chosen, else: untagged?.copy ?? hasTag(allTexts) },
      else: copyForOthers(),
    };
  }
  return undefined;

  // What values match that are no objects.
  function copyForOthers(): ValidatorSchema {
    const areObjects = objects.every(({ parts }) => parts.some(({ type, nullable }) => type === 'object' && !nullable));
    const others = alternatives.filter((one) => !objects.includes(one));
    if (!areObjects || others.some(({ parts: [first] }) => first?.type !== 'null'))
      return { [keyword]: alternatives.map(({ copy }) => copy) };
    return { type: others.length > 0 ? ['object', 'null'] : 'object' };
  }
}

// Returns undefined unless one of two alternatives is null.
function toNullCondition(
  keyword: 'oneOf' | 'anyOf',
  alternatives: readonly Alternative[],
): ValidatorSchema | undefined {
  const [other, ...more] = alternatives.filter(({ parts: [first] }) => first?.type !== 'null');
  if (!other || more.length > 0 || alternatives.length !== 2) return undefined;
  const refusesNull = other.parts.some(
    ({ type, nullable }) => type !== undefined && !nullable && !type.includes('null'),
  );
  const possible = refusesNull ? alternatives.filter((one) => one !== other) : alternatives;
  return { if: { type: 'null' }, then: { [keyword]: possible.map(({ copy }) => copy) }, else: other.copy };
}

/** Whether a property can have none of these texts. */
function excludes(
  document: NormalizedDocument,
  parts: readonly NormalizedSchema[],
  name: string,
  texts: readonly string[],
): boolean {
  return propertiesNamed(document, parts, name).some(({ not }) => texts.every((text) => not?.enum?.includes(text)));
}

/** The texts that a property may have, if it is required and can be nothing else. */
function findTexts(document: NormalizedDocument, parts: readonly NormalizedSchema[], name: string): string[] {
  if (!parts.some(({ required = [] }) => required.includes(name))) return [];
  const allowed = propertiesNamed(document, parts, name).flatMap(({ const: only, enum: values = [only] }) =>
    values[0] === undefined ? [] : [values],
  );
  const [first = [], ...others] = allowed;
  const common = first.filter((value) => others.every((values) => values.includes(value)));
  return common.every((value) => typeof value === 'string') ? common : [];
}
