import { isUtf8 } from 'node:buffer';
import type { Case } from '../case';
import type { Content, Operation, Reply } from '../contract/model';
import { isReadOnly, isWriteOnly, keepNamed, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { isJsonObject, isSame, readJson, writeJson, type Json, type JsonObject } from '../wire/json';
import { findContent } from '../wire/content';
import type { WireReply } from '../wire/reply';
import { bodyOf, contentOf } from './body';
import { toFindings, type Finding } from './checks';

/** Checks that a successful reply repeats the properties of the request exactly, and has none that were not sent. */
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
  const properties = propertiesOf(requestContent.schema);
  const required = requiredOf(replyContent.schema);
  const changed = [...propertiesOf(replyContent.schema)].flatMap(([name, property]) => {
    const own = properties.get(name);
    const isFile = requestContent.parts.get(name)?.kind === 'file';
    if (
      !own ||
      isFile ||
      isOfOneSide(own) ||
      isOfOneSide(property) ||
      isSame(keepNamedIn(property, sent[name]), received[name])
    )
      return [];
    // RFC 5789 section 2: a PATCH keeps what it does not name, and an object in it may be merged.
    if (testCase.request.method === 'PATCH' && (sent[name] ?? null) === null) return [];
    if (testCase.request.method === 'PATCH' && isJsonObject(sent[name])) return [];
    // The server may fill in required properties, and those with a default.
    if (sent[name] === undefined && (required.has(name) || rulesOf(own, 'default').length > 0)) return [];
    return [`${name} was sent as ${show(sent[name])} and came back as ${show(received[name])}`];
  });
  return toFindings('echo', changed);
}

// Such a property is only in the request or only in the reply.
function isOfOneSide(property: Schema): boolean {
  return isReadOnly(property) || isWriteOnly(property);
}

/** The declared content for the media type of a request, or else the first one. */
export function sentContent({ body }: Operation, { request }: Case): Content | undefined {
  const [, type] = request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return findContent(body?.contents ?? [], type) ?? body?.contents[0];
}

/** The JSON object in a request; of equal names the last one counts, as in JSON.parse. */
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

// Undeclared properties may be sent, but need not come back.
function keepNamedIn(schema: Schema, value: Json | undefined): Json | undefined {
  return value === undefined ? undefined : keepNamed(schema, value);
}

function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value);
}
