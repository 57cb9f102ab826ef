import { onObject, onStatus, onText, withHeader, withStatus, onError, type Fault, type SentReply } from './fault';
import type { Server } from 'node:http';
import { TOKEN } from '../../../../../tests/support/start-app';
import { toText } from '../../../src/wire/json';

const ERRORS = [400, 401, 404, 405, 500, 503];

/** What is sent with any plant, or with any reply. */
export const replyFaults: readonly Fault[] = [
  ...[201, 202, 203, 206, 302].map((status): Fault => ({
    name: `a success is ${String(status)}`,
    reply: onStatus([200], withStatus(status)),
  })),
  { name: 'a success is 204 without a body', reply: onStatus([200], empty(204)) },
  { name: 'a success has an empty body', reply: onStatus([200], empty(200)) },
  { name: 'the media type has a charset', reply: withHeader('Content-Type', 'application/json; charset=utf-8') },
  { name: 'the media type is text/html', reply: withHeader('Content-Type', 'text/html') },
  { name: 'the media type is missing', reply: withHeader('Content-Type', undefined) },
  {
    name: 'errors are application/problem+json',
    reply: onStatus(ERRORS, withHeader('Content-Type', 'application/problem+json')),
  },
  { name: 'X-Powered-By is sent', reply: withHeader('X-Powered-By', 'Express') },
  { name: 'a header is sent that is not declared', reply: withHeader('X-Response-Time', '1ms') },
  { name: 'a cookie is set', reply: withHeader('Set-Cookie', 'session=1') },
  { name: 'an ETag is sent', reply: withHeader('ETag', 'W/"1"') },
  { name: 'any origin is allowed', reply: withHeader('Access-Control-Allow-Origin', '*') },
  { name: 'a byte order mark comes first', reply: onText((text) => `\ufeff${text}`) },
  {
    name: 'the body is Latin-1',
    reply: (reply) => ({ ...reply, body: Buffer.from(reply.body.toString('utf8'), 'latin1') }),
  },
  {
    name: 'the body is UTF-16',
    reply: (reply) => ({ ...reply, body: Buffer.from(reply.body.toString('utf8'), 'utf16le') }),
  },
  { name: 'the body has a comma at its end', reply: onText((text) => text.replace(/}$/, ',}')) },
  { name: 'the body has garbage behind it', reply: onText((text) => `${text}\n// x`) },
  { name: 'the body is cut', reply: onText((text) => text.slice(0, -1)) },
  { name: 'the body has a name twice', reply: onText((text) => text.replace(/^{("\w+":[^,}]+)/, '{$1,$1')) },
  { name: 'the guard of Angular comes first', reply: onText((text) => `)]}',\n${text}`) },
  { name: 'the body has a property more', reply: onObject((body) => ({ ...body, version: 1n })) },
  { name: 'Content-Length is one too small', reply: framed((length) => length - 1) },
  { name: 'Content-Length is one too large', reply: framed((length) => length + 1) },
  {
    name: 'a reply to HEAD is framed twice',
    reply: (reply, { method }) =>
      method === 'HEAD'
        ? { ...reply, isFramed: true, headers: [...reply.headers, ['Transfer-Encoding', 'chunked']] }
        : reply,
  },
];

function empty(status: number): (reply: SentReply) => SentReply {
  return ({ headers }) => ({
    status,
    headers: headers.filter(([name]) => !/^content-/i.test(name)),
    body: Buffer.alloc(0),
    isFramed: status === 204,
  });
}

function framed(change: (length: number) => number): (reply: SentReply) => SentReply {
  return (reply) => ({
    ...withHeader('Content-Length', String(change(reply.body.length)))(reply, {
      method: '',
      url: '',
      body: Buffer.alloc(0),
    }),
    isFramed: true,
  });
}

const HTML = Buffer.from('<!DOCTYPE html><title>Not Found</title><pre>Cannot GET</pre>');

function message(name: string, text: string, statuses: readonly number[] = ERRORS): Fault {
  return {
    name,
    reply: onStatus(
      statuses,
      onObject((body) => ({ ...body, message: text })),
    ),
  };
}

function page(reply: SentReply): SentReply {
  return {
    ...withHeader('Content-Type', 'text/html; charset=utf-8')(reply, { method: '', url: '', body: HTML }),
    body: HTML,
  };
}

