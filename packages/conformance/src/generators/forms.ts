// Makes valid and invalid multipart/form-data bodies.
import type { Content, Part } from '../contract/model';
import { additionalOf, pointersOf, propertiesOf, rangeOf, requiredInRequestOf, type Schema } from '../contract/schema';
import { toConcreteType, toFormParts, writeContent, writeParts, type SentPart } from '../contract/serialization';
import { ADDITIONAL_NAME } from '../values/additional';
import { interpretationsOf, isReadAs } from '../values/interpretations';
import { createVariant, fits, throwSkipped, type Values, type Variant } from '../values/variant';
import { isJsonList, Raw, toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { createRule, EVERY_BYTE, hasUtf8, type Rule, type SentBody } from './sent-body';

/** A form that may keep or break a rule, and the values that a server may read from it; undefined if not known. */
type Candidate = readonly [rule: Rule, sent: WireObject, interpretations: readonly JsonObject[] | undefined];

/** A rule, and a form that differs from the valid one in more than its values. */
type Changed = readonly [rule: Rule, body: Buffer];

/** Forms at the edge of each rule of the schema, or else forms that are invalid however a server reads their texts. */
export function createForms(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema } = content;
  const base = baseForm(values, content);
  const parts = toFormParts(content.parts, base);
  // The properties for which a value can be made.
  const properties = propertiesOfForm(content).filter(({ name }) => name in base);
  const candidates: Candidate[] = [
    ...(areValid ? withoutOptional(schema, base, properties) : withoutRequired(schema, base)),
    ...properties.flatMap((property) =>
      variantsOf(values, property, areValid).map((variant): Candidate => {
        const withValue = <T extends Wire>(value: T): Record<string, Json | T> => ({ ...base, [property.name]: value });
        return [variant, withValue(variant.value), interpretationsIn(property, variant.value)?.map(withValue)];
      }),
    ),
  ];
  const changed = areValid
    ? [...properties.flatMap((property) => withOtherTypesAndNames(property, parts)), ...respellForm(content, parts)]
    : properties.flatMap((property) => [...withUnlistedType(property, parts), ...repeatPart(property, parts)]);
  const isWanted = ([, sent, interpretations]: Candidate): boolean =>
    (!areValid || Object.keys(sent).length > 0) && isReadAs(values, schema, interpretations, areValid);
  return [
    ...candidates.filter(isWanted).map(([rule, sent, interpretations]) => ({
      ...rule,
      body: writeContent(content, sent),
      interpretation: areValid ? interpretations?.[0] : undefined,
    })),
    ...changed.map(([rule, body]) => ({ ...rule, body, interpretation: areValid ? base : undefined })),
  ];
}

function withoutOptional(schema: Schema, base: JsonObject, properties: readonly Property[]): Candidate[] {
  const required = requiredInRequestOf(schema);
  const [pointer] = [...required.values(), ...pointersOf(schema, 'type')];
  const optional = properties.filter(({ name }) => !required.has(name));
  return [
    [createRule(schema, 'value', 'every part', pointer), base, [base]],
    ...optional.map(({ name, schema: property }) =>
      withoutProperty(createRule(property, 'optional', `without ${name}`), base, name),
    ),
  ];
}

function withoutRequired(schema: Schema, base: JsonObject): Candidate[] {
  return [...requiredInRequestOf(schema)].map(([name, pointer]) =>
    withoutProperty(createRule(schema, 'required', `required, without ${name}`, pointer), base, name),
  );
}

function withoutProperty(rule: Rule, base: JsonObject, name: string): Candidate {
  const rest = Object.fromEntries(Object.entries(base).filter(([other]) => other !== name));
  return [rule, rest, [rest]];
}

// Any bytes are a valid file, so only the number of files can be wrong.
function variantsOf(values: Values, property: Property, areValid: boolean): Variant[] {
  if (property.kind === 'file') return [...(areValid ? filesOfUnusualBytes(property) : []), ...listsOfFiles(property)];
  return areValid ? values.validValues(property.schema) : values.invalidValues(property.schema);
}

