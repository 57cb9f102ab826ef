// Varies multipart/form-data bodies in ways that their schema does not describe.
import type { Content, Part } from '../contract/model';
import { additionalOf, itemsOf, patternsOf, propertiesOf, requiredInRequestOf } from '../contract/schema';
import { toConcreteType, toFormParts, writeContent, writeParts, type SentPart } from '../contract/serialization';
import { ADDITIONAL_NAME } from '../values/additional';
import { makeMatchingName } from '../values/objects';
import { combineInterpretations, interpretationsOf } from '../values/interpretations';
import { fits, throwSkipped, type Values } from '../values/variant';
import { isJsonList, Members, Raw, toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { createRule, UNUSUAL_BYTES, type SentBody } from './sent-body';

/** Creates valid forms with other files, file names, media types and spellings, or else forms with a wrong type. */
export function createFormVariants(values: Values, content: Content, areValid: boolean): SentBody[] {
  const base = createBaseForm(values, content);
  const parts = toFormParts(content.parts, base);
  const properties = propertiesOfForm(content, base);
  const changedBodies = areValid
    ? [...properties.flatMap((property) => createFileVariants(property, parts)), ...respellForm(content, parts)]
    : properties.flatMap((property) => createUnlistedTypeForms(property, parts));
  return [
    ...(areValid ? properties.flatMap((property) => createUnusualFiles(values, content, property, base)) : []),
    ...changedBodies.map((sent) => ({ ...sent, interpretation: areValid ? base : undefined })),
  ];
}

// Undeclared parts are valid only if the contract has no `additionalProperties`.
function respellForm({ schema }: Content, parts: readonly SentPart[]): SentBody[] {
  const undeclaredPart: SentPart = { name: ADDITIONAL_NAME, bytes: Buffer.from('1') };
  const undeclaredFile: SentPart = { ...undeclaredPart, fileName: 'a', type: 'a/b' };
  const bodyWithSurroundingText = Buffer.concat([Buffer.from('before\r\n'), writeParts(parts), Buffer.from('after')]);
  const create = (label: string, sent: readonly SentPart[], body = writeParts(sent)): SentBody => ({
    ...createRule(schema, label),
    body,
  });
  return [
    create('parts in another order', parts.toReversed()),
    create('a preamble and an epilogue (RFC 2046 5.1.1)', parts, bodyWithSurroundingText),
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

/** Skips properties whose serialization OpenAPI does not define. */
function propertiesOfForm({ parts }: Content, form: WireObject): Property[] {
  return Object.keys(form).flatMap((name) => {
    const part = parts.get(name);
    return part ? [{ ...part, name }] : [];
  });
}

/** Makes a form with as many parts as possible. Throws a SkippedError if the suite cannot make a valid form. */
export function createBaseForm(values: Values, { schema, parts }: Content): JsonObject {
  if ([...requiredInRequestOf(schema).keys()].some((name) => !parts.get(name)))
    throwSkipped(schema, 'form parts that have a style, or whose serialization OpenAPI does not define');
  const members = Object.entries(toJson(values.baseOf(schema)) as JsonObject);
  const sent = members.filter(([name]) => parts.get(name));
  const [[name, unnamedProperty] = [ADDITIONAL_NAME, additionalOf(schema)] as const] = patternsOf(schema).map(
    ([pattern, property]) => [makeMatchingName(pattern), property] as const,
  );
  if (sent.length > 0 || typeof unnamedProperty !== 'object') return Object.fromEntries(sent);
  return { [name]: toJson(values.baseOf(unnamedProperty)) };
}

/** Returns the likeliest interpretation first, or undefined if OpenAPI defines none or the value cannot be sent. */
export function findFormInterpretations(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const form = value instanceof Members ? toJson(value) : value;
  if (typeof form !== 'object' || form === null || isJsonList(form) || form instanceof Raw) return undefined;
  const properties = new Map(
    propertiesOfForm(content, form as WireObject).map((property) => [property.name, property]),
  );
  const declared = propertiesOf(content.schema);
  const sent = Object.entries(form as WireObject).filter(([name]) => properties.has(name) || !declared.has(name));
  // A server may treat a form without parts as a missing body, unless some parts are required.
  if (sent.length === 0 && requiredInRequestOf(content.schema).size === 0) return undefined;
  const interpretationsOfParts = sent.map(([name, member]) => {
    const property = properties.get(name);
    const interpretations = property && findPartInterpretations(values, property, member);
    return interpretations?.map((interpretation) => [name, interpretation] as const);
  });
  return combineInterpretations(interpretationsOfParts)?.map((members) => Object.fromEntries(members));
}

function findPartInterpretations(
  values: Values,
  { kind, isList, schema }: Property,
  value: Wire,
): readonly Json[] | undefined {
  const json = toJson(value);
  // An empty list has no parts, a single value looks like a list with one item, and a server could mistake an item that
  // is a list for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind === 'json') return [json];
  const sentValues = isList && isJsonList(json) ? json : [json];
  // A file can have any bytes, one per character. A service may refuse an empty file.
  const fileSchema = isList ? itemsOf(schema) : schema;
  const isFile = (sent: Json): boolean =>
    typeof sent === 'string' && /^[\0-\xff]+$/.test(sent) && (!fileSchema || fits(values, fileSchema, sent));
  // If the contract gives a file no type, its base value may be a scalar such as a number, which is sent as text.
  const files = sentValues.map((sent) => (typeof sent === 'object' ? sent : String(sent)));
  if (kind === 'file') return files.every(isFile) ? [isList ? files : (files[0] ?? null)] : undefined;
  const areAllScalars = sentValues.every((sent) => typeof sent !== 'object' && String(sent).isWellFormed());
  // Keep the spelling of a raw number, because the strings 1e3 and 1000 differ.
  return areAllScalars ? interpretationsOf(schema, value instanceof Raw ? value : json) : undefined;
}

const UNUSUAL_FILE_NAMES: readonly (readonly [label: string, fileName: string])[] = [
  ['a name with a space', 'a b.bin'],
  ['a name beyond ASCII', '\u00fc\u{1f331}.bin'],
  // RFC 7578 section 4.2: a server ignores all but the last path segment.
  ['a name that is a path', '../../a.bin'],
];

function createUnusualFiles(
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

function createFileVariants(property: Property, validParts: readonly SentPart[]): SentBody[] {
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

function createUnlistedTypeForms(property: Property, validParts: readonly SentPart[]): SentBody[] {
  const { kind, name, mediaTypes, pointer } = property;
  if (kind !== 'file' || mediaTypes.length === 0) return [];
  const listedPrefixes = mediaTypes.map((type) => type.toLowerCase().replace(/\*$/, ''));
  const isListed = (type: string): boolean => listedPrefixes.some((entry) => entry === '*/' || type.startsWith(entry));
  const unlistedType = UNUSUAL_MEDIA_TYPES.find((type) => !isListed(type));
  if (unlistedType === undefined) return [];
  // OpenAPI does not say that a server must refuse other types.
  const body = changeParts(validParts, name, { type: unlistedType });
  return [{ pointer, label: `${name} of ${unlistedType}`, level: 'robust', body }];
}

function changeParts(parts: readonly SentPart[], name: string, change: Partial<SentPart>): Buffer {
  return writeParts(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
}
