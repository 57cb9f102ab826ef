import type { Server } from 'node:http';
import { TOKEN } from '../../../../../tests/support/start-app';
import { toText } from '../../../src/wire/json';
import {
  atLevel,
  ofError,
  ofReply,
  ofStatus,
  onObject,
  onText,
  success,
  withHeader,
  withMembers,
  withStatus,
  type Fault,
  type SentReply,
} from './fault';

const ERRORS = [400, 401, 404, 405, 500, 503];
const BYTE_ORDER_MARK = onText((text) => `\ufeff${text}`);

/** What is sent with any plant, or with any reply. */
export const replyFaults: readonly Fault[] = [
  ...[201, 202, 203, 206].map((status) => ofStatus(`a success is ${String(status)}`, [200], withStatus(status))),
  ofStatus('a success is 204 without a body', [200], empty(204)),
  ofStatus('a success has an empty body', [200], empty(200)),
  ofReply('the media type is text/html', withHeader('Content-Type', 'text/html')),
  ofReply('the media type is missing', withHeader('Content-Type', undefined)),
  ofStatus('errors are application/problem+json', ERRORS, withHeader('Content-Type', 'application/problem+json')),
  ofReply('a byte order mark comes first', BYTE_ORDER_MARK),
  ofReply('the body is Latin-1', encoded('latin1')),
  ofReply('the body is UTF-16', encoded('utf16le')),
  ...(
    [
      ['the body has a comma at its end', (text) => text.replace(/}$/, ',}')],
      ['the body has garbage behind it', (text) => `${text}\n// x`],
      ['the body is cut', (text) => text.slice(0, -1)],
      ['the body has a name twice', (text) => text.replace(/^{("\w+":[^,}]+)/, '{$1,$1')],
      ['the guard of Angular comes first', (text) => `)]}',\n${text}`],
    ] satisfies [string, (text: string) => string][]
  ).map(([name, change]) => ofReply(name, onText(change))),
  ofReply('Content-Length is one too small', framed(-1)),
  ofReply('Content-Length is one too large', framed(1)),
  ofReply('a reply to HEAD is framed twice', (reply, { method }) =>
    method === 'HEAD' ? { ...withHeader('Transfer-Encoding', 'chunked')(reply), isFramed: true } : reply,
  ),
  // OpenAPI lets a reply have a property, a header or a status more.
  ...atLevel('strict', [
    ofStatus('a success is 302', [200], withStatus(302)),
    ofReply('the media type has a charset', withHeader('Content-Type', 'application/json; charset=utf-8')),
    ofReply('X-Powered-By is sent', withHeader('X-Powered-By', 'Express')),
    ofReply('a header is sent that is not declared', withHeader('X-Response-Time', '1ms')),
    ofReply('a cookie is set', withHeader('Set-Cookie', 'session=1')),
    ofReply('the body has a property more', withMembers({ version: 1n })),
  ]),
];

function empty(status: number): (reply: SentReply) => SentReply {
  return ({ headers }) => ({
    status,
    headers: headers.filter(([name]) => !/^content-/i.test(name)),
    body: Buffer.alloc(0),
    isFramed: status === 204,
  });
}

function encoded(encoding: BufferEncoding): (reply: SentReply) => SentReply {
  return (reply) => ({ ...reply, body: Buffer.from(reply.body.toString('utf8'), encoding) });
}

/** @param more than the length of the body */
function framed(more: number): (reply: SentReply) => SentReply {
  return (reply) => ({
    ...withHeader('Content-Length', String(reply.body.length + more))(reply),
    isFramed: true,
  });
}

