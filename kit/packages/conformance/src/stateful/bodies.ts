// Creates bodies with unique values, for requests that create or change something.
import * as fc from 'fast-check';
import type { Content, Operation, Parameter } from '../contract/model';
import {
  dropUndeclared,
  examplesOf,
  itemOf,
  requestPropertiesOf,
  requiredInRequestOf,
  rulesOf,
  type Schema,
} from '../contract/schema';
import { unionMembersOf } from '../contract/unions';
import { baseBody, baseValue, isReadAsIs } from '../generators/body-values';
import { baseOfParameter, withMarker } from '../generators/valid-request';
import { findInnerSkipReason } from '../values/skip-reason';
import { createPatternArbitrary } from '../values/strings';
import { fits, narrowTo, type Values } from '../values/variant';
import { writeContent } from '../contract/serialization';
import { isJsonList, isJsonObject, isSame, toJson, toText, writeJson, type Json, type JsonObject } from '../wire/json';
import { findChosenIds } from './find-id';
import type { Resource } from './resources';

export interface ValidBody {
  readonly label: string;
  readonly content: Content;
  readonly body: Buffer;
  /** The body's JSON value, or the value that OpenAPI reads from a form; undefined for other media types. */
  readonly value: Json | undefined;
  readonly mayBeRefused?: boolean;
}

const OTHER_BODY_COUNT = 12;
// How many bodies to try, since a valid one may be refused, for example because its name is taken.
const MAX_TRIES = 4;
const MAX_BODY_CHARACTERS = 2_000;

/** Creates the default body, one with only required properties, and some with other values, in the first media type. */
export function createValidBodies(values: Values, { body }: Operation): ValidBody[] {
  const [content] = body?.contents ?? [];
  if (!content) return [];
  const { skipped } = content.schema.contract;
  const createDefault = (): ValidBody => {
    const value = toJson(baseValue(values, content));
    return {
      label: 'the default body',
      content,
      body: baseBody(values, content),
      value: isReadAsIs(values, content, value) ? value : undefined,
    };
  };
  return skipped.attempt(() => [createDefault(), ...createOtherBodies(values, content)], []);
}

function createOtherBodies(values: Values, content: Content): ValidBody[] {
  const { kind, schema } = content;
  if (!['json', 'form', 'multipart'].includes(kind) || findInnerSkipReason(values.fixtures, schema)) return [];
  const makeBase = (alternative: Schema): Json => toJson(baseValue(values, { ...content, schema: alternative }));
  const defaultValue = makeBase(schema);
  const bases = unionMembersOf(schema)
    .slice(0, OTHER_BODY_COUNT)
    .map((member) => schema.contract.skipped.attempt(() => makeBase(member), null))
    .filter(isJsonObject);
  const minimalBodies = bases.map((base) => {
    const requiredNames = requiredInRequestOf(narrowTo(schema, base, 'request'));
    return Object.fromEntries(Object.entries(base).filter(([name]) => requiredNames.has(name)));
  });
  // A server may accept only some values, such as certain currencies. An example shows one of them.
  const exampleBodies = [
    freshen(values, schema, defaultValue, { findReferencedId: () => undefined, usesExamples: true }),
    ...content.examples.map((example) => dropUndeclared(schema, example.value)),
  ].filter((value) => !isSame(value, defaultValue));
  // Names may have to be unique, so each body gets its own marker.
  const addMarker = (value: Json, index: number): Json =>
    withMarker({ ...values, marker: `${values.marker}-${String(index + 1)}` }, schema, value);
  const maxVariantsPerBase = Math.ceil(OTHER_BODY_COUNT / bases.length);
  const bodyVariants = bases.flatMap((base) => createBodyVariants(values, content, base, maxVariantsPerBase));
  return [...minimalBodies.map(addMarker), ...exampleBodies, ...bodyVariants.map(addMarker)]
    .filter((value) => writeJson(value).length < MAX_BODY_CHARACTERS && fits(values, schema, value))
    .filter((value) => isReadAsIs(values, content, value))
    .map((value, index) => {
      return { label: `other body ${String(index + 1)}`, content, body: writeContent(content, value), value };
    });
}

