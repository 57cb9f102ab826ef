import type { IncomingMessage } from 'node:http';
import { TOKEN } from '@contract-kit/test-support/start-app';
import {
  atLevel,
  ofHead,
  ofReply,
  ofStatus,
  withHeader,
  withStatus,
  type Fault,
  withMembers,
  type SentReply,
} from './fault';

const PATH = '/plants';

/** Targets and methods that lead where they should not, or not where they should. */
export const routeFaults: readonly Fault[] = [
  rewriting('two slashes are one', (url) => url.replaceAll('//', '/')),
  rewriting('a target in absolute form is no path', (url) => (url.startsWith('http') ? '/' : url)),
  ofHead('a header that is not declared is refused', (req) => {
    if (req.headers['x-undeclared'] !== undefined) req.url = `${PATH}?x`;
  }),
  ofMethod('OPTIONS is 401', 'OPTIONS', 401),
  ofStatus('an unknown path is 405', [404], withStatus(405)),
];

function rewriting(name: string, change: (url: string) => string): Fault {
  return ofHead(name, (req) => {
    req.url = change(String(req.url));
  });
}

function ofMethod(name: string, method: string, status: number): Fault {
  return ofReply(name, (reply, request) => (request.method === method ? { ...reply, status } : reply));
}

/** Credentials that count and should not, the other way round, and what is said of them. */
export const credentialFaults: readonly Fault[] = [
  authorizing('nobody needs credentials', () => true),
  accepting('any token is accepted', (token) => token !== undefined),
  accepting('any token of the right length is accepted', (token) => token?.length === TOKEN.length),
  accepting('a token without its last sign is accepted', (token) => token === TOKEN.slice(0, -1)),
  accepting('a token without its first sign is accepted', (token) => token === TOKEN.slice(1)),
  accepting('a token that begins right is accepted', (token) => token?.startsWith(TOKEN) === true),
  accepting('a token that ends right is accepted', (token) => token?.endsWith(TOKEN) === true),
  accepting('tokens have no case', (token) => token?.toLowerCase() === TOKEN.toLowerCase()),
  ofValue('a quoted token is accepted', (value) => value === `Bearer "${TOKEN}"`),
  ofValue('a comma behind the token is ignored', (value) => value === `Bearer ${TOKEN},`),
  ofValue('a parameter behind the token is ignored', (value) => /^Bearer \S+ x=1$/.test(value)),
  ofValue('the token without a scheme is accepted', (value) => value === TOKEN),
  ofValue('the scheme Basic is accepted', (value) => value.startsWith('Basic ')),
  ofValue('any scheme is accepted', (value) => value.startsWith('Wonder ')),
  ofValue('a scheme that ends in Bearer is accepted', (value) => value.startsWith('XBearer ')),
  ofValue('a scheme that begins with Bearer is accepted', (value) => value.startsWith('BearerX ')),
  ofValue('an empty Authorization is accepted', (value) => value === ''),
  ofValue('one right header of two is enough', (value) =>
    value.split(',').some((one) => one.trim() === `Bearer ${TOKEN}`),
  ),
  { name: 'of two Authorizations the first counts', parts: { http: { joinDuplicateHeaders: false } } },
  ofHead('the scheme has a case', ({ headers }) => {
    if (/^(?:bearer|BEARER) /.test(headers.authorization ?? '')) delete headers.authorization;
  }),
  authorizing('a token in the query is accepted', (req) => {
    const [path = '', query = ''] = String(req.url).split('?access_token=', 2);
    const isRight = decodeURIComponent(query) === TOKEN;
    if (isRight) req.url = path;
    return isRight;
  }),
  authorizing('a token in a cookie is accepted', ({ headers }) => headers.cookie?.includes(TOKEN) === true),
  authorizing('a token in another header is accepted', ({ headers }) => headers['x-authorization'] !== undefined),
  ofStatus('401 has no challenge', [401], withHeader('WWW-Authenticate', undefined)),
  challenging('a challenge has no parameter', () => 'Bearer'),
  challenging('a challenge is of another scheme', () => 'Basic realm="Plant Store"'),
  challenging('a challenge is not quoted', (value) => value.replaceAll('"', '')),
  challenging('a challenge lacks its last quote', (value) => value.replace(/"$/, '')),
  // RFC 9110 11.4, RFC 6750 3.1: SHOULD.
  ...atLevel('robust', [
    ofStatus('401 is told as 403', [401], withStatus(403)),
    ofStatus('401 is told as 400', [401], withStatus(400)),
    challenging('a challenge never says what is wrong', () => 'Bearer realm="Plant Store"'),
    challenging('a challenge always says invalid_token', () => 'Bearer realm="Plant Store", error="invalid_token"'),
    challenging('a challenge says invalid_request', (value) => value.replace('invalid_token', 'invalid_request')),
  ]),
];

/** Requests that get the right credentials. */
function authorizing(name: string, isAccepted: (req: IncomingMessage) => boolean): Fault {
  return ofHead(name, (req) => {
    if (isAccepted(req)) req.headers.authorization = `Bearer ${TOKEN}`;
  });
}

function ofValue(name: string, isAccepted: (value: string) => boolean): Fault {
  return authorizing(name, ({ headers }) => isAccepted(headers.authorization ?? '-'));
}

function accepting(name: string, isAccepted: (token: string | undefined) => boolean): Fault {
  return ofValue(name, (value) => isAccepted(/^Bearer ([\w.~+/=-]+)$/i.exec(value)?.[1]));
}

function challenging(name: string, change: (value: string) => string): Fault {
  return ofStatus(name, [401], (reply) => {
    const [, value = ''] = reply.headers.find(([header]) => header === 'WWW-Authenticate') ?? [];
    return withHeader('WWW-Authenticate', change(value))(reply);
  });
}

/** Replies that differ in more than the one thing that `reply-mutants.ts` alters, or in how they are framed. */
export const replyFaults: readonly Fault[] = [
  ofStatus('a success is 204 without a body', [200], ({ headers }) => ({
    ...{ status: 204, headers: headers.filter(([name]) => !/^content-/i.test(name)) },
    ...{ body: Buffer.alloc(0), isFramed: true },
  })),
  ofReply('Content-Length is one too small', framed(-1)),
  ofReply('Content-Length is one too large', framed(1)),
  ofReply('a reply to HEAD is framed twice', (reply, { method }) =>
    method === 'HEAD' ? { ...withHeader('Transfer-Encoding', 'chunked')(reply), isFramed: true } : reply,
  ),
  ofStatus('a failure is 503', [500], told(503, 50300n)),
];

/** @param more than the length of the body */
function framed(more: number): (reply: SentReply) => SentReply {
  return (reply) => ({
    ...withHeader('Content-Length', String(reply.body.length + more))(reply),
    isFramed: true,
  });
}

function told(status: number, error: bigint): (reply: SentReply) => SentReply {
  return (reply) => ({ ...withMembers({ error })(reply), status });
}
