import type { IncomingMessage } from 'node:http';
import { onStatus, withHeader, withStatus, type Fault } from './fault';
import { TOKEN } from '../../../../../tests/support/start-app';

const PATH = '/plants';

function rewriting(name: string, change: (url: string) => string): Fault {
  return {
    name,
    head: (req) => {
      req.url = change(String(req.url));
      return true;
    },
  };
}

function method(name: string, isServed: (req: IncomingMessage) => boolean): Fault {
  return {
    name,
    head: (req) => {
      if (!isServed(req)) return true;
      req.method = 'POST';
      return true;
    },
    // What has no body cannot be created.
    reply: (reply, { method: asked }) =>
      asked !== 'POST' && reply.status === 400
        ? { status: 200, headers: [['Content-Type', 'application/json']], body: Buffer.from('{"name":"a"}') }
        : reply,
  };
}

/** Targets and methods that lead where they should not, or not where they should. */
export const routeFaults: readonly Fault[] = [
  rewriting('a slash at the end is ignored', (url) => url.replace(/\/$/, '')),
  rewriting('paths have no case', (url) => url.toLowerCase()),
  rewriting('two slashes are one', (url) => url.replaceAll('//', '/')),
  rewriting('what follows the path is ignored', (url) => (url.startsWith(PATH) ? PATH : url)),
  rewriting('what follows a semicolon is ignored', (url) => url.replace(/;.*$/, '')),
  rewriting('an extension is ignored', (url) => url.replace(/\.json$/, '')),
  rewriting('an encoded slash is a slash at the end', (url) => url.replace(/%2F$/, '')),
  rewriting('an encoded NUL ends the path', (url) => url.replace(/%00.*$/, '')),
  rewriting('a malformed encoding is dropped', (url) => url.replace(/%zz$/, '')),
  rewriting('a path may be a sign short', (url) => url.replace(/^\/plant$/, PATH)),
  rewriting('every path is the right one', (url) => url.replace(/^\/no\/such\/path$/, PATH)),
  rewriting('a target in absolute form is no path', (url) => (url.startsWith('http') ? '/' : url)),
  rewriting('an unknown query is ignored', (url) => url.replace(/\?.*$/, '')),
  rewriting('an unknown query without a value is ignored', (url) => url.replace(/\?undeclared$/, '')),
  rewriting('an encoded query is ignored', (url) => url.replace(/\?%.*$/, '')),
  rewriting('a query is read up to its thousandth part', (url) => url.replace(/(\?(?:&){1000}).*$/, '$1')),
  {
    name: 'a header that is not declared is refused',
    head: (req) => {
      if (req.headers['x-undeclared'] !== undefined) req.url = `${PATH}?x`;
      return true;
    },
  },
  method('PUT is POST', ({ method: one }) => one === 'PUT'),
  method('GET is POST', ({ method: one }) => one === 'GET'),
  method('HEAD is served', ({ method: one }) => one === 'HEAD'),
  method('every method is POST', () => true),
  answering('OPTIONS is answered with 204', 'OPTIONS', 204),
  answering('OPTIONS is 401', 'OPTIONS', 401),
  answering('TRACE is 501', 'TRACE', 501),
  answering('PATCH is 400', 'PATCH', 400),
  { name: 'an unknown path is 405', reply: (reply) => (reply.status === 404 ? { ...reply, status: 405 } : reply) },
];

function answering(name: string, method_: string, status: number): Fault {
  return { name, reply: (reply, { method: asked }) => (asked === method_ ? { ...reply, status } : reply) };
}

