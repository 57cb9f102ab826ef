// Makes valid and invalid bodies of one media type.
import { essenceOf } from '../wire/media-type';
import type { Content } from '../contract/model';
import type { Field } from '../contract/read-content';
import { SkippedError } from '../contract/skipped';
import { interpretationsOf, isReadAs } from '../values/interpretations';
import { keepConfirmed, type Values } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toJson, toText, type Json, type Wire } from '../wire/json';
import { isReadBack, writeContent, scalarText } from '../contract/serialization';
import { baseForm, changeForm, formInterpretations } from './forms';
import { changeSequence } from './sequences';
import { EVERY_BYTE, UNUSUAL_BYTES, type SentBody } from './sent-body';

export function baseBody(values: Values, content: Content): Buffer {
  return writeContent(content, baseValue(values, content));
}

/** Bytes and kind `other` are Latin-1 strings. Throws a SkippedError when no valid value can be made. */
export function baseValue(values: Values, content: Content): Wire {
  const { kind, schema } = content;
  if (kind === 'bytes') return EVERY_BYTE;
  if (kind === 'multipart') return baseForm(values, content);
  const [example] = fixturesAndExamples(values, content);
  if (kind === 'other') {
    if (example === undefined) throw new SkippedError(`bodies of type ${content.mediaType}`, content.pointer);
    return toText(example);
  }
  if (example !== undefined && values.fixtures.places.has(content.pointer)) return example;
  try {
    return values.baseOf(schema);
  } catch (error) {
    if (!(error instanceof SkippedError) || example === undefined) throw error;
    return example;
  }
}

/** Bodies that need not be generated: fixtures, and the contract's examples. Kind `other` is not validated. */
function fixturesAndExamples(
  { validate, fixtures }: Values,
  { kind, mediaType, pointer, schema, examples }: Content,
): Json[] {
  const isOther = kind === 'other';
  const bodies = [
    ...(fixtures.places.get(pointer) ?? []),
    // Fixtures by media type are for kinds that the suite cannot write.
    ...(isOther ? (fixtures.mediaTypes.get(essenceOf(mediaType)) ?? []) : []),
    ...examples.map(({ value }) => value),
  ];
  // One Latin-1 character per byte, as in other bodies of bytes.
  if (isOther)
    return bodies.filter((body) => typeof body === 'string').map((body) => Buffer.from(body).toString('latin1'));
  return bodies.filter((body) =>
    schema.schemaObjects.every((schemaObject) => validate(schemaObject.pointer, body).length === 0),
  );
}

/** Valid bodies at the edge of each rule, or else bodies that are invalid however a server reads them. */
export function createBodies(values: Values, content: Content, areValid: boolean): SentBody[] {
  switch (content.kind) {
    case 'bytes':
      return areValid ? unusualBytes(content) : [];
    case 'other':
      return areValid ? exampleBodies(values, content) : [];
    case 'multipart':
      return [...bodiesOfSchema(values, content, areValid), ...changeForm(values, content, areValid)];
    case 'sequence':
      return [...bodiesOfSchema(values, content, areValid), ...changeSequence(values, content, areValid)];
    case 'json':
    case 'text':
    case 'form':
      return bodiesOfSchema(values, content, areValid);
  }
}

function exampleBodies(values: Values, content: Content): SentBody[] {
  return fixturesAndExamples(values, content).map((body, index) => ({
    pointer: content.pointer,
    label: `as shown, ${String(index + 1)}`,
    body: writeContent(content, body),
  }));
}

function unusualBytes(content: Content): SentBody[] {
  return UNUSUAL_BYTES.map(([label, bytes]) => ({
    ...{ pointer: content.pointer, label },
    interpretation: bytes,
    body: writeContent(content, bytes),
  }));
}

// `interpretation` is what a server most likely reads from a valid body: the strings of a form may be numbers.
function bodiesOfSchema(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema } = content;
  const variants = areValid ? values.validValues(schema) : values.invalidValues(schema);
  return keepConfirmed(values, schema, variants, areValid).flatMap((variant) => {
    const interpretations = interpretationsIn(values, content, variant.value);
    // JSON has a single reading, which is confirmed.
    if (content.kind !== 'json' && !isReadAs(values, schema, interpretations, areValid)) return [];
    const body = writeContent(content, variant.value);
    return [{ ...variant, body, interpretation: areValid ? interpretations?.[0] : undefined }];
  });
}

/** Whether a server most likely reads a body as the value that it was made from. */
export function isReadAsIs(values: Values, content: Content, value: Json): boolean {
  if (content.kind === 'json') return true;
  const isForm = content.kind === 'form' || content.kind === 'multipart';
  const [likeliest] = (isForm ? interpretationsIn(values, content, value) : undefined) ?? [];
  return likeliest !== undefined && isSame(likeliest, value);
}

/** The likeliest reading comes first; undefined when OpenAPI does not say, or when the value cannot be sent. */
function interpretationsIn(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const { kind, schema, fields, framing = 'jsonl' } = content;
  if (kind === 'multipart') return formInterpretations(values, content, value);
  const json = toJson(value);
  if (kind === 'json') return [json];
  if (kind === 'sequence') return isReadBack(framing, json) ? [json] : undefined;
  // An empty string may count as no body.
  if (kind === 'text') return typeof json === 'string' && json !== '' && json.isWellFormed() ? [json] : undefined;
  // Without a style, OpenAPI does not say how a URL-encoded form writes nested values.
  if (!isJsonObject(json)) return undefined;
  const areFlat = Object.entries(json).every(([name, member]) => isFlat(member, fields?.get(name)));
  return areFlat ? interpretationsOf(schema, json) : undefined;
}

/** Whether a field is one string, or a list or object of strings that its style writes without ambiguity. */
function isFlat(member: Json, field: Field | undefined): boolean {
  const isObject = isJsonObject(member);
  if (isObject ? !field : field?.style === 'deepObject') return false;
  const texts = isObject ? Object.entries(member).flat() : isJsonList(member) ? member : [member];
  const isJoined = field?.isExploded === false && typeof member === 'object';
  return texts.every(
    (text) =>
      typeof text !== 'object' && scalarText(text).isWellFormed() && !(isJoined && /[ ,|]/.test(scalarText(text))),
  );
}
