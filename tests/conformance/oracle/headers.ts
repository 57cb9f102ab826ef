import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { typesOf, type Schema } from '../contract/schema';
import { readNumber, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { judgeChallenge } from './challenge';
import type { Oracle } from './judge';

// Of the connection, of every message, and of what may stand between a client and the server.
export const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'via', 'server', 'alt-svc'],
  ...['date', 'content-type', 'content-length', 'cache-control', 'vary', 'age', 'nel', 'report-to', 'server-timing'],
  ...['strict-transport-security', 'x-content-type-options', 'x-request-id', 'traceparent', 'tracestate'],
]);

// RFC 9110: what any reply, or one of a status, may bring with it. The listing of what was produced shows it all the same.
const VALIDATORS = ['etag', 'last-modified', 'accept-ranges'];
const PROTOCOL: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  429: ['retry-after'],
  503: ['retry-after'],
};

interface Replies {
  readonly reply: WireReply;
  /** What the contract declares for the status. */
  readonly declared: Reply | undefined;
  /** The same, or what the protocol's own replies are like. */
  readonly expected: Reply | undefined;
}

export function judgeHeaders(oracle: Oracle, operation: Operation, one: Case, replies: Replies): string[] {
  const { reply, declared, expected } = replies;
  return [
    ...judgeMediaType(one, reply, expected),
    ...judgeDeclared(oracle, reply, declared),
    ...(reply.status === 405 ? judgeAllow(one, reply) : []),
    ...(reply.status === 401 ? judgeChallenge(operation, one, reply) : []),
    ...reply.headers
      .map(([name]) => name)
      .filter((name) => !INFRASTRUCTURE.has(name) && !declared?.headers.has(name))
      .filter((name) => ![...VALIDATORS, ...(PROTOCOL[reply.status] ?? [])].includes(name))
      .map((name) => `the header ${name} is not declared`),
    ...[...new Set(reply.headers.map(([name]) => name))]
      .filter((name) => name !== 'set-cookie' && name !== 'www-authenticate' && valuesOf(reply, name).length > 1)
      .map((name) => `the header ${name} is there twice`),
  ];
}

// RFC 8259 defines no parameter of application/json.
function judgeMediaType(one: Case, reply: WireReply, expected: Reply | undefined): string[] {
  const types = valuesOf(reply, 'content-type');
  const wanted = one.request.method === 'HEAD' && types.length === 0 ? undefined : expected?.mediaType;
  return types.join() === (wanted ?? '')
    ? []
    : [`the media type is ${types.join() || 'missing'}, not ${wanted ?? 'missing'}`];
}

function judgeDeclared({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, { isRequired, schema }]) => {
    const [value] = valuesOf(reply, name);
    if (value === undefined) return isRequired ? [`the header ${name} is missing`] : [];
    const json = readHeader(schema, value);
    const wrong = schema.places.flatMap(({ pointer }) => validate(pointer, json));
    return wrong.map((problem) => `the header ${name}: ${problem}`);
  });
}

/** The value that the text of a header has by its schema. */
export function readHeader(schema: Schema, text: string): Json {
  const types = typesOf(schema);
  const token = types.has('string') ? /^$/ : types.has('number') ? FRACTION : types.has('integer') ? INTEGER : /^$/;
  if (text !== '' && token.test(text)) return readNumber(text);
  return types.has('boolean') && !types.has('string') && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FRACTION = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

// RFC 9110 section 10.2.1.
function judgeAllow({ allow = [] }: Case, reply: WireReply): string[] {
  const listed = valuesOf(reply, 'allow')
    .join()
    .split(',')
    .map((method) => method.trim());
  const isExact = listed.length === allow.length && allow.every((method) => listed.includes(method));
  return isExact ? [] : [`Allow is ${listed.join(', ') || 'missing'}, not ${allow.join(', ')}`];
}