// Adds undeclared parts only if the contract has no `additionalProperties`.
function respellForm({ schema }: Content, parts: readonly SentPart[]): Changed[] {
  const undeclaredPart: SentPart = { name: ADDITIONAL_NAME, bytes: Buffer.from('1') };
  const undeclaredFile: SentPart = { ...undeclaredPart, fileName: 'a', type: 'a/b' };
  const withTextAround = Buffer.concat([Buffer.from('before\r\n'), writeParts(parts), Buffer.from('after')]);
  const respelled: [label: string, body: Buffer][] = [
    ['parts in another order', writeParts(parts.toReversed())],
    ['a preamble and an epilogue (RFC 2046 5.1.1)', withTextAround],
  ];
  const extended: typeof respelled = [
    ['a part more', writeParts([...parts, undeclaredPart])],
    ['a file more', writeParts([...parts, undeclaredFile])],
  ];
  return [...respelled, ...(additionalOf(schema) === undefined ? extended : [])].map(([label, body]) => [
    createRule(schema, 'spelling', label),
    body,
  ]);
}

// RFC 7578 section 5.2 does not say how to treat two parts with one name: refusing them is a house rule.
function repeatPart({ name, schema, isList }: Property, parts: readonly SentPart[]): Changed[] {
  if (isList) return [];
  const twice = [...parts, ...parts.filter((part) => part.name === name)];
  return [[{ ...createRule(schema, 'spelling', `${name} twice`), level: 'strict' }, writeParts(twice)]];
}

/** A property of a form that is sent as one part, or as a part for each item (`isList`). */
interface Property extends Part {
  readonly name: string;
  readonly schema: Schema;
}

/** The properties of a form, with their schemas; without those of which OpenAPI does not say how they are written. */
function propertiesOfForm({ schema, parts }: Content): Property[] {
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
  const length = Math.max(1, rangeOf(schema, 'Items').min);
  return SAMPLE_FILES.map((file) => Array.from({ length }, () => file));
}

/**
 * The values that a server may read from the parts of a property: the text `1` may be a number or a string. The
 * likeliest comes first; undefined when OpenAPI does not say, or the value cannot be sent.
 */
function interpretationsIn({ kind, isList, schema }: Property, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  // A list property is sent as one part for each item: an empty list has no part, and any other value is one part, like
  // a list of one item. An item that is a list itself, sent as JSON, could be taken for the whole list.
  if (isList && (!isJsonList(json) || json.length === 0 || json.some(isJsonList))) return undefined;
  if (kind !== 'text') return [json];
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

function filesOfUnusualBytes({ schema, isList, name }: Property): Variant[] {
  return UNUSUAL_BYTES.map(([label, bytes]) =>
    createVariant(schema, { keyword: 'value', label: `${name}, ${label}` }, isList ? [bytes] : bytes),
  );
}

/**
 * Makes lists with the fewest and the most files that are allowed, and with one less or more, which is invalid: the
 * caller keeps the valid or the invalid ones. Empty when the property is a single file.
 */
function listsOfFiles({ schema, isList, name }: Property): Variant[] {
  if (!isList) return [];
  const createList = (length: number, label: string, keyword: string): Variant =>
    createVariant(
      schema,
      { keyword, label: `${name}, ${label}` },
      Array.from({ length }, (_unused, index) => `file ${String(index)}`),
    );
  const { min: minItems, max: maxItems } = rangeOf(schema, 'Items');
  return [
    // An empty list would have no part at all.
    createList(Math.max(minItems, 1), 'few', 'minItems'),
    ...(minItems > 1 ? [createList(minItems - 1, 'minItems-1', 'minItems')] : []),
    ...(maxItems < Infinity
      ? [createList(maxItems, 'maxItems', 'maxItems'), createList(maxItems + 1, 'maxItems+1', 'maxItems')]
      : []),
  ];
}

/** File parts of each media type that the property's `encoding` lists, and with unusual names: still a valid form. */
function withOtherTypesAndNames(property: Property, validParts: readonly SentPart[]): Changed[] {
  const { kind, name, mediaTypes, schema } = property;
  if (kind !== 'file') return [];
  return [
    ...mediaTypes.map((type): Changed => [
      { ...contentTypeRuleOf(property), label: `${name} of ${type}` },
      changeParts(validParts, name, { type: toConcreteType(type) }),
    ]),
    ...UNUSUAL_FILE_NAMES.map(([label, fileName]): Changed => [
      createRule(schema, 'spelling', `${name}, ${label}`),
      changeParts(validParts, name, { fileName }),
    ]),
  ];
}

const UNUSUAL_MEDIA_TYPES = ['application/x-other', 'text/x-other'];

/** File parts of a media type that the property's `encoding` does not list; empty when any type is allowed. */
function withUnlistedType(property: Property, validParts: readonly SentPart[]): Changed[] {
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

function changeParts(parts: readonly SentPart[], name: string, change: Partial<SentPart>): Buffer {
  return writeParts(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
}
