import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { valuesOf, type WireReply } from '../wire/reply';
import { judgeChallenge } from './challenge';
import { readHeader } from './header-value';
import type { Oracle } from './oracle';

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

// RFC 8259 defines no parameter of application/json; a text may say that it is UTF-8 (RFC 2046 section 4.1.2).
function judgeMediaType(one: Case, reply: WireReply, expected: Reply | undefined): string[] {
  const types = valuesOf(reply, 'content-type');
  const type = types.join();
  const contents = expected?.contents ?? [];
  if (types.length === 0 && (contents.length === 0 || one.request.method === 'HEAD')) return [];
  const wanted = contents.flatMap(({ mediaType, kind }) =>
    kind === 'text' ? [mediaType, `${mediaType}; charset=utf-8`] : [mediaType],
  );
  const words = contents.map(({ mediaType }) => mediaType).join(' or ') || 'missing';
  return wanted.includes(type) ? [] : [`the media type is ${type || 'missing'}, not ${words}`];
}

function judgeDeclared({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, header]) => {
    const [value] = valuesOf(reply, name);
    if (value === undefined) return header.isRequired ? [`the header ${name} is missing`] : [];
    const json = readHeader(header, value);
    if (json === undefined) return [`the header ${name} is not written in its style`];
    const wrong = header.schema.places.flatMap(({ pointer }) => validate(pointer, json));
    return wrong.map((problem) => `the header ${name}: ${problem}`);
  });
}

// RFC 9110 section 10.2.1.
function judgeAllow({ allow = [] }: Case, reply: WireReply): string[] {
  const listed = valuesOf(reply, 'allow')
    .join()
    .split(',')
    .map((method) => method.trim());
  const isExact = listed.length === allow.length && allow.every((method) => listed.includes(method));
  return isExact ? [] : [`Allow is ${listed.join(', ') || 'missing'}, not ${allow.join(', ')}`];
}
