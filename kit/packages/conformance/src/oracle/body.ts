import type { Case } from '../generators/case';
import { type Content, type Reply, type Operation } from '../contract/model';
import {
  isWriteOnly,
  itemOf,
  propertiesOf,
  rulesOf,
  schemaOfMember,
  isReadOnly,
  type Schema,
} from '../contract/schema';
import { isJsonList, isJsonObject, readJson, writeJson, type Json, type JsonObject } from '../wire/json';
import type { SchemaError } from '../validation/assertions';
import type { Validate } from '../validation/validator';
import { narrowTo } from '../values/variant';
import { essenceOf, isJsonType } from '../wire/media-type';
import { findContent, readContent } from '../contract/serialization';
import { hasEventStreamType, valuesOf, type WireReply } from '../wire/reply';
import { findUnended, isUtf8Prefix, nounOf, readItems } from '../wire/sequence';
import { toFindings, type Finding, type Oracle } from './checks';
import { isChanged } from './compare';
import { isUtf8 } from 'node:buffer';

export function judgeBody(
  { validate }: Oracle,
  testCase: Case,
  reply: WireReply,
  declaredReply: Reply | undefined,
): Finding[] {
  const { body } = reply;
  if (testCase.request.method === 'HEAD' || !declaredReply) return [];
  // `judgeHeaders` reports an undeclared media type. Then the body is checked against the first declared one.
  const declared = replyContentOf(declaredReply, reply);
  const content = declared ?? declaredReply.contents[0];
  if (content?.kind === 'sequence') return judgeSequence(validate, content, reply);
  // The suite reads only the start of a stream, which can end in the middle of a character.
  if (hasEventStreamType(reply.headers))
    return toFindings('body-malformed', isUtf8Prefix(body) ? [] : ['the event stream is not UTF-8']);
  if (!content || content.kind === 'bytes' || content.kind === 'other' || isTextInOtherCharset(content, reply))
    return [];
  const value = readContent(content, body);
  // A body with an undeclared media type may have another syntax.
  if (value instanceof Error) return toFindings('body-malformed', declared ? [value.message] : []);
  return [
    ...toFindings('schema', judgeBySchema(validate, content.schema, value)),
    ...toFindings('write-only-returned', findWriteOnly(content.schema, value, 'body')),
  ];
}

// Reports only the first invalid item. Does not check the whole list if the suite stopped reading early.
function judgeSequence(validate: Validate, { schema, framing = 'jsonl' }: Content, reply: WireReply): Finding[] {
  const results = readItems(framing, reply.body, !reply.isClosedEarly);
  const noun = nounOf(framing);
  const malformedTexts = results.flatMap((item, index) =>
    'error' in item ? [`${noun} ${String(index + 1)} ${item.error}`] : [],
  );
  const unfinishedText = findUnended(framing, reply.body, !reply.isClosedEarly);
  if (unfinishedText !== undefined) malformedTexts.push(unfinishedText);
  if (malformedTexts.length > 0) return toFindings('body-malformed', malformedTexts.slice(0, 1));
  const items = results.flatMap((item) => ('value' in item ? [item.value] : []));
  const validateAll = (): SchemaError[] =>
    schema.schemaObjects.flatMap(({ pointer }) => [...validate(pointer, items, 'reply')]);
  const errors = schema.contract.skipped.attempt(validateAll, []);
  const indexOf = ({ valuePointer }: SchemaError): number => Number(valuePointer.split('/')[1]);
  const firstInvalidIndex = errors
    .filter(({ valuePointer }) => valuePointer !== '')
    .reduce((lowest, error) => Math.min(lowest, indexOf(error)), Infinity);
  const texts = errors.flatMap((error) => {
    const { valuePointer, text } = error;
    if (valuePointer === '') return reply.isClosedEarly ? [] : [text];
    const path = valuePointer.replace(/^\/\d+/, '');
    const start = `${noun} ${String(firstInvalidIndex + 1)}${path === '' ? '' : `, ${path}`}`;
    return indexOf(error) === firstInvalidIndex ? [`${start}${text.slice(valuePointer.length)}`] : [];
  });
  return [
    ...toFindings('schema', [...new Set(texts)]),
    ...toFindings('write-only-returned', findWriteOnly(schema, items, 'body').slice(0, 1)),
  ];
}

// JSON has no charset parameter, so only text is checked.
function isTextInOtherCharset({ kind }: Content, reply: WireReply): boolean {
  const contentType = valuesOf(reply, 'content-type').join();
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  return kind === 'text' && !/^(?:utf-8|us-ascii)$/i.test(charset);
}

