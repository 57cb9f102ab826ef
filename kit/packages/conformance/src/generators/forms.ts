// Makes multipart/form-data bodies that differ from a valid one in more than the values of their schema.
import type { Content, Part } from '../contract/model';
import { additionalOf, itemsOf, patternsOf, propertiesOf, requiredInRequestOf } from '../contract/schema';
import { toConcreteType, toFormParts, writeContent, writeParts, type SentPart } from '../contract/serialization';
import { ADDITIONAL_NAME } from '../values/additional';
import { makeMatchingName } from '../values/objects';
import { combineInterpretations, interpretationsOf } from '../values/interpretations';
import { fits, throwSkipped, type Values } from '../values/variant';
import { isJsonList, Members, Raw, toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { createRule, UNUSUAL_BYTES, type SentBody } from './sent-body';

/** Other files, names, media types and spellings of a valid form; or else parts that a server should refuse. */
export function changeForm(values: Values, content: Content, areValid: boolean): SentBody[] {
  const base = baseForm(values, content);
  const parts = toFormParts(content.parts, base);
  const properties = propertiesOfForm(content, base);
  const changed = areValid
    ? [...properties.flatMap((property) => withOtherTypesAndNames(property, parts)), ...respellForm(content, parts)]
    : properties.flatMap((property) => withUnlistedType(property, parts));
  return [
    ...(areValid ? properties.flatMap((property) => filesOfUnusualBytes(values, content, property, base)) : []),
    ...changed.map((sent) => ({ ...sent, interpretation: areValid ? base : undefined })),
  ];
}

// Adds undeclared parts only if the contract has no `additionalProperties`.
function respellForm({ schema }: Content, parts: readonly SentPart[]): SentBody[] {
  const undeclaredPart: SentPart = { name: ADDITIONAL_NAME, bytes: Buffer.from('1') };
  const undeclaredFile: SentPart = { ...undeclaredPart, fileName: 'a', type: 'a/b' };
  const withTextAround = Buffer.concat([Buffer.from('before\r\n'), writeParts(parts), Buffer.from('after')]);
  const create = (label: string, sent: readonly SentPart[], body = writeParts(sent)): SentBody => ({
    ...createRule(schema, label),
    body,
  });
  return [
    create('parts in another order', parts.toReversed()),
    create('a preamble and an epilogue (RFC 2046 5.1.1)', parts, withTextAround),
    ...(additionalOf(schema) === undefined
      ? [
          create('an undeclared part', [...parts, undeclaredPart]),
          create('an undeclared file', [...parts, undeclaredFile]),
        ]
      : []),
  ];
}

/** A property of a form that is sent as one part, or as a part for each item (`isList`). */
interface Property extends Part {
  readonly name: string;
}

/** The properties of a form; without those of which OpenAPI does not say how they are written. */
function propertiesOfForm({ parts }: Content, form: WireObject): Property[] {
  return Object.keys(form).flatMap((name) => {
    const part = parts.get(name);
    return part ? [{ ...part, name }] : [];
  });
}

/**
 * Makes one valid form with every part for which a value can be made; a file is a Latin-1 string.
 *
 * @throws SkippedError when no valid form can be made
 */
export function baseForm(values: Values, { schema, parts }: Content): JsonObject {
  if ([...requiredInRequestOf(schema).keys()].some((name) => !parts.get(name)))
    throwSkipped(schema, 'form parts that have a style, or whose serialization OpenAPI does not define');
  const members = Object.entries(toJson(values.baseOf(schema)) as JsonObject);
  const sent = members.filter(([name]) => parts.get(name));
  const [[name, unlisted] = [ADDITIONAL_NAME, additionalOf(schema)] as const] = patternsOf(schema).map(
    ([pattern, property]) => [makeMatchingName(pattern), property] as const,
  );
  // A form without parts may count as no body.
  if (sent.length > 0 || typeof unlisted !== 'object') return Object.fromEntries(sent);
  return { [name]: toJson(values.baseOf(unlisted)) };
}

/**
 * The values that a server may read from a form: the text `1` may be a number or a string. The likeliest comes first;
 * undefined when OpenAPI does not say, or the value cannot be sent.
 */
export function formInterpretations(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const form = value instanceof Members ? toJson(value) : value;
  if (typeof form !== 'object' || form === null || isJsonList(form) || form instanceof Raw) return undefined;
  const properties = new Map(
    propertiesOfForm(content, form as WireObject).map((property) => [property.name, property]),
  );
  const declared = propertiesOf(content.schema);
  // What OpenAPI does not say how to write is not sent.
  const sent = Object.entries(form as WireObject).filter(([name]) => properties.has(name) || !declared.has(name));
  // A form without parts may count as no body, unless it has to have some.
  if (sent.length === 0 && requiredInRequestOf(content.schema).size === 0) return undefined;
  const interpretationsOfParts = sent.map(([name, member]) => {
    const property = properties.get(name);
    const interpretations = property && partInterpretations(values, property, member);
    return interpretations?.map((interpretation) => [name, interpretation] as const);
  });
  return combineInterpretations(interpretationsOfParts)?.map((members) => Object.fromEntries(members));
}

function partInterpretations(
  values: Values,
  { kind, isList, schema }: Property,
  value: Wire,
): readonly Json[] | undefined {
  const json = toJson(value);
  // A list property is sent as one part for each item: an empty list has no part, and any other value is one part, like
  // a list of one item. An item that is a list itself, sent as JSON, could be taken for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind === 'json') return [json];
  const sentValues = isList && isJsonList(json) ? json : [json];
  // Any bytes are a valid file, one character a byte: a service may want some, and no standard says what their length is.
  const fileSchema = isList ? itemsOf(schema) : schema;
  const isFile = (sent: Json): boolean =>
    typeof sent === 'string' && /^[\0-\xff]+$/.test(sent) && (!fileSchema || fits(values, fileSchema, sent));
  if (kind === 'file') return sentValues.every(isFile) ? [json] : undefined;
  const areTexts = sentValues.every((sent) => typeof sent !== 'object' && String(sent).isWellFormed());
  // A raw number keeps its spelling, such as 1e3, which as a string is another value than 1000.
  return areTexts ? interpretationsOf(schema, value instanceof Raw ? value : json) : undefined;
}

const UNUSUAL_FILE_NAMES: readonly (readonly [label: string, fileName: string])[] = [
  ['a name with a space', 'a b.bin'],
  ['a name beyond ASCII', '\u00fc\u{1f331}.bin'],
  // RFC 7578 section 4.2: a server uses at most the last segment.
  ['a name that is a path', '../../a.bin'],
];

function filesOfUnusualBytes(
  values: Values,
  content: Content,
  { kind, name, isList, schema }: Property,
  base: JsonObject,
): SentBody[] {
  if (kind !== 'file') return [];
  return UNUSUAL_BYTES.flatMap(([label, bytes]) => {
    const value = isList ? [bytes] : bytes;
    const form = { ...base, [name]: value };
    const rule = createRule(schema, `${name}, ${label}`);
    return fits(values, schema, value) ? [{ ...rule, body: writeContent(content, form), interpretation: form }] : [];
  });
}

/** File parts of each media type that the property's `encoding` lists, and with unusual names: still a valid form. */
function withOtherTypesAndNames(property: Property, validParts: readonly SentPart[]): SentBody[] {
  const { kind, name, mediaTypes, pointer, schema } = property;
  if (kind !== 'file') return [];
  return [
    ...mediaTypes.map((type) => ({
      ...{ pointer, label: `${name} of ${type}` },
      body: changeParts(validParts, name, { type: toConcreteType(type) }),
    })),
    ...UNUSUAL_FILE_NAMES.map(([label, fileName]) => ({
      ...createRule(schema, `${name}, ${label}`),
      body: changeParts(validParts, name, { fileName }),
    })),
  ];
}

const UNUSUAL_MEDIA_TYPES = ['application/x-other', 'text/x-other'];

/** File parts of a media type that the property's `encoding` does not list; empty when any type is allowed. */
function withUnlistedType(property: Property, validParts: readonly SentPart[]): SentBody[] {
  const { kind, name, mediaTypes, pointer } = property;
  if (kind !== 'file' || mediaTypes.length === 0) return [];
  // `image/*` matches all types that begin with `image/`.
  const listedPrefixes = mediaTypes.map((type) => type.toLowerCase().replace(/\*$/, ''));
  const isListed = (type: string): boolean => listedPrefixes.some((start) => start === '*/' || type.startsWith(start));
  const unlisted = UNUSUAL_MEDIA_TYPES.find((type) => !isListed(type));
  if (unlisted === undefined) return [];
  // OpenAPI says which types a client sends, not that a server refuses others.
  const body = changeParts(validParts, name, { type: unlisted });
  return [{ pointer, label: `${name} of ${unlisted}`, level: 'robust', body }];
}

function changeParts(parts: readonly SentPart[], name: string, change: Partial<SentPart>): Buffer {
  return writeParts(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
}
