import { readJson, writeJson, isJsonObject, type JsonObject, type Wire } from '../../../src/wire/json';
import type { SeenRequest, SentReply } from './fault';

type ChangeReply = (reply: SentReply, request: SeenRequest) => SentReply;

/** Changes replies of some statuses only. */
export function onStatus(statuses: readonly number[], change: ChangeReply): ChangeReply {
  return (reply, request) => (statuses.includes(reply.status) ? change(reply, request) : reply);
}

/** Changes the object that a reply has. */
export function onObject(change: (body: JsonObject, request: SeenRequest) => Wire): ChangeReply {
  return (reply, request) => ({ ...reply, body: Buffer.from(writeJson(change(objectOf(reply.body), request))) });
}

export function onText(change: (text: string) => string): ChangeReply {
  return (reply) => ({ ...reply, body: Buffer.from(change(reply.body.toString('utf8'))) });
}

/** Sets a header, or takes it away. */
export function withHeader(name: string, value: string | undefined): ChangeReply {
  return (reply) => {
    const rest = reply.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
    return { ...reply, headers: value === undefined ? rest : [...rest, [name, value]] };
  };
}

export function withStatus(status: number): ChangeReply {
  return (reply) => ({ ...reply, status });
}

/** Changes replies with some error numbers only. */
export function onError(numbers: readonly number[], change: ChangeReply): ChangeReply {
  return (reply, request) =>
    reply.status >= 400 && numbers.includes(Number(objectOf(reply.body)['error'])) ? change(reply, request) : reply;
}

/** An object as it was sent or received; an empty one where it is none. */
export function objectOf(body: Buffer): JsonObject {
  try {
    const json = readJson(body.toString('utf8'));
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}
