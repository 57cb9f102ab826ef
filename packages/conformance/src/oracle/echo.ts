// Compares a reply with what its request sent.
import { isUtf8 } from 'node:buffer';
import type { Case } from '../case';
import type { Content, Operation, Reply } from '../contract/model';
import { isReadOnly, isWriteOnly, keepNamed, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { isJsonObject, isSame, readJson, writeJson, type Json, type JsonObject } from '../wire/json';
import { findContent } from '../wire/content';
import type { WireReply } from '../wire/reply';
import { bodyOf, contentOf } from './body';
import { toFindings, type Finding } from './checks';

/** A success must repeat the properties that request and reply both declare, and have none that were not sent. */
export function judgeEcho(
  operation: Operation,
  testCase: Case,
  reply: WireReply,
  declared: Reply | undefined,
): Finding[] {
  if (reply.status < 200 || reply.status >= 300 || !declared) return [];
  const requestContent = sentContent(operation, testCase);
  const replyContent = contentOf(declared, reply);
  const sent = sentBody(testCase);
  const received = bodyOf(reply);
  if (!requestContent || !replyContent || !sent || !isJsonObject(received)) return [];
  const requestProperties = propertiesOf(requestContent.schema);
  const requiredInReply = requiredOf(replyContent.schema);
  const isPatch = testCase.request.method === 'PATCH';
  const changed = [...propertiesOf(replyContent.schema)].flatMap(([name, replyProperty]) => {
    const requestProperty = requestProperties.get(name);
    const isFile = requestContent.parts.get(name)?.kind === 'file';
    if (!requestProperty || isFile || isOfOneSide(requestProperty) || isOfOneSide(replyProperty)) return [];
    const value = sent[name];
    if (isSame(keepDeclared(replyProperty, value), received[name])) return [];
    // RFC 5789 section 2: a PATCH keeps what it does not name, removes what it sets to null, and may merge an object.
    if (isPatch && (value === undefined || value === null || isJsonObject(value))) return [];
    // The server may fill in required properties, and those with a default.
    const mayBeFilledIn = requiredInReply.has(name) || rulesOf(requestProperty, 'default').length > 0;
    if (value === undefined && mayBeFilledIn) return [];
    return [`${name} was sent as ${show(value)} and came back as ${show(received[name])}`];
  });
  return toFindings('echo', changed);
}

// A readOnly property is only in replies, a writeOnly one only in requests.
function isOfOneSide(property: Schema): boolean {
  return isReadOnly(property) || isWriteOnly(property);
}

/** The declared content for the Content-Type of a request, or else the first one; undefined if no body is declared. */
export function sentContent({ body }: Operation, { request }: Case): Content | undefined {
  const [, type] = request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return findContent(body?.contents ?? [], type) ?? body?.contents[0];
}

/** The JSON object that a request sends; of two equal names the last counts. Undefined for any other body. */
export function sentBody({ request: { body }, meant }: Case): JsonObject | undefined {
  if (meant?.place === 'body') return isJsonObject(meant.value) ? meant.value : undefined;
  if (!body || !isUtf8(body)) return undefined;
  try {
    const json = readJson(body.toString('utf8'));
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

// Undeclared properties may be sent, but need not come back: remove them.
function keepDeclared(schema: Schema, value: Json | undefined): Json | undefined {
  return value === undefined ? undefined : keepNamed(schema, value);
}

function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value);
}
