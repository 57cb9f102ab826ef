import type { IncomingMessage } from 'node:http';
import { TOKEN } from '../../../../../tests/support/start-app';
import { atLevel, ofHead, ofReply, ofStatus, success, withHeader, withStatus, type Fault } from './fault';

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
  // OpenAPI forbids no other path, query or method.
  ...atLevel('strict', [
    rewriting('a slash at the end is ignored', (url) => url.replace(/\/$/, '')),
    rewriting('paths have no case', (url) => url.toLowerCase()),
    rewriting('what follows the path is ignored', (url) => (url.startsWith(PATH) ? PATH : url)),
    rewriting('what follows a semicolon is ignored', (url) => url.replace(/;.*$/, '')),
    rewriting('an extension is ignored', (url) => url.replace(/\.json$/, '')),
    rewriting('an encoded slash is a slash at the end', (url) => url.replace(/%2F$/, '')),
    rewriting('an encoded NUL ends the path', (url) => url.replace(/%00.*$/, '')),
    rewriting('a malformed encoding is dropped', (url) => url.replace(/%zz$/, '')),
    rewriting('a path may be a sign short', (url) => url.replace(/^\/plant$/, PATH)),
    rewriting('every path is the right one', (url) => url.replace(/^\/no\/such\/path$/, PATH)),
    rewriting('an unknown query is ignored', (url) => url.replace(/\?.*$/, '')),
    rewriting('an unknown query without a value is ignored', (url) => url.replace(/\?undeclared$/, '')),
    rewriting('an encoded query is ignored', (url) => url.replace(/\?%.*$/, '')),
    rewriting('a query is read up to its thousandth part', (url) => url.replace(/(\?(?:&){1000}).*$/, '$1')),
    asPost('PUT is POST', (method) => method === 'PUT'),
    asPost('GET is POST', (method) => method === 'GET'),
    asPost('HEAD is served', (method) => method === 'HEAD'),
    asPost('every method is POST', () => true),
    ofMethod('OPTIONS is answered with 204', 'OPTIONS', 204),
  ]),
  // Which 4xx it is, is for a server to choose.
  ...atLevel('strict', [ofMethod('TRACE is 501', 'TRACE', 501), ofMethod('PATCH is 400', 'PATCH', 400)]),
];

function rewriting(name: string, change: (url: string) => string): Fault {
  return ofHead(name, (req) => {
    req.url = change(String(req.url));
  });
}

function asPost(name: string, isServed: (method: string) => boolean): Fault {
  const head = ofHead(name, (req) => {
    if (isServed(String(req.method))) req.method = 'POST';
  });
  // What has no body cannot be created.
  const create = success('{"name":"a"}');
  return { ...head, reply: (reply, { method }) => (method !== 'POST' && reply.status === 400 ? create(reply) : reply) };
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
  // Which 4xx it is, and which headers it has, is for a server to choose.
  ...atLevel('strict', [
    ofStatus('401 is told as 403', [401], withStatus(403)),
    ofStatus('401 is told as 400', [401], withStatus(400)),
    ofStatus('the token is sent back in a header', [200], withHeader('X-Request-Id', TOKEN)),
  ]),
  // RFC 9110 and RFC 6750 leave it open, or say SHOULD.
  ...atLevel('strict', [
    ofValue('a tab counts as a space', (value) => value === `Bearer\t${TOKEN}`),
    ofValue(
      'of two Authorizations the last counts',
      (value) => value.includes(',') && value.endsWith(`Bearer ${TOKEN}`),
    ),
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
