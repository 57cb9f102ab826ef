// Finds the values that a server may read from a text by a schema, such as a number or a string from `1`.
import { additionalOf, isTyped, itemOf, propertiesOf, typesOf, type Schema, type TypeName } from '../contract/schema';
import { unionMembersOf } from '../contract/unions';
import { fits, type Values } from './variant';
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
export function interpretationsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  // The union members, or the schema alone, and the types that any of them allows.
  const members = unionMembersOf(schema);
  const types = new Set(members.flatMap((member) => [...typesOf(member)]));
  // Null is sent as the text `null`. Where the type null is allowed, OpenAPI does not say whether that text means it.
  if (value === null) return types.has('null') ? undefined : interpretationsOf(schema, 'null');
  // A list of one item is sent as the item alone, which may be a value itself.
  const mayBeScalar = ['boolean', 'integer', 'number', 'string'].some((type) => types.has(type as TypeName));
  if (isJsonList(value) && value.length === 1 && mayBeScalar) return interpretationsOf(schema, value[0] as Json);
  // A list or object is sent in a way that OpenAPI defines only for a schema of that type.
  if (isJsonList(value)) return types.has('array') ? listInterpretations(members, value) : undefined;
  if (isJsonObject(value) && !(value instanceof Raw))
    return types.has('object') ? objectInterpretations(members, value) : undefined;
  const sentText = scalarText(value);
  // It may be such a list, too, unless it may be a string.
  if (types.has('array') && !types.has('string')) {
    // An empty text may be an empty list, or a list of an empty string.
    const lists = sentText === '' ? undefined : listInterpretations(members, [value]);
    return lists && [...scalarInterpretations(types, sentText), ...lists];
  }
  // It may also be null.
  if (types.has('null') && (sentText === '' || sentText === 'null')) return undefined;
  return scalarInterpretations(types, sentText);
}

/**
 * Whether what is sent is valid, or else invalid however a server reads it; false where that is not known. What is sent for a
 * schema without a type is valid only however it is read, since OpenAPI does not say which reading is the likeliest.
 */
export function isReadAs(
  values: Values,
  schema: Schema,
  interpretations: readonly Json[] | undefined,
  areValid: boolean,
): boolean {
  const areFitting = interpretations?.map((interpretation) => fits(values, schema, interpretation));
  if (!areValid) return areFitting?.includes(true) === false;
  return unionMembersOf(schema).every(isTyped) ? areFitting?.[0] === true : areFitting?.includes(false) === false;
}

/**
 * Every list that a server may read from the texts of the items; undefined when OpenAPI does not say.
 *
 * @param members the schemas that the list may have: the union members
 */
function listInterpretations(members: readonly Schema[], items: readonly (Json | Raw)[]): readonly Json[] | undefined {
  // OpenAPI does not say how an empty list is sent.
  if (items.length === 0) return undefined;
  return combineInterpretations(
    items.map((item, index) => interpretationsOfPart(findItemSchema(members, index), item)),
  );
}

/**
 * Every object that a server may read from the texts of the members; undefined when OpenAPI does not say.
 *
 * @param members the schemas that the object may have: the union members
 */
function objectInterpretations(members: readonly Schema[], value: JsonObject): readonly Json[] | undefined {
  const properties = Object.entries(value);
  // OpenAPI does not say how an empty object is sent.
  if (properties.length === 0) return undefined;
  const interpretationsOfProperties = properties.map(([name, property]) => {
    const interpretations = interpretationsOfPart(findPropertySchema(members, name), property);
    return interpretations?.map((interpretation) => [name, interpretation] as const);
  });
  return combineInterpretations(interpretationsOfProperties)?.map((combination) => Object.fromEntries(combination));
}

// RFC 8259 section 6.
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// `1` is 1 and '1', `true` is true and 'true', as far as the types allow it.
function scalarInterpretations(types: ReadonlySet<TypeName>, sentText: string): Json[] {
  const isNumber = (types.has('integer') || types.has('number')) && JSON_NUMBER.test(sentText);
  const isBoolean = types.has('boolean') && (sentText === 'true' || sentText === 'false');
  return [
    ...(isNumber ? [readNumber(sentText)] : []),
    ...(isBoolean ? [sentText === 'true'] : []),
    ...(types.has('string') ? [sentText] : []),
  ];
}

// Without a schema the part is a string, and OpenAPI does not say how a list or object is sent.
function interpretationsOfPart(schema: Schema | undefined, part: Json | Raw): readonly Json[] | undefined {
  if (schema) return interpretationsOf(schema, part);
  const isScalar = typeof part !== 'object' || part instanceof Raw;
  return isScalar ? [scalarText(part)] : undefined;
}

function findItemSchema(members: readonly Schema[], index: number): Schema | undefined {
  return members.map((schema) => itemOf(schema, index)).find((item) => item !== undefined);
}

function findPropertySchema(members: readonly Schema[], name: string): Schema | undefined {
  const declared = members.map((each) => propertiesOf(each).get(name)).find((property) => property !== undefined);
  return declared ?? members.map(additionalOf).find((additional) => typeof additional === 'object');
}

// For example [[1n, 'a'], ['1', 'a']] of [[1n, '1'], ['a']]; undefined when the interpretations of a part are unknown.
export function combineInterpretations<T>(
  interpretationsOfParts: readonly (readonly T[] | undefined)[],
): T[][] | undefined {
  const known = interpretationsOfParts.filter((interpretations) => interpretations !== undefined);
  if (known.length < interpretationsOfParts.length) return undefined;
  return known.reduce<T[][]>(
    (combinations, interpretations) =>
      combinations
        .flatMap((combination) => interpretations.map((interpretation) => [...combination, interpretation]))
        .slice(0, MAX_COMBINATIONS),
    [[]],
  );
}
