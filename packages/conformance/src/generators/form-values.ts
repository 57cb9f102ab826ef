// The values of a form, as its parts or fields.
import type { Content, Part } from '../contract/model';
import { propertiesOf, rulesOf, sentRequired, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { meaningsOf } from '../values/meanings';
import { fits, pointerOf, type Values } from '../values/variant';
import { isJsonList, Raw, toJson, type Json, type JsonObject, type Wire } from '../wire/json';

/** A property that is sent as a part, or as several. */
export interface Property extends Part {
  readonly name: string;
  readonly schema: Schema;
}

/** The properties of a form that OpenAPI says how to write. */
export function propertiesOfForm({ schema, parts }: Content): Property[] {
  const all = propertiesOf(schema);
  return [...parts].flatMap(([name, part]) => {
    const own = all.get(name);
    return own ? [{ ...part, name, schema: own }] : [];
  });
}

/**
 * What a plain form means: every part that can be made; a file is a text of its bytes' numbers.
 *
 * @throws Untriable when nobody can tell one
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
  return fits(values, schema, base) ? base : fail(schema);
}

function baseOf(values: Values, property: Property): Json {
  const { kind, schema } = property;
  const made = kind === 'file' ? sampleFiles(property) : (meaningsIn(property, values.baseOf(schema)) ?? []);
  return made.find((value) => fits(values, schema, value)) ?? fail(schema);
}

// A limit of a length counts bytes.
const FILES = ['a file', 'f', '', 'a longer file, for who counts its bytes'];

function sampleFiles({ isList, schema }: Property): Json[] {
  const least = Math.max(1, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value)));
  return FILES.map((file) => (isList ? Array.from({ length: least }, () => file) : file));
}

/** What a value may mean to who gets it as parts; undefined where it cannot be sent, or nobody says. */
export function meaningsIn({ kind, isList, schema }: Property, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  const items = isList && isJsonList(json) ? json : [json];
  // No part is no list, and a list in the only part may be the whole of it.
  if (items.length === 0 || (isList && (!isJsonList(json) || items.some(isJsonList)))) return undefined;
  if (kind === 'json') return [json];
  const isPlain = items.every((item) => typeof item !== 'object' && !/\p{Surrogate}/u.test(String(item)));
  return isPlain ? meaningsOf(schema, value instanceof Raw ? value : json) : undefined;
}

function fail(schema: Schema): never {
  throw new Untriable('parts that no values were found for', pointerOf(schema));
}
