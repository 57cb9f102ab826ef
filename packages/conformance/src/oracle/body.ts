import type { Case } from '../case';
import type { Content, Reply } from '../contract/model';
import {
  additionalOf,
  choiceOf,
  isWriteOnly,
  itemsOf,
  patternsOf,
  propertiesOf,
  rulesOf,
  type Schema,
} from '../contract/schema';
import { isJsonList, isJsonObject, isSame, toText, type Json, type JsonObject } from '../wire/json';
import { attempt } from '../contract/untried';
import { matches } from '../pattern';
import type { Validate } from '../validator';
import { essenceOf, isJsonType } from '../contract/media-type';
import { findContent, readContent } from '../wire/content';
import { beginsAsUtf8, hasEventStreamType } from '../wire/event-stream';
import { valuesOf, type WireReply } from '../wire/reply';
import { toFindings, type Finding } from './checks';
import type { Oracle } from './oracle';

/** Judges a body: strict UTF-8 and JSON, the schema, and no undeclared properties. */
export function judgeBody(
  { validate }: Oracle,
  testCase: Case,
  reply: WireReply,
  expected: Reply | undefined,
): Finding[] {
  const { body, status } = reply;
  if (testCase.request.method === 'HEAD') return [];
  if (!expected || expected.contents.length === 0)
    return toFindings('body undeclared', body.length > 0 ? ['there is a body, and none is declared'] : []);
  // `judgeHeaders` reports an undeclared media type; the body is then judged by the first declared one.
  const content = contentOf(expected, reply) ?? expected.contents[0];
  if (hasEventStreamType(reply.headers))
    return toFindings('body unread', beginsAsUtf8(body) ? [] : ['the stream of events is not UTF-8']);
  if (!content || content.kind === 'bytes' || content.kind === 'other' || hasOtherCharset(content, reply)) return [];
  const value = readContent(content, body);
  if (value instanceof Error) return toFindings('body unread', [value.message]);
  const hasDuplicates = content.kind === 'json' && hasDuplicateNames(body.toString('utf8'));
  return [
    ...toFindings('schema', judgeSchema(validate, content.schema, value)),
    ...toFindings('property undeclared', findUndeclared(content.schema, value, 'body')),
    ...toFindings('names twice', hasDuplicates ? ['the body has two equal names'] : []),
    ...toFindings('error number', judgeErrorNumber(content.schema, value, status)),
  ];
}

// Only text has a charset; JSON is always UTF-8.
function hasOtherCharset({ kind }: Content, reply: WireReply): boolean {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(valuesOf(reply, 'content-type').join())?.[1] ?? 'utf-8';
  return kind === 'text' && !/^(?:utf-8|us-ascii)$/i.test(charset);
}

/** Judges a value by its schema, and finds undeclared properties. */
export function judgeValue(validate: Validate, schema: Schema, value: Json): string[] {
  return [...judgeSchema(validate, schema, value), ...findUndeclared(schema, value, 'body')];
}

function judgeSchema(validate: Validate, schema: Schema, value: Json): string[] {
  const judgePlaces = (): string[] => schema.places.flatMap(({ pointer }) => validate(pointer, value, 'reply'));
  // A schema that the validator cannot read gives no findings.
  return [...new Set(attempt(judgePlaces, () => []))];
}

/** The JSON value of a reply's body; undefined for another media type, or malformed JSON. */
export function bodyOf(reply: WireReply): Json | undefined {
  const types = valuesOf(reply, 'content-type').map(essenceOf);
  if (reply.body.length === 0 || types.some((type) => !isJsonType(type))) return undefined;
  const json = readContent({ kind: 'json' }, reply.body);
  return json instanceof Error ? undefined : json;
}

/** The declared content for the media type of a reply; undefined when there is none. */
export function contentOf({ contents }: Reply, reply: WireReply): Content | undefined {
  return findContent(contents, valuesOf(reply, 'content-type').join());
}

const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

// JSON.parse keeps only one of equal names: then the text has more names than the value.
function hasDuplicateNames(text: string): boolean {
  const written = [...text.matchAll(STRING)].filter(([, colon]) => colon !== undefined).length;
  let kept = 0;
  JSON.parse(text, (_name, value: unknown) => {
    if (isJsonObject(value)) kept += Object.keys(value).length;
    return value;
  });
  return written > kept;
}

/** House rule: properties that no schema declares must not be sent, even when the schema allows additional ones. */
function findUndeclared(schema: Schema, value: Json, path: string): string[] {
  const choice = choiceOf(schema);
  if (choice) {
    const each = choice.branches.map((branch) => findUndeclared(branch, value, path));
    return each.toSorted((left, right) => left.length - right.length)[0] ?? [];
  }
  if (isJsonList(value)) {
    const items = itemsOf(schema);
    return items ? value.flatMap((item, index) => findUndeclared(items, item, `${path}/${String(index)}`)) : [];
  }
  if (!isJsonObject(value)) return [];
  const named = propertiesOf(schema);
  const additional = additionalOf(schema);
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}/${name}`;
    const property =
      named.get(name) ?? patternsOf(schema).find(([pattern]) => matches(pattern, name, '#'))?.[1] ?? additional;
    if (typeof property === 'object')
      return isWriteOnly(property) ? [`${at} is writeOnly`] : findUndeclared(property, member, at);
    return property === true || (named.size === 0 && property === undefined) ? [] : [`${at} is not declared`];
  });
}

/** Checks that an error number is in the catalogue, with the status of the reply. */
export function judgeErrorNumber(schema: Schema, value: Json, status: number): string[] {
  if (!isJsonObject(value)) return [];
  return [...propertiesOf(schema)].flatMap(([name, property]) => {
    const entries = rulesOf(property, 'x-error-catalogue').flatMap((rule) =>
      Object.values(rule.value as Readonly<Record<string, JsonObject>>),
    );
    const number = value[name];
    if (entries.length === 0 || number === undefined) return [];
    const entry = entries.find((one) => isSame(one['number'], number));
    if (!entry) return [`the error number ${toText(number)} is not in the catalogue`];
    return entry['status'] === BigInt(status)
      ? []
      : [`the error number ${toText(number)} belongs to ${toText(entry['status'])}, not to ${String(status)}`];
  });
}
