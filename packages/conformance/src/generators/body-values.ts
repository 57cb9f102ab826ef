// Makes valid and invalid bodies of one media type.
import { essenceOf } from '../contract/media-type';
import type { Content } from '../contract/model';
import { Untriable } from '../contract/untried';
import { meaningsOf } from '../values/meanings';
import { fits, keepAsMeant, type Values } from '../values/variant';
import { isJsonList, isJsonObject, toJson, toText, type Json, type Wire } from '../wire/json';
import { writeContent } from '../wire/content';
import { scalarText } from '../wire/parameter';
import { badForms, goodForms } from './form-bodies';
import { baseForm } from './form-values';
import { toRule, type SentBody } from './sent-body';

const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_unused, byte) => byte));
const BYTES: readonly (readonly [label: string, bytes: string])[] = [
  ['every byte', EVERY_BYTE],
  ['one NUL', '\0'],
  ['what looks like JSON', '{"a":'],
  ['line breaks', '\r\n\n\r'],
  ['no UTF-8', '\xff\xfe\xed\xa0\x80'],
];

/** Makes one valid body of a media type. */
export function baseBody(values: Values, content: Content): Buffer {
  return writeContent(content, baseValue(values, content));
}

/**
 * Makes the value of one valid body; bytes, and media types that the suite cannot read, are a Latin-1 string.
 *
 * @throws Untriable when no valid value can be made
 */
export function baseValue(values: Values, content: Content): Wire {
  const { kind, schema } = content;
  if (kind === 'bytes') return EVERY_BYTE;
  if (kind === 'multipart') return baseForm(values, content);
  const [shown] = exampleBodies(values, content);
  if (kind === 'other' && shown === undefined) throw new Untriable(`bodies of ${content.mediaType}`, content.pointer);
  try {
    return kind === 'other' ? toText(shown) : values.baseOf(schema);
  } catch (error) {
    if (!(error instanceof Untriable) || shown === undefined) throw error;
    return shown;
  }
}

/** The valid bodies that `--values` gives and the contract has as examples. */
function exampleBodies({ validate, given }: Values, { kind, mediaType, pointer, schema, examples }: Content): Json[] {
  const bodies = [
    ...(given.places.get(pointer) ?? []),
    ...(kind === 'other' ? (given.mediaTypes.get(essenceOf(mediaType)) ?? []) : []),
    ...examples.map(({ value }) => value),
  ];
  if (kind === 'other')
    return bodies.filter((body) => typeof body === 'string').map((text) => Buffer.from(text).toString('latin1'));
  return bodies.filter((body) => schema.places.every((place) => validate(place.pointer, body).length === 0));
}

/** Makes valid bodies, at the edge of each rule of the schema. */
export function goodBodies(values: Values, content: Content): SentBody[] {
  const { kind, schema, pointer } = content;
  if (kind === 'bytes') {
    const covers = schema.places.map((place) => `${place.pointer} type`);
    const rule = { pointer, keyword: 'value', covers };
    return BYTES.map(([label, meaning]) => ({ ...rule, label, meaning, body: writeContent(content, meaning) }));
  }
  if (kind === 'multipart') return goodForms(values, content);
  if (kind === 'other') {
    const rule = { pointer, keyword: 'value', covers: [] };
    return exampleBodies(values, content).map((shown, index) => ({
      ...rule,
      label: `as shown, ${String(index + 1)}`,
      body: writeContent(content, shown),
    }));
  }
  const made = keepAsMeant(values, schema, values.goodValues(schema), true);
  return made.flatMap((variant) => {
    const [meaning] = meaningsIn(content, variant.value) ?? [];
    if (meaning === undefined || !fits(values, schema, meaning)) return [];
    return [{ ...toRule(variant), meaning, body: writeContent(content, variant.value) }];
  });
}

/** Makes bodies that are invalid however a server reads their texts: `1` may be a number or a string. */
export function badBodies(values: Values, content: Content): SentBody[] {
  const { kind, schema } = content;
  if (kind === 'bytes' || kind === 'other') return [];
  if (kind === 'multipart') return badForms(values, content);
  const made = keepAsMeant(values, schema, values.badValues(schema), false);
  return made.flatMap((variant) => {
    const meanings = meaningsIn(content, variant.value);
    if (meanings === undefined || meanings.some((meaning) => fits(values, schema, meaning))) return [];
    return [{ ...toRule(variant), body: writeContent(content, variant.value) }];
  });
}

/** The values that a server may read from a body; undefined when OpenAPI does not say, or the value cannot be sent. */
function meaningsIn({ kind, schema }: Content, value: Wire): readonly Json[] | undefined {
  const json = toJson(value);
  if (kind === 'json') return [json];
  // An empty text may count as no body.
  if (kind === 'text') return typeof json === 'string' && json !== '' && isWellFormed(json) ? [json] : undefined;
  if (!isJsonObject(json) || Object.keys(json).length === 0) return undefined;
  const parts = Object.values(json).flatMap((member) => (isJsonList(member) ? member : [member]));
  const isFlat = parts.every((part) => typeof part !== 'object' && isWellFormed(scalarText(part)));
  const isComplete = Object.values(json).every((member) => !isJsonList(member) || member.length > 0);
  return isFlat && isComplete ? meaningsOf(schema, json) : undefined;
}

// An unpaired surrogate has no UTF-8.
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
