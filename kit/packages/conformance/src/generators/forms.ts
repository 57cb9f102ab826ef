// Varies valid multipart/form-data bodies beyond the values of their schema.
import type { Content, Part } from '../contract/model';
import { additionalOf, itemsOf, patternsOf, propertiesOf, requiredInRequestOf } from '../contract/schema';
import { toConcreteType, toFormParts, writeContent, writeParts, type SentPart } from '../contract/serialization';
import { ADDITIONAL_NAME } from '../values/additional';
import { makeMatchingName } from '../values/objects';
import { combineInterpretations, interpretationsOf } from '../values/interpretations';
import { fits, throwSkipped, type Values } from '../values/variant';
import { isJsonList, Members, Raw, toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { createRule, UNUSUAL_BYTES, type SentBody } from './sent-body';

/** Valid forms with other files, names, media types and spellings; or else parts that a server should refuse. */
export function changeForm(values: Values, content: Content, areValid: boolean): SentBody[] {
  const base = baseForm(values, content);
  const parts = toFormParts(content.parts, base);
  const properties = propertiesOfForm(content, base);
  const changedBodies = areValid
    ? [...properties.flatMap((property) => withOtherTypesAndNames(property, parts)), ...respellForm(content, parts)]
    : properties.flatMap((property) => withUnlistedType(property, parts));
  return [
    ...(areValid ? properties.flatMap((property) => filesOfUnusualBytes(values, content, property, base)) : []),
    ...changedBodies.map((sent) => ({ ...sent, interpretation: areValid ? base : undefined })),
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

interface Property extends Part {
  readonly name: string;
}

/** Leaves out properties if OpenAPI does not say how to write them. */
function propertiesOfForm({ parts }: Content, form: WireObject): Property[] {
  return Object.keys(form).flatMap((name) => {
    const part = parts.get(name);
    return part ? [{ ...part, name }] : [];
  });
}

/** Makes a form with every part that a value can be made for. Throws a SkippedError when no valid form can be made. */
export function baseForm(values: Values, { schema, parts }: Content): JsonObject {
  if ([...requiredInRequestOf(schema).keys()].some((name) => !parts.get(name)))
    throwSkipped(schema, 'form parts that have a style, or whose serialization OpenAPI does not define');
  const members = Object.entries(toJson(values.baseOf(schema)) as JsonObject);
  const sent = members.filter(([name]) => parts.get(name));
  const [[name, unlisted] = [ADDITIONAL_NAME, additionalOf(schema)] as const] = patternsOf(schema).map(
    ([pattern, property]) => [makeMatchingName(pattern), property] as const,
  );
  if (sent.length > 0 || typeof unlisted !== 'object') return Object.fromEntries(sent);
  return { [name]: toJson(values.baseOf(unlisted)) };
}

/** The likeliest reading comes first; undefined when OpenAPI does not say, or when the value cannot be sent. */
export function formInterpretations(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const form = value instanceof Members ? toJson(value) : value;
  if (typeof form !== 'object' || form === null || isJsonList(form) || form instanceof Raw) return undefined;
  const properties = new Map(
    propertiesOfForm(content, form as WireObject).map((property) => [property.name, property]),
  );
  const declared = propertiesOf(content.schema);
  const sent = Object.entries(form as WireObject).filter(([name]) => properties.has(name) || !declared.has(name));
  // A form without parts may count as no body, unless some are required.
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
  // An empty list has no part, and a value that is not a list reads like a list of one item. An item that is itself a
  // list, sent as JSON, could be taken for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind === 'json') return [json];
  const sentValues = isList && isJsonList(json) ? json : [json];
  // A file is any bytes, one character each. A service may refuse an empty one, and no standard defines a length.
  const fileSchema = isList ? itemsOf(schema) : schema;
  const isFile = (sent: Json): boolean =>
    typeof sent === 'string' && /^[\0-\xff]+$/.test(sent) && (!fileSchema || fits(values, fileSchema, sent));
  if (kind === 'file') return sentValues.every(isFile) ? [json] : undefined;
  const areTexts = sentValues.every((sent) => typeof sent !== 'object' && String(sent).isWellFormed());
  // A raw number keeps its spelling: as a string, 1e3 differs from 1000.
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
