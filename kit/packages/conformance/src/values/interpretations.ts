import { additionalOf, isTyped, itemOf, propertiesOf, typesOf, type Schema, type TypeName } from '../contract/schema';
import { unionMembersOf } from '../contract/unions';
import { fits, type Values } from './variant';
import { isJsonList, isJsonObject, Raw, readNumber, type Json, type JsonObject } from '../wire/json';
import { scalarText } from '../contract/serialization';

// The most combinations to consider, which are enough to recognize an invalid value.
const MAX_COMBINATIONS = 64;

/**
 * Returns the values that a server may read from a parameter or form field, which is sent as text: `1` may be the
 * number 1 or the string '1', depending on the schema's types. The likeliest value comes first. Returns an empty list
 * if no type allows the text, and undefined if OpenAPI does not define how the value is sent or read. A Raw is a number
 * with an unusual spelling, such as 1e3.
 */
export function interpretationsOf(schema: Schema, value: Json | Raw): readonly Json[] | undefined {
  const members = unionMembersOf(schema);
  const types = new Set(members.flatMap((member) => [...typesOf(member)]));
  // Null is sent as the text `null`. If the schema allows null, OpenAPI does not say whether that text means null.
  if (value === null) return types.has('null') ? undefined : interpretationsOf(schema, 'null');
  // A list with one item is sent as that item alone, so it can also be read as a single value.
  const mayBeScalar = ['boolean', 'integer', 'number', 'string'].some((type) => types.has(type as TypeName));
  if (isJsonList(value) && value.length === 1 && mayBeScalar) return interpretationsOf(schema, value[0] as Json);
  // OpenAPI defines how a list or an object is sent only for a schema of that type.
  if (isJsonList(value)) return types.has('array') ? interpretList(members, value) : undefined;
  if (isJsonObject(value) && !(value instanceof Raw))
    return types.has('object') ? interpretObject(members, value) : undefined;
  const sentText = scalarText(value);
  // If the schema does not allow strings, the text may be a list with one item.
  if (types.has('array') && !types.has('string')) {
    const listInterpretations = sentText === '' ? undefined : interpretList(members, [value]);
    return listInterpretations && [...interpretScalar(types, sentText), ...listInterpretations];
  }
  if (types.has('null') && (sentText === '' || sentText === 'null')) return undefined;
  return interpretScalar(types, sentText);
}

/**
 * Whether the sent value is certainly valid or, if `areValid` is false, certainly invalid. OpenAPI does not say how to
 * read a value without a type, so every interpretation must be valid.
 */
export function isReadAs(
  values: Values,
  schema: Schema,
  interpretations: readonly Json[] | undefined,
  areValid: boolean,
): boolean {
  const fitResults = interpretations?.map((interpretation) => fits(values, schema, interpretation));
  if (!areValid) return fitResults?.includes(true) === false;
  return unionMembersOf(schema).every(isTyped) ? fitResults?.[0] === true : fitResults?.includes(false) === false;
}

function interpretList(members: readonly Schema[], items: readonly (Json | Raw)[]): readonly Json[] | undefined {
  // OpenAPI does not say how an empty list is sent.
  if (items.length === 0) return undefined;
  return combineInterpretations(items.map((item, index) => interpretPart(findItemSchema(members, index), item)));
}

function interpretObject(members: readonly Schema[], value: JsonObject): readonly Json[] | undefined {
  const properties = Object.entries(value);
  if (properties.length === 0) return undefined;
  const interpretationsOfProperties = properties.map(([name, property]) => {
    const interpretations = interpretPart(findPropertySchema(members, name), property);
    return interpretations?.map((interpretation) => [name, interpretation] as const);
  });
  return combineInterpretations(interpretationsOfProperties)?.map((combination) => Object.fromEntries(combination));
}

// A number in JSON (RFC 8259 section 6).
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function interpretScalar(types: ReadonlySet<TypeName>, sentText: string): Json[] {
  const isNumber = (types.has('integer') || types.has('number')) && JSON_NUMBER.test(sentText);
  const isBoolean = types.has('boolean') && (sentText === 'true' || sentText === 'false');
  return [
    ...(isNumber ? [readNumber(sentText)] : []),
    ...(isBoolean ? [sentText === 'true'] : []),
    ...(types.has('string') ? [sentText] : []),
  ];
}

// Without a schema, a member or item is a string. OpenAPI does not say how a nested list or object is sent.
function interpretPart(schema: Schema | undefined, part: Json | Raw): readonly Json[] | undefined {
  if (schema) return interpretationsOf(schema, part);
  const isScalar = typeof part !== 'object' || part instanceof Raw;
  return isScalar ? [scalarText(part)] : undefined;
}

function findItemSchema(members: readonly Schema[], index: number): Schema | undefined {
  return members.map((schema) => itemOf(schema, index)).find((item) => item !== undefined);
}

function findPropertySchema(members: readonly Schema[], name: string): Schema | undefined {
  const declaredSchema = members
    .map((schema) => propertiesOf(schema).get(name))
    .find((property) => property !== undefined);
  return declaredSchema ?? members.map(additionalOf).find((additional) => typeof additional === 'object');
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
