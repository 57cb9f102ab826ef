// Finds the values that a server may read from a text by a schema, such as a number or a string from `1`.
import {
  additionalOf,
  allBranchesOf,
  itemsOf,
  propertiesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { isJsonList, isJsonObject, Raw, readNumber, type Json, type JsonObject } from '../wire/json';
import { scalarText } from '../wire/parameter';

// Enough to recognize an invalid value.
const MAX_COMBINATIONS = 64;

/**
 * A value of a parameter or form is sent as text: a server may read `1` as the number 1 or the string '1'. Returns all
 * values that a server may read, by the types of the schema; the likeliest comes first.
 *
 * @param value what is sent; a Raw is a number in a certain spelling, such as 1e3
 * @returns an empty list when no type allows the text, undefined when OpenAPI does not say how it is read
 */
export function meaningsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  // The branches of oneOf and anyOf, or the schema alone.
  const alternatives = allBranchesOf(schema);
  const types = new Set(alternatives.flatMap((alternative) => [...typesOf(alternative)]));
  // The text would be `null`, which OpenAPI does not say for the type null.
  if (value === null) return types.has('null') ? undefined : meaningsOf(schema, 'null');
  if (isJsonList(value)) {
    // OpenAPI does not say how an empty list is sent.
    if (!types.has('array') || value.length === 0) return undefined;
    const itemSchema = findItemSchema(alternatives);
    return combineMeanings(value.map((item) => meaningsOfPart(itemSchema, item)));
  }
  if (isJsonObject(value) && !(value instanceof Raw))
    return types.has('object') ? objectMeanings(alternatives, value) : undefined;
  const sentText = scalarText(value);
  // A list of one item is sent as the item alone; an empty text may be an empty list, or a list of an empty string.
  if (types.has('array') && !types.has('string')) {
    const items = sentText === '' ? undefined : meaningsOfPart(findItemSchema(alternatives), value);
    return items?.map((item) => [item]);
  }
  // It may also be null.
  if (types.has('null') && (sentText === '' || sentText === 'null')) return undefined;
  return scalarMeanings(types, sentText);
}

/** Every object that a server may read from the texts of the members; undefined when OpenAPI does not say. */
function objectMeanings(alternatives: readonly Schema[], value: JsonObject): readonly Json[] | undefined {
  const entries = Object.entries(value);
  // OpenAPI does not say how an empty object is sent.
  if (entries.length === 0) return undefined;
  const combinations = combineMeanings(
    entries.map(([name, member]) => meaningsOfPart(findMemberSchema(alternatives, name), member)),
  );
  return combinations?.map((members) =>
    Object.fromEntries(entries.map(([name], index) => [name, members[index] ?? null])),
  );
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

function findItemSchema(alternatives: readonly Schema[]): Schema | undefined {
  return alternatives.map(itemsOf).find((itemSchema) => itemSchema !== undefined);
}

function findMemberSchema(alternatives: readonly Schema[], name: string): Schema | undefined {
  const declared = alternatives.map((each) => propertiesOf(each).get(name)).find((property) => property !== undefined);
  return declared ?? alternatives.map(additionalOf).find((additional) => typeof additional === 'object');
}

// For example [[1n, 'a'], ['1', 'a']] of [[1n, '1'], ['a']]; undefined when the meanings of a part are unknown.
function combineMeanings(meaningsOfParts: readonly (readonly Json[] | undefined)[]): Json[][] | undefined {
  const known = meaningsOfParts.filter((meanings) => meanings !== undefined);
  if (known.length < meaningsOfParts.length) return undefined;
  return known.reduce<Json[][]>(
    (combinations, meanings) =>
      combinations
        .flatMap((combination) => meanings.map((meaning) => [...combination, meaning]))
        .slice(0, MAX_COMBINATIONS),
    [[]],
  );
}
