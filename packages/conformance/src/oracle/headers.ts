// Judges the headers of a reply.
import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { essenceOf } from '../contract/media-type';
import { valuesOf, type WireReply } from '../wire/reply';
import { findContent } from '../wire/content';
import { judgeBySchema } from './body';
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
const SINGLE_VALUED: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-location', 'content-range', 'date', 'etag', 'last-modified'],
  ...['location', 'retry-after', 'server'],
]);
// Each value of these may have commas of its own, so that several lines are usual.
const SEVERAL_LINES_USUAL: ReadonlySet<string> = new Set(['set-cookie', 'www-authenticate']);

// RFC 9110: headers that any reply, or a reply of one status, may have. Coverage lists them all the same.
const FOR_ANY_STATUS = ['etag', 'last-modified', 'accept-ranges'];
const FOR_STATUS: Readonly<Record<number, readonly string[]>> = {
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

export function judgeHeaders(oracle: Oracle, operation: Operation, testCase: Case, replies: Replies): Finding[] {
  const { reply, declared, expected } = replies;
  const repeated = [...new Set(reply.headers.map(([name]) => name))].filter(
    (name) => valuesOf(reply, name).length > 1 && !SEVERAL_LINES_USUAL.has(name),
  );
  return [
    // What HTTP allows, but few clients expect.
    ...toFindings('message form', reply.oddities ?? []),
    ...toFindings('no length', hasLength(testCase, reply) ? [] : ['there is neither a Content-Length nor a chunk']),
    ...judgeMediaType(testCase, reply, expected),
    ...toFindings('header', judgeDeclaredHeaders(oracle, reply, declared)),
    ...(reply.status === 405 ? judgeAllow(testCase, reply) : []),
    ...(reply.status === 401 ? judgeChallenge(operation, testCase, reply) : []),
    ...(reply.status === 403 && testCase.expect === 'insufficient scope' ? judgeScopeChallenge(reply) : []),
    ...toFindings(
      'header undeclared',
      undeclaredHeaders(oracle, reply, declared).map((name) => `the header ${name} is not declared`),
    ),
    ...repeated.map((name): Finding => ({
      check: SINGLE_VALUED.has(name) ? 'header repeated' : 'header twice',
      text: `the header ${name} is there twice`,
    })),
  ];
}

function undeclaredHeaders({ headers: ofMiddleware }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  const ofHttp = [...INFRASTRUCTURE, ...FOR_ANY_STATUS, ...(FOR_STATUS[reply.status] ?? [])];
  return reply.headers
    .map(([name]) => name)
    .filter((name) => !ofHttp.includes(name) && !ofMiddleware.has(name) && !declared?.headers.has(name));
}

// Without a length a reply ends with the connection, and may be cut off unnoticed.
function hasLength({ request: { method } }: Case, reply: WireReply): boolean {
  if (method === 'HEAD' || [204, 304].includes(reply.status)) return true;
  return reply.headers.some(([name]) => name === 'content-length' || name === 'transfer-encoding');
}

// RFC 8259 defines no parameter of application/json, but a text may name its charset.
function judgeMediaType(testCase: Case, reply: WireReply, expected: Reply | undefined): Finding[] {
  const types = valuesOf(reply, 'content-type');
  const type = types.join();
  const contents = expected?.contents ?? [];
  if (types.length === 0 && (contents.length === 0 || testCase.request.method === 'HEAD')) return [];
  const content = findContent(contents, type);
  // A declared range such as image/* allows each of its types; a reply must not send the range itself.
  const exactType = content?.mediaType.endsWith('/*') === true ? essenceOf(type) : content?.mediaType;
  // RFC 2046 section 4.1.2.
  const isTextWithCharset = content?.kind === 'text' && type === `${String(exactType)}; charset=utf-8`;
  if (!type.includes('*') && (type === exactType || isTextWithCharset)) return [];
  const declaredTypes = contents.map(({ mediaType }) => mediaType).join(' or ') || 'missing';
  // Where no type is declared, none is wrong.
  const isDeclared = contents.length === 0 || content !== undefined;
  return toFindings(isDeclared ? 'media type exact' : 'media type', [
    `the media type is ${type || 'missing'}, not ${declaredTypes}`,
  ]);
}

function judgeDeclaredHeaders({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, header]) => {
    // The suite cannot read its style.
    if (header.untriable) return [];
    const [text] = valuesOf(reply, name);
    if (text === undefined) return header.isRequired ? [`the header ${name} is missing`] : [];
    const value = readHeader(header, text);
    if (value === undefined) return [`the header ${name} is not written in its style`];
    return judgeBySchema(validate, header.schema, value).map((problem) => `the header ${name}: ${problem}`);
  });
}

/** Checks that a 405 has Allow (`allow`), and that it lists exactly the declared methods (RFC 9110 section 10.2.1). */
function judgeAllow({ allow: declaredMethods = [] }: Case, reply: WireReply): Finding[] {
  const values = valuesOf(reply, 'allow');
  const listed = values
    .join()
    .split(',')
    .map((method) => method.trim());
  const isExact =
    listed.length === declaredMethods.length && declaredMethods.every((method) => listed.includes(method));
  if (isExact) return [];
  const text = `Allow is ${listed.join(', ') || 'missing'}, not ${declaredMethods.join(', ')}`;
  return toFindings(values.length === 0 ? 'allow' : 'allow exact', [text]);
}