function createBodyVariants(values: Values, content: Content, base: JsonObject, maxCount: number): JsonObject[] {
  const variants = [...requestPropertiesOf(narrowTo(content.schema, base, 'request'))].map(([name, property]) => {
    const validVariants = content.schema.contract.skipped.attempt(() => values.validValues(property), []);
    return [name, validVariants.filter(({ implementationDefined }) => implementationDefined === undefined)] as const;
  });
  const count = Math.min(maxCount, Math.max(0, ...variants.map(([, valid]) => valid.length)));
  return Array.from({ length: count }, (_unused, index) => {
    const value = { ...base };
    for (const [name, valid] of variants) {
      const variant = valid[index % valid.length];
      const candidate = variant && { ...value, [name]: toJson(variant.value) };
      if (candidate && fits(values, content.schema, candidate) && isReadAsIs(values, content, candidate))
        Object.assign(value, candidate);
    }
    return value;
  });
}

/**
 * Chooses a few valid bodies to try until the server accepts one. Starts at index `bodyNumber`, wraps around, and puts
 * bodies with used ids last. Returns `[undefined]` for an operation without a body.
 */
export function chooseBodiesToTry(
  values: Values,
  { create, path, idExpressions, isIdChosenByClient }: Resource,
  { bodyNumber, usedIds }: { readonly bodyNumber: number; readonly usedIds: ReadonlySet<string> },
): readonly (ValidBody | undefined)[] {
  if (!create?.body) return [undefined];
  const bodies = createValidBodies(values, create);
  const start = bodyNumber % Math.max(bodies.length, 1);
  const rotatedBodies = [...bodies.slice(start), ...bodies.slice(0, start)];
  const hasUsedId = ({ value }: ValidBody): boolean =>
    isIdChosenByClient && findChosenIds(value, idExpressions).some((id) => usedIds.has(`${path} ${toText(id)}`));
  const unusedBodies = rotatedBodies.filter((body) => !hasUsedId(body));
  return [...unusedBodies, ...rotatedBodies.filter(hasUsedId)].slice(0, MAX_TRIES);
}

/** Turns `{ "a": 1, "b": 2 }` into the PATCH bodies `{ "a": 1 }` and `{ "b": 2 }` if they are valid alone. */
export function createSingleMemberBodies(values: Values, bodies: readonly ValidBody[]): ValidBody[] {
  return bodies.flatMap(({ content, value }) => {
    const members = isJsonObject(value) ? Object.entries(value) : [];
    return members
      .map(([name, member]) => ({ name, patch: { [name]: member } }))
      .filter(({ patch }) => fits(values, content.schema, patch))
      .map(({ name, patch }) => ({
        label: `${name} alone`,
        content,
        body: writeContent(content, patch),
        value: patch,
      }));
  });
}

export function freshenBody(values: Values, body: ValidBody, freshness: Freshness): ValidBody {
  const { content, value } = body;
  const { schema } = content;
  const newValue = value === undefined ? undefined : freshen(values, schema, value, freshness);
  if (newValue === undefined || newValue === value || !fits(values, schema, newValue)) return body;
  return { ...body, value: newValue, body: writeContent(content, newValue) };
}

/** Returns the id for a property such as `shelfId`; undefined if the run knows none. */
export type FindReferencedId = (name: string) => Json | undefined;

export function listNames(value: Json): string[] {
  if (isJsonList(value)) return value.flatMap(listNames);
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, member]) => [name, ...listNames(member)]) : [];
}

export interface Freshness {
  readonly findReferencedId: FindReferencedId;
  /** The same nonce always gives the same values. Without a nonce, only references are replaced. */
  readonly nonce?: number;
  /** Whether the server said that a value is taken. If so, integers, dates and times are replaced too. */
  readonly isTaken?: boolean;
  readonly usesExamples?: boolean;
}

