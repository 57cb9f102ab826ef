import type { IncomingMessage } from 'node:http';
import type { Fault } from './fault';

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
