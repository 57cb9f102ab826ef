// Makes the values of a multipart/form-data.
import type { Content, Part } from '../contract/model';
import { limitsOf, propertiesOf, requiredInRequestOf, type Schema } from '../contract/schema';
import { interpretationsOf } from '../values/interpretations';
import { fits, createVariant, throwSkipped, type Values, type Variant } from '../values/variant';
import { isJsonList, Raw, toJson, type Json, type JsonObject, type Wire } from '../wire/json';
import { toConcreteType, type SentPart } from '../contract/serialization';
import { EVERY_BYTE, hasUtf8, createRule, type Rule } from './sent-body';

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
 * @throws SkippedError when no valid form can be made
 */
export function baseForm(values: Values, content: Content): JsonObject {
  const { schema, parts } = content;
  const required = requiredInRequestOf(schema);
  if ([...required.keys()].some((name) => !parts.has(name)))
    throwSkipped(schema, 'parts of which OpenAPI does not say how they are written');
  const members = propertiesOfForm(content).flatMap((property) => {
    const make = (): Json | undefined => basePart(values, property);
    // An optional part for which no value can be made is left out, and listed as skipped.
    const value = required.has(property.name) ? make() : schema.contract.skipped.attempt(make, undefined);
    return value === undefined ? [] : [[property.name, value] as const];
  });
  const form = Object.fromEntries(members);
  return fits(values, schema, form) ? form : throwSkipped(schema, NO_PART);
}

// A list is the values of several parts. Throws SkippedError when no candidate is valid.
function basePart(values: Values, property: Property): Json {
  const { kind, schema } = property;
  const candidates =
    kind === 'file' ? sampleFiles(property) : (interpretationsIn(property, values.baseOf(schema)) ?? []);
  return candidates.find((value) => fits(values, schema, value)) ?? throwSkipped(schema, NO_PART);
}

// The files have several lengths, so that one of them satisfies minLength and maxLength.
const SAMPLE_FILES = ['a file', 'f', '', 'a longer file, for who counts its bytes'];

function sampleFiles({ isList, schema }: Property): Json[] {
  if (!isList) return SAMPLE_FILES;
  // An empty list would have no part, so it has at least one file.
  const length = Math.max(1, ...limitsOf(schema, 'minItems'));
  return SAMPLE_FILES.map((file) => Array.from({ length }, () => file));
}

/**
 * The values that a server may read from the parts of a property: the text `1` may be a number or a string. The
 * likeliest comes first; undefined when OpenAPI does not say, or the value cannot be sent.
 */
export function interpretationsIn({ kind, isList, schema }: Property, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  // A list property is sent as one part for each item: an empty list has no part, and any other value is one part, like
  // a list of one item. An item that is a list itself, sent as JSON, could be taken for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind === 'json') return [json];
  const sentValues = isList && isJsonList(json) ? json : [json];
  const areTexts = sentValues.every((sent) => typeof sent !== 'object' && hasUtf8(String(sent)));
  // A raw number keeps its spelling, such as 1e3, which as a string is another value than 1000.
  return areTexts ? interpretationsOf(schema, value instanceof Raw ? value : json) : undefined;
}

const NO_PART = 'parts that no values were found for';

const UNUSUAL_BYTES: readonly (readonly [label: string, bytes: string])[] = [
  ['every byte', EVERY_BYTE],
  ['what looks like the end of a part', 'a\r\n--\r\n\r\n--between'],
];

const UNUSUAL_FILE_NAMES: readonly (readonly [label: string, fileName: string])[] = [
  ['a name with a space', 'a b.bin'],
  ['a name beyond ASCII', '\u00fc\u{1f331}.bin'],
  // RFC 7578 section 4.2: a server uses at most the last segment.
  ['a name that is a path', '../../a.bin'],
];

export function filesOfUnusualBytes({ schema, isList, name }: Property): Variant[] {
  return UNUSUAL_BYTES.map(([label, bytes]) =>
    createVariant(schema, { keyword: 'value', label: `${name}, ${label}` }, isList ? [bytes] : bytes),
  );
}

/**
 * Makes lists with the fewest and the most files that are allowed, and with one less or more, which is invalid: the
 * caller keeps the valid or the invalid ones. Empty when the property is a single file.
 */
export function listsOfFiles({ schema, isList, name }: Property): Variant[] {
  if (!isList) return [];
  const createList = (length: number, label: string, keyword: string): Variant =>
    createVariant(
      schema,
      { keyword, label: `${name}, ${label}` },
      Array.from({ length }, (_unused, index) => `file ${String(index)}`),
    );
  const minItems = Math.max(0, ...limitsOf(schema, 'minItems'));
  // Infinity when there is no such rule.
  const maxItems = Math.min(...limitsOf(schema, 'maxItems'));
  return [
    // An empty list would have no part at all.
    createList(Math.max(minItems, 1), 'few', 'minItems'),
    ...(minItems > 1 ? [createList(minItems - 1, 'minItems-1', 'minItems')] : []),
    ...(maxItems < Infinity
      ? [createList(maxItems, 'maxItems', 'maxItems'), createList(maxItems + 1, 'maxItems+1', 'maxItems')]
      : []),
  ];
}

type ChangedParts = readonly [rule: Rule, parts: SentPart[]];

/** File parts of each media type that the property's `encoding` lists, and with unusual names: still a valid form. */
export function withOtherTypesAndNames(property: Property, validParts: readonly SentPart[]): ChangedParts[] {
  const { kind, name, mediaTypes, schema } = property;
  if (kind !== 'file') return [];
  return [
    ...mediaTypes.map((type): ChangedParts => [
      { ...contentTypeRuleOf(property), label: `${name} of ${type}` },
      changeParts(validParts, name, { type: toConcreteType(type) }),
    ]),
    ...UNUSUAL_FILE_NAMES.map(([label, fileName]): ChangedParts => [
      createRule(schema, 'spelling', `${name}, ${label}`),
      changeParts(validParts, name, { fileName }),
    ]),
  ];
}

const UNUSUAL_MEDIA_TYPES = ['application/x-other', 'text/x-other'];

/** File parts of a media type that the property's `encoding` does not list; empty when any type is allowed. */
export function withUnlistedType(property: Property, validParts: readonly SentPart[]): ChangedParts[] {
  const { kind, name, mediaTypes } = property;
  if (kind !== 'file' || mediaTypes.length === 0) return [];
  // `image/*` matches all types that begin with `image/`.
  const listedPrefixes = mediaTypes.map((type) => type.toLowerCase().replace(/\*$/, ''));
  const isListed = (type: string): boolean => listedPrefixes.some((start) => start === '*/' || type.startsWith(start));
  const unlisted = UNUSUAL_MEDIA_TYPES.find((type) => !isListed(type));
  if (unlisted === undefined) return [];
  // OpenAPI says which types a client sends, not that a server refuses others.
  const rule: Rule = { ...contentTypeRuleOf(property), label: `${name} of ${unlisted}`, level: 'robust' };
  return [[rule, changeParts(validParts, name, { type: unlisted })]];
}

function contentTypeRuleOf({ pointer }: Property): Omit<Rule, 'label'> {
  return { pointer, keyword: 'contentType' };
}

function changeParts(parts: readonly SentPart[], name: string, change: Partial<SentPart>): SentPart[] {
  return parts.map((part) => (part.name === name ? { ...part, ...change } : part));
}
