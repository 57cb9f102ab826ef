import { isUtf8 } from 'node:buffer';
import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { onlyNamed, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { isJsonObject, isSame, readJson, writeJson, type Json, type JsonObject } from '../wire/json';
import type { WireReply } from '../wire/reply';
import { bodyOf } from './body';

/** A property of a successful reply that the request has too is the same, digit for digit; one that was not sent is not there. */
export function judgeEcho(operation: Operation, one: Case, reply: WireReply, declared: Reply | undefined): string[] {
  if (reply.status < 200 || reply.status >= 300 || !operation.body || !declared?.schema) return [];
  const sent = sentBody(one);
  const received = bodyOf(reply);
  if (!sent || !isJsonObject(received)) return [];
  const asked = propertiesOf(operation.body.schema);
  const required = requiredOf(declared.schema);
  return [...propertiesOf(declared.schema)].flatMap(([name, property]) => {
    const own = asked.get(name);
    if (!own || isSame(named(property, sent[name]), received[name])) return [];
    // The server may fill in what it must send.
    if (sent[name] === undefined && (required.has(name) || rulesOf(own, 'default').length > 0)) return [];
    return [`${name} was sent as ${show(sent[name])} and came back as ${show(received[name])}`];
  });
}

/** The object that a request carries, read as whoever takes the last of two equal names. */
export function sentBody({ request: { body } }: Case): JsonObject | undefined {
  if (!body || !isUtf8(body)) return undefined;
  try {
    const json = readJson(body.toString('utf8'));
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

// What no schema names may be sent, and is not to come back.
function named(schema: Schema, value: Json | undefined): Json | undefined {
  return value === undefined ? undefined : onlyNamed(schema, value);
}

function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value);
}