/** Replaces references and strings that may have to be unique, but not strings from a fixed set such as an enum. */
export function freshen(values: Values, declared: Schema, value: Json, freshness: Freshness): Json {
  const schema = isJsonObject(value) ? narrowTo(declared, value, 'request') : declared;
  const { nonce, isTaken = false, usesExamples = false } = freshness;
  const example = usesExamples ? examplesOf(schema).find((candidate) => fits(values, schema, candidate)) : undefined;
  if (example !== undefined) return example;
  if (isJsonList(value))
    return value.map((item, index) => {
      const itemSchema = isJsonObject(item) ? itemOf(schema, index) : undefined;
      const itemFreshness = nonce === undefined ? freshness : { ...freshness, nonce: nonce + index * 1_000_003 };
      return itemSchema ? freshen(values, itemSchema, item, itemFreshness) : item;
    });
  if (isJsonObject(value)) {
    const properties = requestPropertiesOf(schema);
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      const property = properties.get(name);
      return [name, property ? freshenMember(values, property, [name, member], freshness) : member];
    });
    return Object.fromEntries(members);
  }
  if (nonce === undefined) return value;
  if (typeof value === 'bigint') return (isTaken ? createFreshInteger(values, schema, nonce) : undefined) ?? value;
  if (typeof value !== 'string') return value;
  const text = createFreshText(values, schema, value, nonce) ?? (isTaken ? moveToLaterYear(value, nonce) : undefined);
  return text !== undefined && !hasFixedValues(values, schema) && fits(values, schema, text) ? text : value;
}

function freshenMember(
  values: Values,
  property: Schema,
  [name, member]: readonly [name: string, member: Json],
  freshness: Freshness,
): Json {
  const id = freshness.findReferencedId(name);
  const references = id === undefined ? [] : [id, [id]].filter((reference) => fits(values, property, reference));
  const [reference] = member === null || isJsonObject(member) ? [] : references;
  if (reference !== undefined) return reference;
  // A made-up number would refer to something that does not exist, so a reference keeps its value.
  const isReference = typeof member === 'bigint' && /.(?:Id|_id|-id)$/.test(name);
  return isReference ? member : freshen(values, property, member, freshness);
}

const FOUR_YEARS_MS = 1461 * 24 * 60 * 60 * 1000;

// Services may refuse bookings that overlap, so all dates in a body move later by the same number of years.
function moveToLaterYear(text: string, nonce: number): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:]+Z)?$/.test(text)) return undefined;
  const laterDate = new Date(Date.parse(text) + (1 + (nonce % 1_000)) * FOUR_YEARS_MS).toISOString();
  return text.includes('T') ? laterDate.replace('.000', '') : laterDate.slice(0, 10);
}

function createFreshInteger(values: Values, schema: Schema, nonce: number): bigint | undefined {
  if (hasFixedValues(values, schema)) return undefined;
  // The nonce may exceed the schema's maximum.
  const candidates = [nonce, nonce % 10_000, nonce % 100].map(BigInt);
  return candidates.find((candidate) => fits(values, schema, candidate));
}

/** Creates a value that no other request has, if the schema allows that. */
export function createFreshValue(values: Values, parameter: Parameter, nonce: number): Json {
  const { schema } = parameter;
  const numbers = [1_000_000n + BigInt(nonce), BigInt(nonce)];
  const candidates = [createFreshText(values, schema, values.marker, nonce), ...numbers].filter(
    (candidate) => candidate !== undefined,
  );
  return candidates.find((candidate) => fits(values, schema, candidate)) ?? baseOfParameter(values, parameter);
}

// A server may accept only the values of an enum, a const or a fixture.
function hasFixedValues({ fixtures }: Values, schema: Schema): boolean {
  const isGiven = schema.schemaObjects.some(({ pointer }) => fixtures.places.has(pointer));
  return isGiven || rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length > 0;
}

// Returns undefined for most formats, since a server may accept only some of their strings.
function createFreshText(values: Values, schema: Schema, current: string, nonce: number): string | undefined {
  const { marker, fixtures } = values;
  if (hasFixedValues(values, schema)) return undefined;
  const [format] = rulesOf(schema, 'format').map(({ value }) => toText(value));
  if (format !== undefined && fixtures.formats.has(format)) return undefined;
  if (format === 'uuid') return `00000000-0000-4000-8000-${nonce.toString(16).padStart(12, '0')}`;
  if (format === 'email') return `${marker}-${String(nonce)}@example.org`;
  const [pattern] = rulesOf(schema, 'pattern').map(({ value }) => toText(value));
  if (format !== undefined || (pattern !== undefined && fixtures.patterns.has(pattern))) return undefined;
  if (pattern === undefined) return current.startsWith(marker) ? `${marker}-${String(nonce)}` : undefined;
  const arbitrary = createPatternArbitrary(pattern);
  // By default, fast-check favours short strings, which repeat.
  return arbitrary && fc.sample(fc.noBias(arbitrary), { seed: nonce, numRuns: 1 })[0];
}
