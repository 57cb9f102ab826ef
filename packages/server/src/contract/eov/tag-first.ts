// Has the tag of a union judged first: of a recursive union, all alternatives at each level would take exponential time.
import type { Document } from '../document/document';
import { partsOf } from '../document/parts';
import { without, type Schema } from '../document/schema';
import { tagOf } from '../document/tagged-union';

/**
 * Rewrites the unions of a copied schema whose alternatives a discriminator tells apart: of an object, only the alternative
 * that its tag names is judged, and a wrong tag is told as such. The same values match as before.
 *
 * @param schema the original of the copy: its alternatives have their tags
 */
export function judgeTagFirst(document: Document, schema: Schema, copied: Schema): Schema {
  return (['oneOf', 'anyOf'] as const).reduce((judged, keyword) => {
    const judgedByTag = toJudgedByTag(document, keyword, schema[keyword] ?? [], copied[keyword] ?? []);
    return judgedByTag ? { ...without(judged, keyword), allOf: [...(judged.allOf ?? []), judgedByTag] } : judged;
  }, copied);
}

// Undefined unless the tags tell all alternatives apart, but for null.
function toJudgedByTag(
  document: Document,
  keyword: 'oneOf' | 'anyOf',
  alternatives: readonly Schema[],
  copies: readonly Schema[],
): Schema | undefined {
  const tags = alternatives.map(tagOf);
  const values = tags.flatMap((tag) => tag?.values ?? []);
  const areTold = alternatives.every((one, index) => isNull(one) || (tags[index]?.values ?? []).length > 0);
  const property = tags.find((tag) => tag !== undefined)?.property;
  if (property === undefined || !areTold || new Set(values).size < values.length) return undefined;

  // A tagged alternative is an allOf of itself and what requires the tag.
  const tagged = copies.flatMap(({ allOf: [copy, requiresTag] = [] }, index) =>
    tags[index] && copy && requiresTag ? [{ copy, requiresTag }] : [],
  );
  const hasNull = tagged.length < copies.length;
  const areObjects = alternatives.every((one) => isNull(one) || isObject(document, one));
  const otherwise: Schema = areObjects
    ? { type: hasNull ? ['object', 'null'] : 'object' }
    : { [keyword]: copies.map((copy, index) => (tags[index] ? copy.allOf?.[0] : undefined) ?? copy) };
  const hasTag: Schema = { required: [property], properties: { [property]: { type: 'string', enum: values } } };
  const variants = tagged.map(({ copy, requiresTag }): Schema => ({ if: requiresTag, then: copy }));
  return { if: { type: 'object' }, then: { allOf: [hasTag, ...variants] }, else: otherwise };
}

function isNull({ type }: Schema): boolean {
  return type === 'null';
}

function isObject(document: Document, alternative: Schema): boolean {
  return partsOf(document, alternative, ['allOf']).some(({ type, nullable }) => type === 'object' && nullable !== true);
}
