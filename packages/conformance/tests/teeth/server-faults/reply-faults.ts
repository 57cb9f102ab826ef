import { onObject, onStatus, onText, withHeader, withStatus } from './change-reply';
import type { Fault, SentReply } from './fault';

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
