// Makes the values of a multipart/form-data.
import type { Content, Part } from '../contract/model';
import { propertiesOf, rulesOf, sentRequired, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { meaningsOf } from '../values/meanings';
import { fits, pointerOf, type Values } from '../values/variant';
import { isJsonList, Raw, toJson, type Json, type JsonObject, type Wire } from '../wire/json';

/** A property of a form that is sent as one part, or as a part for each item (`isList`). */
export interface Property extends Part {
  readonly name: string;
  readonly schema: Schema;
}

/** The properties of a form, with their schemas; without those of which OpenAPI does not say how they are written. */
export function propertiesOfForm({ schema, parts }: Content): Property[] {
  const schemas = propertiesOf(schema);
  return [...parts].flatMap(([name, part]) => {
    const property = schemas.get(name);
    return property ? [{ ...part, name, schema: property }] : [];
  });
}

/**
 * Makes one valid form with every part for which a value can be made; a file is a Latin-1 string.
 *
 * @throws Untriable when no valid form can be made
 */
export function baseForm(values: Values, content: Content): JsonObject {
  const { schema, parts } = content;
  const required = sentRequired(schema);
  if ([...required.keys()].some((name) => !parts.has(name)))
    throw new Untriable('parts of which OpenAPI does not say how they are written', pointerOf(schema));
  const members = propertiesOfForm(content).flatMap((property) => {
    const make = (): Json | undefined => basePart(values, property);
    // An optional part for which no value can be made is left out, and listed as untried.
    const value = required.has(property.name) ? make() : schema.contract.untried.attempt(make, undefined);
    return value === undefined ? [] : [[property.name, value] as const];
  });
  const form = Object.fromEntries(members);
  return fits(values, schema, form) ? form : throwUntriable(schema);
}

// A list is the values of several parts. Throws Untriable when no candidate is valid.
function basePart(values: Values, property: Property): Json {
  const { kind, schema } = property;
  const candidates = kind === 'file' ? sampleFiles(property) : (meaningsIn(property, values.baseOf(schema)) ?? []);
  return candidates.find((value) => fits(values, schema, value)) ?? throwUntriable(schema);
}

// Of several lengths, so that one of them keeps minLength and maxLength.
const SAMPLE_FILES = ['a file', 'f', '', 'a longer file, for who counts its bytes'];

function sampleFiles({ isList, schema }: Property): Json[] {
  if (!isList) return SAMPLE_FILES;
  // An empty list would have no part, so it has at least one file.
  const length = Math.max(1, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value)));
  return SAMPLE_FILES.map((file) => Array.from({ length }, () => file));
}

/**
 * The values that a server may read from the parts of a property: the text `1` may be a number or a string. The
 * likeliest comes first; undefined when OpenAPI does not say, or the value cannot be sent.
 */
export function meaningsIn({ kind, isList, schema }: Property, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  // A list property is sent as one part for each item: an empty list has no part, and any other value is one part, like
  // a list of one item. An item that is a list itself, sent as JSON, could be taken for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind === 'json') return [json];
  const sentValues = isList && isJsonList(json) ? json : [json];
  // Half of a surrogate pair has no UTF-8.
  const areTexts = sentValues.every((sent) => typeof sent !== 'object' && !/\p{Surrogate}/u.test(String(sent)));
  // A raw number keeps its spelling, such as 1e3, which as a string is another value than 1000.
  return areTexts ? meaningsOf(schema, value instanceof Raw ? value : json) : undefined;
}

function throwUntriable(schema: Schema): never {
  throw new Untriable('parts that no values were found for', pointerOf(schema));
}