/** Credentials that count and should not, the other way round, and what is said of them. */
export const credentialFaults: readonly Fault[] = [
  { name: 'nobody needs credentials', head: always },
  accepting('any token is accepted', (token) => token !== undefined),
  accepting('any token of the right length is accepted', (token) => token?.length === TOKEN.length),
  accepting('a token without its last sign is accepted', (token) => token === TOKEN.slice(0, -1)),
  accepting('a token without its first sign is accepted', (token) => token === TOKEN.slice(1)),
  accepting('a token that begins right is accepted', (token) => token?.startsWith(TOKEN) === true),
  accepting('a token that ends right is accepted', (token) => token?.endsWith(TOKEN) === true),
  accepting('tokens have no case', (token) => token?.toLowerCase() === TOKEN.toLowerCase()),
  authorized('a quoted token is accepted', (value) => value === `Bearer "${TOKEN}"`),
  authorized('a comma behind the token is ignored', (value) => value === `Bearer ${TOKEN},`),
  authorized('a parameter behind the token is ignored', (value) => /^Bearer \S+ x=1$/.test(value)),
  authorized('a tab counts as a space', (value) => value === `Bearer\t${TOKEN}`),
  authorized('the token without a scheme is accepted', (value) => value === TOKEN),
  authorized('the scheme Basic is accepted', (value) => value.startsWith('Basic ')),
  authorized('any scheme is accepted', (value) => value.startsWith('Wonder ')),
  authorized('a scheme that ends in Bearer is accepted', (value) => value.startsWith('XBearer ')),
  authorized('a scheme that begins with Bearer is accepted', (value) => value.startsWith('BearerX ')),
  authorized('an empty Authorization is accepted', (value) => value === ''),
  authorized('one right header of two is enough', (value) =>
    value.split(',').some((one) => one.trim() === `Bearer ${TOKEN}`),
  ),
  { name: 'of two Authorizations the first counts', parts: { http: { joinDuplicateHeaders: false } } },
  authorized(
    'of two Authorizations the last counts',
    (value) => value.includes(',') && value.endsWith(`Bearer ${TOKEN}`),
  ),
  {
    name: 'the scheme has a case',
    head: ({ headers }) => {
      if (/^(?:bearer|BEARER) /.test(headers.authorization ?? '')) delete headers.authorization;
      return true;
    },
  },
  {
    name: 'a token in the query is accepted',
    head: (req) => {
      const [path = '', query = ''] = String(req.url).split('?access_token=', 2);
      if (decodeURIComponent(query) === TOKEN) {
        req.url = path;
        always(req);
      }
      return true;
    },
  },
  {
    name: 'a token in a cookie is accepted',
    head: (req) => (req.headers.cookie?.includes(TOKEN) === true ? always(req) : true),
  },
  {
    name: 'a token in another header is accepted',
    head: (req) => (req.headers['x-authorization'] === undefined ? true : always(req)),
  },
  { name: '401 is told as 403', reply: onStatus([401], withStatus(403)) },
  { name: '401 is told as 400', reply: onStatus([401], withStatus(400)) },
  { name: '401 has no challenge', reply: onStatus([401], withHeader('WWW-Authenticate', undefined)) },
  challenging('a challenge has no parameter', () => 'Bearer'),
  challenging('a challenge is of another scheme', () => 'Basic realm="Plant Store"'),
  challenging('a challenge never says what is wrong', () => 'Bearer realm="Plant Store"'),
  challenging('a challenge always says invalid_token', () => 'Bearer realm="Plant Store", error="invalid_token"'),
  challenging('a challenge says invalid_request', (value) => value.replace('invalid_token', 'invalid_request')),
  challenging('a challenge is not quoted', (value) => value.replaceAll('"', '')),
  challenging('a challenge lacks its last quote', (value) => value.replace(/"$/, '')),
  {
    name: 'the token is sent back in a header',
    reply: onStatus([200], withHeader('X-Request-Id', TOKEN)),
  },
];

function always(req: IncomingMessage): boolean {
  req.headers.authorization = `Bearer ${TOKEN}`;
  return true;
}

function authorized(name: string, isAccepted: (value: string) => boolean): Fault {
  return {
    name,
    head: (req) => (isAccepted(req.headers.authorization ?? '-') ? always(req) : true),
  };
}

function accepting(name: string, isAccepted: (token: string | undefined) => boolean): Fault {
  return authorized(name, (value) => isAccepted(/^Bearer ([\w.~+/=-]+)$/i.exec(value)?.[1]));
}

function challenging(name: string, change: (value: string) => string): Fault {
  return {
    name,
    reply: onStatus([401], (reply, request) => {
      const [, value = ''] = reply.headers.find(([header]) => header === 'WWW-Authenticate') ?? [];
      return withHeader('WWW-Authenticate', change(value))(reply, request);
    }),
  };
}
