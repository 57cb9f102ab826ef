// Judges the headers of a reply.
import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { essenceOf } from '../contract/media-type';
import { valuesOf, type WireReply } from '../wire/reply';
import { findContent } from '../wire/content';
import { judgeChallenge, judgeScopeChallenge } from './challenge';
import { toFindings, type Finding } from './checks';
import { readHeader } from './header-value';
import type { Oracle } from './oracle';

// Headers of the connection, of every message, and of proxies.
export const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'via', 'server', 'alt-svc'],
  ...['date', 'content-type', 'content-length', 'cache-control', 'vary', 'age', 'nel', 'report-to', 'server-timing'],
  ...['strict-transport-security', 'x-content-type-options', 'x-request-id', 'traceparent', 'tracestate'],
]);

// RFC 9110: the headers of a reply that have one value.
const SINGLE: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-location', 'content-range', 'date', 'etag', 'last-modified'],
  ...['location', 'retry-after', 'server'],
]);

// RFC 9110: headers that any reply, or a reply of one status, may have. Coverage lists them all the same.
const VALIDATORS = ['etag', 'last-modified', 'accept-ranges'];
const PROTOCOL: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  403: ['www-authenticate'],
  405: ['allow'],
  429: ['retry-after'],
  503: ['retry-after'],
};

interface Replies {
  readonly reply: WireReply;
  /** What the contract declares for the status. */
  readonly declared: Reply | undefined;
  /** The same, or else the error reply that 404 and 405 share. */
  readonly expected: Reply | undefined;
}

/** Judges the headers of a reply: framing, media type, declared headers, and those that HTTP requires. */
export function judgeHeaders(oracle: Oracle, operation: Operation, testCase: Case, replies: Replies): Finding[] {
  const { reply, declared, expected } = replies;
  const names = [...new Set(reply.headers.map(([name]) => name))];
  const repeated = names.filter((name) => valuesOf(reply, name).length > 1);
  const undeclared = reply.headers
    .map(([name]) => name)
    .filter((name) => !INFRASTRUCTURE.has(name) && !oracle.headers.has(name) && !declared?.headers.has(name))
    .filter((name) => ![...VALIDATORS, ...(PROTOCOL[reply.status] ?? [])].includes(name));
  return [
    ...toFindings('message form', reply.oddities ?? []),
    ...toFindings('no length', hasLength(testCase, reply) ? [] : ['there is neither a Content-Length nor a chunk']),
    ...judgeMediaType(testCase, reply, expected),
    ...toFindings('header', judgeDeclaredHeaders(oracle, reply, declared)),
    ...(reply.status === 405 ? judgeAllow(testCase, reply) : []),
    ...(reply.status === 401 ? judgeChallenge(operation, testCase, reply) : []),
    ...(reply.status === 403 && testCase.expect === 'insufficient scope' ? judgeScopeChallenge(reply) : []),
    ...toFindings(
      'header undeclared',
      undeclared.map((name) => `the header ${name} is not declared`),
    ),
    ...repeated
      .filter((name) => name !== 'set-cookie' && name !== 'www-authenticate')
      .map((name): Finding => ({
        check: SINGLE.has(name) ? 'header repeated' : 'header twice',
        text: `the header ${name} is there twice`,
      })),
  ];
}

// Whether the length of the reply is known before the connection ends; replies without a body need none.
function hasLength({ request: { method } }: Case, reply: WireReply): boolean {
  if (method === 'HEAD' || [204, 304].includes(reply.status)) return true;
  return reply.headers.some(([name]) => name === 'content-length' || name === 'transfer-encoding');
}

// RFC 8259 defines no parameter of application/json; a text may say that it is UTF-8 (RFC 2046 section 4.1.2).
function judgeMediaType(testCase: Case, reply: WireReply, expected: Reply | undefined): Finding[] {
  const types = valuesOf(reply, 'content-type');
  const type = types.join();
  const contents = expected?.contents ?? [];
  if (types.length === 0 && (contents.length === 0 || testCase.request.method === 'HEAD')) return [];
  const found = findContent(contents, type);
  // A declared range such as image/* allows each of its types; a reply must not send the range itself.
  const exact = found?.mediaType.endsWith('/*') === true ? essenceOf(type) : String(found?.mediaType);
  const isText = found?.kind === 'text' && type === `${exact}; charset=utf-8`;
  if (!type.includes('*') && (type === exact || isText)) return [];
  const words = contents.map((content) => content.mediaType).join(' or ') || 'missing';
  const isDeclared = contents.length === 0 || found !== undefined;
  return toFindings(isDeclared ? 'media type exact' : 'media type', [
    `the media type is ${type || 'missing'}, not ${words}`,
  ]);
}

function judgeDeclaredHeaders({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, header]) => {
    if (header.untriable) return [];
    const [value] = valuesOf(reply, name);
    if (value === undefined) return header.isRequired ? [`the header ${name} is missing`] : [];
    const json = readHeader(header, value);
    if (json === undefined) return [`the header ${name} is not written in its style`];
    const wrong = header.schema.places.flatMap(({ pointer }) => validate(pointer, json));
    return wrong.map((problem) => `the header ${name}: ${problem}`);
  });
}

// Checks that Allow lists exactly the declared methods (RFC 9110 section 10.2.1).
function judgeAllow({ allow = [] }: Case, reply: WireReply): Finding[] {
  const values = valuesOf(reply, 'allow');
  const listed = values
    .join()
    .split(',')
    .map((method) => method.trim());
  const isExact = listed.length === allow.length && allow.every((method) => listed.includes(method));
  if (isExact) return [];
  const text = `Allow is ${listed.join(', ') || 'missing'}, not ${allow.join(', ')}`;
  return toFindings(values.length === 0 ? 'allow' : 'allow exact', [text]);
}