/** Errors that are told in another way than the contract says. */
export const errorFaults: readonly Fault[] = [
  { name: 'a wrong request is 422', reply: onStatus([400], withStatus(422)) },
  { name: 'a body that does not fit is 422', reply: onError([40009], withStatus(422)) },
  { name: 'a wrong media type is 415', reply: onError([40005], withStatus(415)) },
  { name: 'a wrong coding is 415', reply: onError([40006], withStatus(415)) },
  { name: 'a body too large is 413', reply: onError([40004], withStatus(413)) },
  { name: 'what the parser refuses is 431', reply: onError([40001], withStatus(431)), server: rawStatus(431) },
  { name: 'malformed JSON is 500', reply: onError([40008], failed) },
  { name: 'invalid UTF-8 is 500', reply: onError([40007], failed) },
  { name: 'malformed JSON is told as a body that does not fit', reply: onError([40008], numbered(40009n)) },
  { name: 'a missing body is told as malformed JSON', reply: onError([40003], numbered(40008n)) },
  { name: 'a wrong request is 200', reply: onStatus([400], withStatus(200)) },
  { name: 'a wrong query is let pass as a success', reply: onError([40010], success) },
  { name: 'the error number is always the same', reply: onStatus([400], numbered(40000n)) },
  { name: 'the error number is of no catalogue', reply: onStatus([400], numbered(40099n)) },
  { name: 'the error number is of another status', reply: onStatus([400], numbered(50000n)) },
  {
    name: 'the error number is the status',
    reply: onStatus(
      ERRORS,
      onObject((body) => ({ ...body, error: 400n })),
    ),
  },
  {
    name: 'the error number is a text',
    reply: onStatus(
      ERRORS,
      onObject((body) => ({ ...body, error: toText(body['error']) })),
    ),
  },
  {
    name: 'the error is missing',
    reply: onStatus(
      ERRORS,
      onObject(({ message: text = '' }) => ({ message: text })),
    ),
  },
  {
    name: 'the message is missing',
    reply: onStatus(
      ERRORS,
      onObject(({ error = 0n }) => ({ error })),
    ),
  },
  {
    name: 'the message is null',
    reply: onStatus(
      ERRORS,
      onObject((body) => ({ ...body, message: null })),
    ),
  },
  {
    name: 'the message is a list',
    reply: onStatus(
      ERRORS,
      onObject((body) => ({ ...body, message: [] })),
    ),
  },
  {
    name: 'an error has details',
    reply: onStatus(
      [400],
      onObject((body) => ({ ...body, details: [] })),
    ),
  },
  {
    name: 'a failure has its stack beside the message',
    reply: onStatus(
      [500],
      onObject((body) => ({ ...body, stack: 'x' })),
    ),
  },
  message('a stack is in the message', 'Error: x\n    at serve (/srv/app/dist/chain.js:10:5)'),
  message('a stack is in the message of a failure', 'TypeError: x\n    at add (node:internal/x:1:1)', [500]),
  message('a path of the disk is in the message', 'cannot write /var/lib/plants/plants.db', [503]),
  message('the words of the database are in the message', 'SQLITE_BUSY: database is locked', [503]),
  message('a query is in the message', 'INSERT INTO plants failed', [500]),
  message('the token is in the message', `the token ${TOKEN} may not do this`, [400]),
  { name: '404 has no body', reply: onStatus([404], (reply) => ({ ...reply, body: Buffer.alloc(0) })) },
  { name: '404 is a page', reply: onStatus([404], page) },
  { name: '404 is told as 400', reply: onStatus([404], (reply) => ({ ...numbered(40000n)(reply), status: 400 })) },
  { name: '405 is told as 404', reply: onStatus([405], (reply) => ({ ...numbered(40400n)(reply), status: 404 })) },
  { name: '405 is told as 501', reply: onStatus([405], withStatus(501)) },
  { name: '405 has no Allow', reply: onStatus([405], withHeader('Allow', undefined)) },
  { name: '405 has an empty Allow', reply: onStatus([405], withHeader('Allow', '')) },
  { name: 'Allow lists a method too many', reply: onStatus([405], withHeader('Allow', 'GET, POST')) },
  { name: 'Allow lists another method', reply: onStatus([405], withHeader('Allow', 'GET')) },
  { name: 'Allow is in lower case', reply: onStatus([405], withHeader('Allow', 'post')) },
  { name: 'every reply has Allow', reply: withHeader('Allow', 'POST') },
  { name: '500 has no body', reply: onStatus([500], (reply) => ({ ...reply, body: Buffer.alloc(0) })) },
  { name: '500 is a page', reply: onStatus([500], page) },
  { name: 'a failure is 503', reply: onStatus([500], (reply) => ({ ...numbered(50300n)(reply), status: 503 })) },
  { name: 'a failure is 502', reply: onStatus([500], withStatus(502)) },
  { name: '503 has no Retry-After', reply: onStatus([503], withHeader('Retry-After', undefined)) },
  { name: 'Retry-After is a date', reply: onStatus([503], withHeader('Retry-After', 'Thu, 29 Feb 2024 12:00:00 GMT')) },
  { name: 'Retry-After is negative', reply: onStatus([503], withHeader('Retry-After', '-1')) },
  { name: 'a store that is away is 500', reply: onStatus([503], failed) },
  { name: 'a store that is away is 200', reply: onStatus([503], success) },
  { name: 'a failure is 200', reply: onStatus([500], success) },
  {
    name: 'errors have a byte order mark',
    reply: onStatus(
      ERRORS,
      onText((text) => `\ufeff${text}`),
    ),
  },
];

function numbered(error: bigint): (reply: SentReply) => SentReply {
  const change = onObject((body) => ({ ...body, error }));
  return (reply) => change(reply, { method: '', url: '', body: Buffer.alloc(0) });
}

function failed(reply: SentReply): SentReply {
  return { ...numbered(50000n)(reply), status: 500, headers: reply.headers.filter(([name]) => name !== 'Retry-After') };
}

function success(reply: SentReply): SentReply {
  const headers = reply.headers.filter(([name]) => name !== 'Retry-After');
  return { status: 200, headers, body: Buffer.from('{"name":"conformance","tag":"conformance"}') };
}

// What the parser refuses never becomes a request.
function rawStatus(status: number): (server: Server) => void {
  return (server) => {
    server.prependListener('clientError', (_error: Error, socket) => {
      const end = socket.end.bind(socket);
      socket.end = ((text?: string) =>
        text === undefined
          ? end()
          : end(text.replace(/^HTTP\/1.1 \d+/, `HTTP/1.1 ${String(status)}`))) as typeof socket.end;
    });
  };
}