/** Errors that are told in another way than the contract says. */
export const errorFaults: readonly Fault[] = [
  ofError('malformed JSON is 500', [40008], failed),
  ofError('invalid UTF-8 is 500', [40007], failed),
  ofStatus('a wrong request is 200', [400], withStatus(200)),
  ofStatus(
    'the error number is a text',
    ERRORS,
    onObject((body) => ({ ...body, error: toText(body['error']) })),
  ),
  ofStatus(
    'the error is missing',
    ERRORS,
    onObject(({ message = '' }) => ({ message })),
  ),
  ofStatus(
    'the message is missing',
    ERRORS,
    onObject(({ error = 0n }) => ({ error })),
  ),
  ofStatus('the message is null', ERRORS, withMembers({ message: null })),
  ofStatus('the message is a list', ERRORS, withMembers({ message: [] })),
  ofStatus('405 has no Allow', [405], withHeader('Allow', undefined)),
  ofStatus('500 has no body', [500], withBody('')),
  ofStatus('500 is a page', [500], page),
  ofStatus('a failure is 503', [500], told(503, 50300n)),
  ofStatus('503 has no Retry-After', [503], withHeader('Retry-After', undefined)),
  ofStatus('Retry-After is a date', [503], withHeader('Retry-After', 'Thu, 29 Feb 2024 12:00:00 GMT')),
  ofStatus('Retry-After is negative', [503], withHeader('Retry-After', '-1')),
  ofStatus('errors have a byte order mark', ERRORS, BYTE_ORDER_MARK),
  // Which 4xx it is, and what it says, is for a server to choose.
  ...atLevel('strict', [
    ofStatus('a wrong request is 422', [400], withStatus(422)),
    ofError('a body that does not fit is 422', [40009], withStatus(422)),
    ofError('a wrong media type is 415', [40005], withStatus(415)),
    ofError('a wrong coding is 415', [40006], withStatus(415)),
    ofError('a body too large is 413', [40004], withStatus(413)),
    { ...ofError('what the parser refuses is 431', [40001], withStatus(431)), server: rawStatus(431) },
    ofError('malformed JSON is told as a body that does not fit', [40008], numbered(40009n)),
    ofError('a missing body is told as malformed JSON', [40003], numbered(40008n)),
    ofError('a wrong query is let pass as a success', [40010], succeeded),
    ofStatus('the error number is always the same', [400], numbered(40000n)),
    ofStatus('the error number is of no catalogue', [400], numbered(40099n)),
    ofStatus('the error number is of another status', [400], numbered(50000n)),
    ofStatus('the error number is the status', ERRORS, numbered(400n)),
    ofStatus('404 has no body', [404], withBody('')),
    ofStatus('404 is a page', [404], page),
    ofStatus('404 is told as 400', [404], told(400, 40000n)),
    ofStatus('405 is told as 404', [405], told(404, 40400n)),
    ofStatus('405 is told as 501', [405], withStatus(501)),
    ofStatus('405 has an empty Allow', [405], withHeader('Allow', '')),
    ofStatus('Allow lists a method too many', [405], withHeader('Allow', 'GET, POST')),
    ofStatus('Allow lists another method', [405], withHeader('Allow', 'GET')),
    ofStatus('Allow is in lower case', [405], withHeader('Allow', 'post')),
    ofReply('every reply has Allow', withHeader('Allow', 'POST')),
    ofStatus('an error has details', [400], withMembers({ details: [] })),
  ]),
  // What a failure says, and what becomes of it, no standard tells.
  ...atLevel('strict', [
    ofStatus('a failure has its stack beside the message', [500], withMembers({ stack: 'x' })),
    message('a stack is in the message', 'Error: x\n    at serve (/srv/app/dist/chain.js:10:5)', ERRORS),
    message('a stack is in the message of a failure', 'TypeError: x\n    at add (node:internal/x:1:1)', [500]),
    message('a path of the disk is in the message', 'cannot write /var/lib/plants/plants.db', [503]),
    message('the words of the database are in the message', 'SQLITE_BUSY: database is locked', [503]),
    message('a query is in the message', 'INSERT INTO plants failed', [500]),
    message('the token is in the message', `the token ${TOKEN} may not do this`, [400]),
    ofStatus('a failure is 502', [500], withStatus(502)),
    ofStatus('a store that is away is 500', [503], failed),
    ofStatus('a store that is away is 200', [503], succeeded),
    ofStatus('a failure is 200', [500], succeeded),
  ]),
];

function message(name: string, text: string, statuses: readonly number[]): Fault {
  return ofStatus(name, statuses, withMembers({ message: text }));
}

function withBody(text: string): (reply: SentReply) => SentReply {
  return (reply) => ({ ...reply, body: Buffer.from(text) });
}

function page(reply: SentReply): SentReply {
  const html = '<!DOCTYPE html><title>Not Found</title><pre>Cannot GET</pre>';
  return withHeader('Content-Type', 'text/html; charset=utf-8')(withBody(html)(reply));
}

function numbered(error: bigint): (reply: SentReply) => SentReply {
  return withMembers({ error });
}

function told(status: number, error: bigint): (reply: SentReply) => SentReply {
  return (reply) => ({ ...numbered(error)(reply), status });
}

function failed(reply: SentReply): SentReply {
  return told(500, 50000n)(withHeader('Retry-After', undefined)(reply));
}

function succeeded(reply: SentReply): SentReply {
  const { headers } = withHeader('Retry-After', undefined)(reply);
  return { ...success('{"name":"conformance","tag":"conformance"}')(reply), headers };
}

// What the parser refuses never becomes a request.
function rawStatus(status: number): (server: Server) => void {
  return (server) => {
    server.prependListener('clientError', (_error: Error, socket) => {
      const end = socket.end.bind(socket);
      const change = (text: string): string => text.replace(/^HTTP\/1.1 \d+/, `HTTP/1.1 ${String(status)}`);
      socket.end = ((text?: string) => (text === undefined ? end() : end(change(text)))) as typeof socket.end;
    });
  };
}
