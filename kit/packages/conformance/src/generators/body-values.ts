import { essenceOf } from '../wire/media-type';
import type { Content } from '../contract/model';
import type { Field } from '../contract/read-content';
import { SkippedError } from '../contract/skipped';
import { interpretationsOf, isReadAs } from '../values/interpretations';
import { keepConfirmed, type Values } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toJson, toText, type Json, type Wire } from '../wire/json';
import { canRoundTrip, writeContent, scalarText } from '../contract/serialization';
import { createBaseForm, createFormVariants, findFormInterpretations } from './forms';
import { createSequenceVariants } from './sequences';
import { EVERY_BYTE, UNUSUAL_BYTES, type SentBody } from './sent-body';

export function baseBody(values: Values, content: Content): Buffer {
  return writeContent(content, baseValue(values, content));
}

/** Returns a valid value, which is a Latin-1 string for `bytes` and `other`. Throws a SkippedError if there is none. */
export function baseValue(values: Values, content: Content): Wire {
  const { kind, schema } = content;
  if (kind === 'bytes') return EVERY_BYTE;
  if (kind === 'multipart') return createBaseForm(values, content);
  const [example] = findFixturesAndExamples(values, content);
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

/** Returns the valid fixtures and examples. Bodies of kind `other` are not validated. */
function findFixturesAndExamples(
  { validate, fixtures }: Values,
  { kind, mediaType, pointer, schema, examples }: Content,
): Json[] {
  const isOther = kind === 'other';
  const bodies = [
    ...(fixtures.places.get(pointer) ?? []),
    ...(isOther ? (fixtures.mediaTypes.get(essenceOf(mediaType)) ?? []) : []),
    ...examples.map(({ value }) => value),
  ];
  // Convert to one Latin-1 character per byte.
  if (isOther)
    return bodies.filter((body) => typeof body === 'string').map((body) => Buffer.from(body).toString('latin1'));
  return bodies.filter((body) =>
    schema.schemaObjects.every((schemaObject) => validate(schemaObject.pointer, body).length === 0),
  );
}

/** Creates valid bodies at the limits of each rule, or else bodies that are invalid in every interpretation. */
export function createBodies(values: Values, content: Content, areValid: boolean): SentBody[] {
  switch (content.kind) {
    case 'bytes':
      return areValid ? createUnusualBodies(content) : [];
    case 'other':
      return areValid ? createExampleBodies(values, content) : [];
    case 'multipart':
      return [...createBodiesOfSchema(values, content, areValid), ...createFormVariants(values, content, areValid)];
    case 'sequence':
      return [...createBodiesOfSchema(values, content, areValid), ...createSequenceVariants(values, content, areValid)];
    case 'json':
    case 'text':
    case 'form':
      return createBodiesOfSchema(values, content, areValid);
  }
}

function createExampleBodies(values: Values, content: Content): SentBody[] {
  return findFixturesAndExamples(values, content).map((body, index) => ({
    pointer: content.pointer,
    label: `as shown, ${String(index + 1)}`,
    body: writeContent(content, body),
  }));
}

function createUnusualBodies(content: Content): SentBody[] {
  return UNUSUAL_BYTES.map(([label, bytes]) => ({
    ...{ pointer: content.pointer, label },
    interpretation: bytes,
    body: writeContent(content, bytes),
  }));
}

// The interpretation of a valid body is what a server most likely reads. Text in a form can become a number.
function createBodiesOfSchema(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema } = content;
  const variants = areValid ? values.validValues(schema) : values.invalidValues(schema);
  return keepConfirmed(values, schema, variants, areValid).flatMap((variant) => {
    const interpretations = findInterpretations(values, content, variant.value);
    // JSON has only one interpretation, which `keepConfirmed` has checked.
    if (content.kind !== 'json' && !isReadAs(values, schema, interpretations, areValid)) return [];
    const body = writeContent(content, variant.value);
    return [{ ...variant, body, interpretation: areValid ? interpretations?.[0] : undefined }];
  });
}

/** Whether a server most likely reads the body as this value. */
export function isReadAsIs(values: Values, content: Content, value: Json): boolean {
  if (content.kind === 'json') return true;
  const isForm = content.kind === 'form' || content.kind === 'multipart';
  const [likeliest] = (isForm ? findInterpretations(values, content, value) : undefined) ?? [];
  return likeliest !== undefined && isSame(likeliest, value);
}

/** Returns the likeliest interpretation first, or undefined if OpenAPI defines none or the value cannot be sent. */
function findInterpretations(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const { kind, schema, fields, framing = 'jsonl' } = content;
  if (kind === 'multipart') return findFormInterpretations(values, content, value);
  const json = toJson(value);
  if (kind === 'json') return [json];
  if (kind === 'sequence') return canRoundTrip(framing, json) ? [json] : undefined;
  // A server may treat an empty body as a missing one.
  if (kind === 'text') return typeof json === 'string' && json !== '' && json.isWellFormed() ? [json] : undefined;
  // OpenAPI does not define how a URL-encoded form serializes nested values without a style.
  if (!isJsonObject(json)) return undefined;
  const areUnambiguous = Object.entries(json).every(([name, member]) => isUnambiguousField(member, fields?.get(name)));
  return areUnambiguous ? interpretationsOf(schema, json) : undefined;
}

/** Whether a field is one string, or strings in a list or object that its style serializes without ambiguity. */
function isUnambiguousField(member: Json, field: Field | undefined): boolean {
  const isObject = isJsonObject(member);
  if (isObject ? !field : field?.style === 'deepObject') return false;
  const texts = isObject ? Object.entries(member).flat() : isJsonList(member) ? member : [member];
  const isJoined = field?.isExploded === false && typeof member === 'object';
  return texts.every(
    (text) =>
      typeof text !== 'object' && scalarText(text).isWellFormed() && !(isJoined && /[ ,|]/.test(scalarText(text))),
  );
}