// A schema that the validator cannot read goes on the skipped list.
export function judgeBySchema(validate: Validate, schema: Schema, value: Json): string[] {
  // Several schema objects can report the same error.
  const validateAll = (): string[] =>
    schema.schemaObjects.flatMap(({ pointer }) => validate(pointer, value, 'reply').map(({ text }) => text));
  return [...new Set(schema.contract.skipped.attempt(validateAll, []))];
}

/** Returns undefined if the body is missing, malformed, or not JSON. */
export function jsonBodyOf(reply: WireReply): Json | undefined {
  const types = valuesOf(reply, 'content-type').map(essenceOf);
  if (reply.body.length === 0 || types.some((type) => !isJsonType(type))) return undefined;
  const json = readContent({ kind: 'json' }, reply.body);
  return json instanceof Error ? undefined : json;
}

export function replyContentOf({ contents }: Reply, reply: WireReply): Content | undefined {
  return findContent(contents, valuesOf(reply, 'content-type').join());
}

function findWriteOnly(declared: Schema, value: Json, path: string): string[] {
  const schema = narrowTo(declared, value);
  if (isJsonList(value)) {
    return value.flatMap((item, index) => {
      const itemSchema = itemOf(schema, index);
      return itemSchema ? findWriteOnly(itemSchema, item, `${path}/${String(index)}`) : [];
    });
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPath = `${path}/${name}`;
    const memberSchema = schemaOfMember(schema, name);
    if (typeof memberSchema !== 'object') return [];
    return isWriteOnly(memberSchema)
      ? [`${memberPath} is writeOnly, so it must not be in a response`]
      : findWriteOnly(memberSchema, member, memberPath);
  });
}

/** Checks that the reply repeats the sent value of each property that both the request and the reply declare. */
export function judgeEcho(
  operation: Operation,
  testCase: Case,
  reply: WireReply,
  declared: Reply | undefined,
): Finding[] {
  const { method } = testCase.request;
  // The reply to any other POST can show something else, such as the result of a calculation.
  const isStoring = method === 'PUT' || method === 'PATCH' || reply.status === 201;
  if (!isStoring || reply.status < 200 || reply.status >= 300 || !declared) return [];
  const requestContent = requestContentOf(operation, testCase);
  const replyContent = replyContentOf(declared, reply);
  const sentBody = requestBodyOf(testCase);
  const receivedBody = jsonBodyOf(reply);
  if (!requestContent || !replyContent || !sentBody || !isJsonObject(receivedBody)) return [];
  const requestProperties = propertiesOf(narrowTo(requestContent.schema, sentBody, 'request'));
  const replyProperties = propertiesOf(narrowTo(replyContent.schema, receivedBody));
  const defaultTexts: string[] = [];
  const changedProperties = [...replyProperties].filter(([name, replyProperty]) => {
    const requestProperty = requestProperties.get(name);
    const isFile = requestContent.parts.get(name)?.kind === 'file';
    if (!requestProperty || isFile || isReadOrWriteOnly(requestProperty) || isReadOrWriteOnly(replyProperty))
      return false;
    const value = sentBody[name];
    // A PATCH keeps properties that are not sent, can remove those that are null, and can merge objects (RFC 7396).
    if (method === 'PATCH' && (value === undefined || value === null || isJsonObject(value))) return false;
    const [rule] = value === undefined ? rulesOf(requestProperty, 'default') : [];
    const shown = receivedBody[name] ?? null;
    if (rule && shown !== null && isChanged(name, [replyProperty, requestProperty], rule.value, shown))
      defaultTexts.push(
        `${name} was not sent, and came back as ${showJson(shown)} and not as its default ${showJson(rule.value)}`,
      );
    return isChanged(name, [replyProperty, requestProperty], value, receivedBody[name]);
  });
  const texts = changedProperties.map(
    ([name]) => `${name} was sent as ${showJson(sentBody[name])} and came back as ${showJson(receivedBody[name])}`,
  );
  return [...toFindings('value-changed', texts), ...toFindings('default-not-applied', defaultTexts)];
}

function isReadOrWriteOnly(property: Schema): boolean {
  return isReadOnly(property) || isWriteOnly(property);
}

/** Falls back to the first declared content. */
export function requestContentOf({ body }: Operation, { request }: Case): Content | undefined {
  const [, type] = request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return findContent(body?.contents ?? [], type) ?? body?.contents[0];
}

/** Returns undefined if the body is not a JSON object. If a name occurs twice, the last value counts. */
export function requestBodyOf({ request: { body }, interpretation }: Case): JsonObject | undefined {
  if (interpretation?.place === 'body') return isJsonObject(interpretation.value) ? interpretation.value : undefined;
  if (!body || !isUtf8(body)) return undefined;
  try {
    const json = readJson(body.toString('utf8'));
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function showJson(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value);
}
