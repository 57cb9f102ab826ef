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

/** Makes one valid body of a media type. */
export function baseBody(values: Values, content: Content): Buffer {
  return writeContent(content, baseValue(values, content));
}

/**
 * Makes the value of one valid body. Bytes, and kinds that the suite cannot write (`other`), are Latin-1 strings.
 *
 * @throws SkippedError when no valid value can be made
 */
export function baseValue(values: Values, content: Content): Wire {
  const { kind, schema } = content;
  if (kind === 'bytes') return EVERY_BYTE;
  if (kind === 'multipart') return baseForm(values, content);
  const [example] = knownBodies(values, content);
  if (kind === 'other') {
    if (example === undefined) throw new SkippedError(`bodies of type ${content.mediaType}`, content.pointer);
    return toText(example);
  }
  if (example !== undefined && values.fixtures.places.has(content.pointer)) return example;
  // Use an example of the contract only where no value can be generated.
  try {
    return values.baseOf(schema);
  } catch (error) {
    if (!(error instanceof SkippedError) || example === undefined) throw error;
    return example;
  }
}

/**
 * The valid bodies that the suite need not make: from the file of `--fixtures` (`fixtures`, by the JSON pointer of the
 * content or by media type) and the contract's examples. Of kind `other`, which the suite cannot write (such as XML),
 * they are strings of bytes, and not validated.
 */
function knownBodies({ validate, fixtures }: Values, { kind, mediaType, pointer, schema, examples }: Content): Json[] {
  const isOther = kind === 'other';
  const bodies = [
    ...(fixtures.places.get(pointer) ?? []),
    // Given for media types that the suite cannot write; other bodies follow from their schema.
    ...(isOther ? (fixtures.mediaTypes.get(essenceOf(mediaType)) ?? []) : []),
    ...examples.map(({ value }) => value),
  ];
  // One Latin-1 character a byte, as bodies of bytes are kept, too.
  if (isOther)
    return bodies.filter((body) => typeof body === 'string').map((body) => Buffer.from(body).toString('latin1'));
  // An empty list from the validator says that a body is valid.
  return bodies.filter((body) =>
    schema.schemaObjects.every((schemaObject) => validate(schemaObject.pointer, body).length === 0),
  );
}

/**
 * Makes valid bodies of one media type: where there is a schema, at the edge of each of its rules, such as a string of
 * exactly maxLength characters. Or else bodies that are invalid however a server reads their texts.
 */
export function createBodies(values: Values, content: Content, areValid: boolean): SentBody[] {
  switch (content.kind) {
    case 'bytes':
      return areValid ? unusualBytes(content) : [];
    case 'other':
      return areValid ? shownBodies(values, content) : [];
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

// As the contract's examples or the file of `--fixtures` show them.
function shownBodies(values: Values, content: Content): SentBody[] {
  return knownBodies(values, content).map((body, index) => ({
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

// `interpretation` is what a server most likely reads from a valid body: the texts of a form may be numbers.
function bodiesOfSchema(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema } = content;
  const variants = areValid ? values.validValues(schema) : values.invalidValues(schema);
  return keepConfirmed(values, schema, variants, areValid).flatMap((variant) => {
    const interpretations = interpretationsIn(values, content, variant.value);
    // JSON is read in one way, which is confirmed.
    if (content.kind !== 'json' && !isReadAs(values, schema, interpretations, areValid)) return [];
    const body = writeContent(content, variant.value);
    return [{ ...variant, body, interpretation: areValid ? interpretations?.[0] : undefined }];
  });
}

/** Whether a body is JSON, or a form that a server most likely reads as the value that it was made of. */
export function isReadAsIs(values: Values, content: Content, value: Json): boolean {
  if (content.kind === 'json') return true;
  const isForm = content.kind === 'form' || content.kind === 'multipart';
  const [likeliest] = (isForm ? interpretationsIn(values, content, value) : undefined) ?? [];
  return likeliest !== undefined && isSame(likeliest, value);
}

/**
 * The values that a server may read from a body: in a form, `1` may be a number or a string. The likeliest comes first;
 * undefined when OpenAPI does not say, or the value cannot be sent.
 */
function interpretationsIn(values: Values, content: Content, value: Wire): readonly Json[] | undefined {
  const { kind, schema, fields, framing = 'jsonl' } = content;
  if (kind === 'multipart') return formInterpretations(values, content, value);
  const json = toJson(value);
  if (kind === 'json') return [json];
  if (kind === 'sequence') return isReadBack(framing, json) ? [json] : undefined;
  // An empty text may count as no body.
  if (kind === 'text') return typeof json === 'string' && json !== '' && json.isWellFormed() ? [json] : undefined;
  // Else it is a URL-encoded form: without a style, OpenAPI does not say how nested values are written.
  if (!isJsonObject(json)) return undefined;
  const areFlat = Object.entries(json).every(([name, member]) => isFlat(member, fields?.get(name)));
  return areFlat ? interpretationsOf(schema, json) : undefined;
}

/** Whether a field has one text, or a list of texts, or as its style says an object: none has a delimiter in it. */
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
