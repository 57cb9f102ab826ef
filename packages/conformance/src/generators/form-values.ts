// Makes the values of a multipart/form-data.
import type { Content, Part } from '../contract/model';
import { propertiesOf, rulesOf, sentRequired, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { meaningsOf } from '../values/meanings';
import { fits, pointerOf, type Values } from '../values/variant';
import { isJsonList, Raw, toJson, type Json, type JsonObject, type Wire } from '../wire/json';

/** A property that is sent as one part, or as a part for each item. */
export interface Property extends Part {
  readonly name: string;
  readonly schema: Schema;
}

/** The properties for which OpenAPI says how they are written as parts. */
export function propertiesOfForm({ schema, parts }: Content): Property[] {
  const all = propertiesOf(schema);
  return [...parts].flatMap(([name, part]) => {
    const own = all.get(name);
    return own ? [{ ...part, name, schema: own }] : [];
  });
}

/**
 * Makes one valid form with every part for which a value can be made; a file is a Latin-1 string.
 *
 * @throws Untriable when no valid value can be made
 */
export function baseForm(values: Values, content: Content): JsonObject {
  const { schema, parts } = content;
  const required = sentRequired(schema);
  if ([...required.keys()].some((name) => !parts.has(name)))
    throw new Untriable('parts of which OpenAPI does not say how they are written', pointerOf(schema));
  const members = propertiesOfForm(content).flatMap((property) => {
    const make = (): Json | undefined => baseOf(values, property);
    const value = required.has(property.name) ? make() : schema.contract.untried.attempt(make, undefined);
    return value === undefined ? [] : [[property.name, value] as const];
  });
  const base = Object.fromEntries(members);
  return fits(values, schema, base) ? base : throwUntriable(schema);
}

function baseOf(values: Values, property: Property): Json {
  const { kind, schema } = property;
  const made = kind === 'file' ? sampleFiles(property) : (meaningsIn(property, values.baseOf(schema)) ?? []);
  return made.find((value) => fits(values, schema, value)) ?? throwUntriable(schema);
}

// Of several lengths, for minLength and maxLength.
const FILES = ['a file', 'f', '', 'a longer file, for who counts its bytes'];

function sampleFiles({ isList, schema }: Property): Json[] {
  const least = Math.max(1, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value)));
  return FILES.map((file) => (isList ? Array.from({ length: least }, () => file) : file));
}

/** The values that a server may read from parts; undefined when OpenAPI does not say, or the value cannot be sent. */
export function meaningsIn({ kind, isList, schema }: Property, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  const items = isList && isJsonList(json) ? json : [json];
  // An empty list has no parts, and a nested list in one part looks like the outer list.
  if (items.length === 0 || (isList && (!isJsonList(json) || items.some(isJsonList)))) return undefined;
  if (kind === 'json') return [json];
  const isPlain = items.every((item) => typeof item !== 'object' && !/\p{Surrogate}/u.test(String(item)));
  return isPlain ? meaningsOf(schema, value instanceof Raw ? value : json) : undefined;
}

function throwUntriable(schema: Schema): never {
  throw new Untriable('parts that no values were found for', pointerOf(schema));
}
