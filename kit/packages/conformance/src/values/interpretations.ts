// Finds the values that a server may read from text given a schema, such as a number or a string from `1`.
import { additionalOf, isTyped, itemOf, propertiesOf, typesOf, type Schema, type TypeName } from '../contract/schema';
import { unionMembersOf } from '../contract/unions';
import { fits, type Values } from './variant';
import { isJsonList, isJsonObject, Raw, readNumber, type Json, type JsonObject } from '../wire/json';
import { scalarText } from '../contract/serialization';

// This is enough to recognize an invalid value.
const MAX_COMBINATIONS = 64;

/**
 * Parameters and form fields are sent as text, so a server may read `1` as the number 1 or as the string '1'. Returns
 * what it may read given the schema's types, the likeliest first. Returns an empty list when no type allows the text,
 * and undefined when OpenAPI does not say how the value is sent or read. A Raw is a number in a certain spelling, such
 * as 1e3.
 */
export function interpretationsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  const members = unionMembersOf(schema);
  const types = new Set(members.flatMap((member) => [...typesOf(member)]));
  // Null is sent as the text `null`, and where a null is allowed, OpenAPI does not say whether that text means it.
  if (value === null) return types.has('null') ? undefined : interpretationsOf(schema, 'null');
  // A list of one item is sent as the item alone, so it reads as a single value as well.
  const mayBeScalar = ['boolean', 'integer', 'number', 'string'].some((type) => types.has(type as TypeName));
  if (isJsonList(value) && value.length === 1 && mayBeScalar) return interpretationsOf(schema, value[0] as Json);
  // OpenAPI defines how a list or an object is sent only for a schema of that type.
  if (isJsonList(value)) return types.has('array') ? listInterpretations(members, value) : undefined;
  if (isJsonObject(value) && !(value instanceof Raw))
    return types.has('object') ? objectInterpretations(members, value) : undefined;
  const sentText = scalarText(value);
  // Unless it may be a string, the text may be a list of one item.
  if (types.has('array') && !types.has('string')) {
    const lists = sentText === '' ? undefined : listInterpretations(members, [value]);
    return lists && [...scalarInterpretations(types, sentText), ...lists];
  }
  if (types.has('null') && (sentText === '' || sentText === 'null')) return undefined;
  return scalarInterpretations(types, sentText);
}

/**
 * Whether the sent value is certainly valid, or, unless `areValid`, certainly invalid. OpenAPI does not say how a value
 * without a type is read, so every reading of it has to be valid.
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

function listInterpretations(members: readonly Schema[], items: readonly (Json | Raw)[]): readonly Json[] | undefined {
  // OpenAPI does not say how an empty list is sent.
  if (items.length === 0) return undefined;
  return combineInterpretations(
    items.map((item, index) => interpretationsOfPart(findItemSchema(members, index), item)),
  );
}

function objectInterpretations(members: readonly Schema[], value: JsonObject): readonly Json[] | undefined {
  const properties = Object.entries(value);
  if (properties.length === 0) return undefined;
  const interpretationsOfProperties = properties.map(([name, property]) => {
    const interpretations = interpretationsOfPart(findPropertySchema(members, name), property);
    return interpretations?.map((interpretation) => [name, interpretation] as const);
  });
  return combineInterpretations(interpretationsOfProperties)?.map((combination) => Object.fromEntries(combination));
}

// RFC 8259 section 6.
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function scalarInterpretations(types: ReadonlySet<TypeName>, sentText: string): Json[] {
  const isNumber = (types.has('integer') || types.has('number')) && JSON_NUMBER.test(sentText);
  const isBoolean = types.has('boolean') && (sentText === 'true' || sentText === 'false');
  return [
    ...(isNumber ? [readNumber(sentText)] : []),
    ...(isBoolean ? [sentText === 'true'] : []),
    ...(types.has('string') ? [sentText] : []),
  ];
}

// Without a schema a member or an item is a string, and OpenAPI does not say how a nested list or object is sent.
function interpretationsOfPart(schema: Schema | undefined, part: Json | Raw): readonly Json[] | undefined {
  if (schema) return interpretationsOf(schema, part);
  const isScalar = typeof part !== 'object' || part instanceof Raw;
  return isScalar ? [scalarText(part)] : undefined;
}

function findItemSchema(members: readonly Schema[], index: number): Schema | undefined {
  return members.map((schema) => itemOf(schema, index)).find((item) => item !== undefined);
}

function findPropertySchema(members: readonly Schema[], name: string): Schema | undefined {
  const declared = members.map((schema) => propertiesOf(schema).get(name)).find((property) => property !== undefined);
  return declared ?? members.map(additionalOf).find((additional) => typeof additional === 'object');
}

// Turns [[1n, '1'], ['a']] into [[1n, 'a'], ['1', 'a']]; undefined when the interpretations of a part are unknown.
export function combineInterpretations<T>(
  interpretationsOfParts: readonly (readonly T[] | undefined)[],
): T[][] | undefined {
  const definedInterpretations = interpretationsOfParts.filter((interpretations) => interpretations !== undefined);
  if (definedInterpretations.length < interpretationsOfParts.length) return undefined;
  return definedInterpretations.reduce<T[][]>(
    (combinations, interpretations) =>
      combinations
        .flatMap((combination) => interpretations.map((interpretation) => [...combination, interpretation]))
        .slice(0, MAX_COMBINATIONS),
    [[]],
  );
}
