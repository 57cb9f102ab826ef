// Finds the values that a server may read from a text by a schema, such as a number or a string from `1`.
import {
  additionalOf,
  allBranchesOf,
  itemOf,
  propertiesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { isJsonList, isJsonObject, Raw, readNumber, type Json, type JsonObject } from '../wire/json';
import { scalarText } from '../contract/serialization';

// Enough to recognize an invalid value.
const MAX_COMBINATIONS = 64;

/**
 * A value of a parameter or form is sent as text: a server may read `1` as the number 1 or the string '1'. Returns all
 * values that a server may read, by the types of the schema; the likeliest comes first.
 *
 * @param value what is sent; a Raw is a number in a certain spelling, such as 1e3
 * @returns an empty list when no type allows the text; undefined when OpenAPI does not say how the value is sent or read
 */
export function meaningsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  // The branches of oneOf and anyOf, or the schema alone, and the types that any of them allows.
  const alternatives = allBranchesOf(schema);
  const types = new Set(alternatives.flatMap((alternative) => [...typesOf(alternative)]));
  // Null is sent as the text `null`. Where the type null is allowed, OpenAPI does not say whether that text means it.
  if (value === null) return types.has('null') ? undefined : meaningsOf(schema, 'null');
  // A list or object is sent in a way that OpenAPI defines only for a schema of that type.
  if (isJsonList(value)) return types.has('array') ? listMeanings(alternatives, value) : undefined;
  if (isJsonObject(value) && !(value instanceof Raw))
    return types.has('object') ? objectMeanings(alternatives, value) : undefined;
  const sentText = scalarText(value);
  // A list of one item is sent as the item alone, so the text is read as such a list, unless it may be a string.
  if (types.has('array') && !types.has('string')) {
    // An empty text may be an empty list, or a list of an empty string.
    return sentText === '' ? undefined : listMeanings(alternatives, [value]);
  }
  // It may also be null.
  if (types.has('null') && (sentText === '' || sentText === 'null')) return undefined;
  return scalarMeanings(types, sentText);
}

/**
 * Every list that a server may read from the texts of the items; undefined when OpenAPI does not say.
 *
 * @param alternatives the schemas that the list may have: the branches of oneOf and anyOf
 */
function listMeanings(alternatives: readonly Schema[], items: readonly (Json | Raw)[]): readonly Json[] | undefined {
  // OpenAPI does not say how an empty list is sent.
  if (items.length === 0) return undefined;
  return combineMeanings(items.map((item, index) => meaningsOfPart(findItemSchema(alternatives, index), item)));
}

/**
 * Every object that a server may read from the texts of the members; undefined when OpenAPI does not say.
 *
 * @param alternatives the schemas that the object may have: the branches of oneOf and anyOf
 */
function objectMeanings(alternatives: readonly Schema[], value: JsonObject): readonly Json[] | undefined {
  const members = Object.entries(value);
  // OpenAPI does not say how an empty object is sent.
  if (members.length === 0) return undefined;
  const meaningsOfMembers = members.map(([name, member]) => {
    const meanings = meaningsOfPart(findMemberSchema(alternatives, name), member);
    return meanings?.map((meaning) => [name, meaning] as const);
  });
  return combineMeanings(meaningsOfMembers)?.map((combination) => Object.fromEntries(combination));
}

// RFC 8259 section 6.
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// `1` is 1 and '1', `true` is true and 'true', as far as the types allow it.
function scalarMeanings(types: ReadonlySet<TypeName>, sentText: string): Json[] {
  const isNumber = (types.has('integer') || types.has('number')) && JSON_NUMBER.test(sentText);
  const isBoolean = types.has('boolean') && (sentText === 'true' || sentText === 'false');
  return [
    ...(isNumber ? [readNumber(sentText)] : []),
    ...(isBoolean ? [sentText === 'true'] : []),
    ...(types.has('string') ? [sentText] : []),
  ];
}

// Without a schema the part is a string, and OpenAPI does not say how a list or object is sent.
function meaningsOfPart(schema: Schema | undefined, part: Json | Raw): readonly Json[] | undefined {
  if (schema) return meaningsOf(schema, part);
  const isScalar = typeof part !== 'object' || part instanceof Raw;
  return isScalar ? [scalarText(part)] : undefined;
}

function findItemSchema(alternatives: readonly Schema[], index: number): Schema | undefined {
  return alternatives.map((schema) => itemOf(schema, index)).find((item) => item !== undefined);
}

function findMemberSchema(alternatives: readonly Schema[], name: string): Schema | undefined {
  const declared = alternatives.map((each) => propertiesOf(each).get(name)).find((property) => property !== undefined);
  return declared ?? alternatives.map(additionalOf).find((additional) => typeof additional === 'object');
}

// For example [[1n, 'a'], ['1', 'a']] of [[1n, '1'], ['a']]; undefined when the meanings of a part are unknown.
function combineMeanings<T>(meaningsOfParts: readonly (readonly T[] | undefined)[]): T[][] | undefined {
  const known = meaningsOfParts.filter((meanings) => meanings !== undefined);
  if (known.length < meaningsOfParts.length) return undefined;
  return known.reduce<T[][]>(
    (combinations, meanings) =>
      combinations
        .flatMap((combination) => meanings.map((meaning) => [...combination, meaning]))
        .slice(0, MAX_COMBINATIONS),
    [[]],
  );
}
