import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadyRefusal } from '../errors/render';
import { connectionOf } from './connections';
import type { EventEmitter } from 'node:events';
import { NOSNIFF, reportFailure, requestIdOf } from './report';
import { failSpan } from './trace';

export type Headers = Readonly<Record<string, string>>;

/** The body of a reply in parts. */
export interface Parts {
  /** Returns undefined after the last part. */
  readonly next: () => string | Buffer | undefined | Promise<string | Buffer | undefined>;
  /** Whether each part is a whole item, so that a comment may be sent between two events. */
  readonly areItems: boolean;
  readonly close: () => void;
}

export interface EncodedReply {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type: string | undefined;
  /** The number of bytes of a stream, if that is known. */
  readonly length: number | undefined;
  readonly body: string | Buffer | Blob | Readable | Parts;
}

/** Writes a reply that was checked against the contract. Returns a promise for the end of a stream. */
export function writeReply(
  res: ServerResponse,
  status: number,
  { headers, type, body, length }: EncodedReply,
): Promise<void> | undefined {
  // RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5: these have no content, whatever the handler returned.
  if (status === 204 || status === 205 || status === 304) [type, body] = [undefined, ''];
  if (typeof body === 'object' && !Buffer.isBuffer(body)) {
    const [stream, size] = body instanceof Blob ? [Readable.fromWeb(body.stream()), body.size] : [body, length];
    const parts = stream instanceof Readable ? toParts(stream, size) : stream;
    return writeStream(res, status, headers, { type: String(type), length: size, parts });
  }
  setImmediate(write, res, status, body, [...headers, ...bodyHeaders(res.req, body, status, type)]);
  return undefined;
}

/** Writes a refusal, with further headers such as WWW-Authenticate, which replace declared ones of the same name. */
export function writeRefusal(
  res: ServerResponse,
  { status, type, bytes, headers: declared = [] }: ReadyRefusal,
  headers: Headers = {},
): void {
  const kept = declared.filter(([name]) => !Object.hasOwn(headers, name));
  const all = [...kept, ...Object.entries(headers), ...bodyHeaders(res.req, bytes, status, type)];
  setImmediate(write, res, status, bytes, all);
}

/** Writes a reply that belongs to no operation. Unlike the others, it does not add Content-Type and Content-Length. */
export function writeContent(res: ServerResponse, status: number, bytes: Buffer, headers: Headers): void {
  setImmediate(write, res, status, bytes, Object.entries(headers));
}

/** Writes a refusal to the socket, for a message for which node:http created no response, and ends the connection. */
export function writeRawRefusal(
  socket: Socket,
  { status, type, bytes }: Pick<ReadyRefusal, 'status' | 'type' | 'bytes'>,
  id: string,
): void {
  const head = [
    `HTTP/1.1 ${String(status)} ${String(STATUS_CODES[status])}`,
    // A refusal without content may be a reply to HEAD. It ends with the connection.
    ...bodyHeaders({ method: 'HEAD' }, bytes, status, type).map((header) => header.join(': ')),
    `X-Request-Id: ${id}`,
    NOSNIFF.join(': '),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  // RFC 9112 section 9.6: closing at once may lose the reply, so discard what the client still sends for a while.
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(bytes)}`).resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

// Called by setImmediate, because replies that are sent together are cheaper. By then, everything that came with the request is
// read, so if a client pipelines too many requests, its last reply can say that it is the last.
function write(res: ServerResponse, status: number, body: string | Buffer, headers: HeaderList): void {
  try {
    beginReply(res, status, headers)?.(body);
  } catch (cause) {
    // Middleware that waits for the head of a reply may fail, for example.
    reportFailure(res, cause);
    cutReply(res);
  }
}

function bodyHeaders(
  { method }: Pick<IncomingMessage, 'method'>,
  body: string | Buffer,
  status: number,
  type: string | undefined,
): HeaderList {
  // RFC 9110 section 8.6. In a 304 and a reply to HEAD, Content-Length is the length of another reply, which the handler knows.
  if (status === 204 || status === 304 || (method === 'HEAD' && type === undefined)) return [];
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const;
  return type === undefined ? [length] : [['Content-Type', type], length];
}

export function isEventStream(type: string | undefined): boolean {
  return /^text\/event-stream/i.test(String(type));
}

// Small items that are ready at the same time are sent together.
const BATCH_CHARACTERS = 16_384;
// How often a silent event stream gets a comment, so that proxies do not close it.
const COMMENT_MS = 15_000;

/**
 * Writes a reply part by part, as fast as its client reads. The head of an event stream is sent at once, and the stream ends
 * properly at a shutdown, so that its clients reconnect to another server. Any other head waits for the first part, so that an
 * error until then becomes a refusal.
 *
 * @throws Error of a later part, or when the length is wrong, after sending the parts before it and cutting the connection
 */
async function writeStream(
  res: ServerResponse,
  status: number,
  headers: HeaderList,
  { type, length, parts }: { readonly type: string; readonly length: number | undefined; readonly parts: Parts },
): Promise<void> {
  const isEvents = isEventStream(type);
  const connection = connectionOf(res.req.socket);
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let isStopped = false;
  let buffered = '';
  let isFlushPending = false;
  let isSilent = false;
  let timer: NodeJS.Timeout | undefined;
  function stop(): void {
    isStopped = true;
    resolve(undefined);
  }
  res.once('close', stop);
  if (isEvents) connection.streamEnders.add(stop);
  try {
    // By then, everything that came with the request is read. beginReply looks at what is left of it.
    await new Promise(setImmediate);
    const isUnread = res.req.method === 'HEAD' || res.closed;
    const first = isEvents || isUnread ? undefined : { part: await Promise.race([stopped, parts.next()]) };
    const end = beginReply(res, status, streamHeaders(res, headers, type, length));
    if (isEvents && end) res.flushHeaders();
    // The server may have begun to shut down before the stream was among `streamEnders`.
    if (isEvents && connection.isEnding) stop();
    if (end && !isUnread) {
      if (isEvents && parts.areItems) timer = setInterval(writeComment, COMMENT_MS).unref();
      await Promise.race([stopped, writeAll(first ? first.part : parts.next())]);
    }
    flush();
    if (!res.closed) end?.();
  } catch (cause) {
    if (res.headersSent) {
      flush();
      // Middleware that wraps res.write may not pass on a callback.
      await new Promise((sent) => ServerResponse.prototype.write.call(res.once('close', sent), '', 'latin1', sent));
      cutReply(res);
    }
    throw cause;
  } finally {
    clearInterval(timer);
    connection.streamEnders.delete(stop);
    parts.close();
  }

  async function writeAll(first: ReturnType<Parts['next']>): Promise<void> {
    for (let next = first; ; next = parts.next()) {
      const part = typeof next === 'object' && 'then' in next ? await next : next;
      if (part === undefined || isStopped) return;
      if (typeof part === 'string') buffered += part;
      else res.write(part);
      if (buffered.length >= BATCH_CHARACTERS) {
        flush();
        // Lets other requests have their turn.
        await new Promise(setImmediate);
      } else if (buffered !== '' && !isFlushPending) {
        isFlushPending = true;
        setImmediate(flush);
      }
      if (res.writableNeedDrain) await waitForDrain(res);
    }
  }

  function flush(): void {
    isFlushPending = false;
    if (buffered === '' || res.writableEnded || res.destroyed) return;
    res.write(buffered);
    buffered = '';
    isSilent = false;
  }

  function writeComment(): void {
    if (isSilent && !res.writableNeedDrain) buffered += ':\n\n';
    flush();
    isSilent = true;
  }
}

/** Closes the connection in the middle of a reply, so that no client takes it for complete. */
export function cutReply(res: ServerResponse): void {
  failSpan('aborted');
  const { httpVersion, socket } = res.req;
  // RFC 9112 section 8: a body that ends with its connection is complete unless that ends with an error. Only plain TCP has resets.
  if (httpVersion === '1.0' && socket.remoteAddress !== undefined && !('encrypted' in socket)) socket.resetAndDestroy();
  res.destroy();
}

// A cache cannot use an event stream, and `compression` and nginx would hold events back until their buffers are full.
const EVENT_HEADERS: HeaderList = [
  ['Cache-Control', 'no-store, no-transform'],
  ['X-Accel-Buffering', 'no'],
];

function streamHeaders(res: ServerResponse, headers: HeaderList, type: string, length: number | undefined): HeaderList {
  const names = new Set([...res.getHeaderNames(), ...headers.map(([name]) => name.toLowerCase())]);
  const eventHeaders = isEventStream(type) ? EVENT_HEADERS.filter(([name]) => !names.has(name.toLowerCase())) : [];
  return [...headers, ...eventHeaders, ['Content-Type', type], ...framingHeaders(res, length)];
}

// RFC 9112 section 6.1: HTTP/1.0 has no chunks, so its body ends with the connection.
function framingHeaders({ req }: ServerResponse, length: number | undefined): HeaderList {
  if (length !== undefined) return [['Content-Length', String(length)]];
  return req.httpVersion === '1.1' && req.method !== 'HEAD' ? [['Transfer-Encoding', 'chunked']] : [];
}

function waitForDrain(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function finish(): void {
      res.off('drain', finish).off('close', finish);
      resolve();
    }
    res.on('drain', finish).on('close', finish);
  });
}

function toParts(stream: Readable, length: number | undefined): Parts {
  const chunks = toChunks(stream, length);
  return { next: async () => (await chunks.next()).value, areItems: false, close: () => void stream.destroy() };
}

// Bytes beyond the announced length are not sent.
async function* toChunks(stream: Readable, length: number | undefined): AsyncGenerator<Buffer, undefined> {
  let sent = 0;
  for await (const chunk of stream as AsyncIterable<unknown>) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new Error('the stream yielded a chunk that is neither a string nor a Uint8Array');
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    sent += bytes.length;
    if (length !== undefined && sent > length) break;
    // An empty chunk would end a chunked body.
    if (bytes.length > 0) yield bytes;
  }
  if (length !== undefined && sent !== length)
    throw new Error('the stream does not have as many bytes as its Content-Length says');
  return undefined;
}

type HeaderList = readonly (readonly [name: string, value: string])[];

type EndReply = (rest?: string | Buffer) => void;

// How long the kit still reads from a connection that it is about to close.
const LINGER_MS = 1_000;

// The largest rest of a request body that is read in order to keep the connection.
const DISCARDABLE_BYTES = 65_536;

const BODY_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Range',
  'Transfer-Encoding',
  'Trailer',
];
// Middleware and the reply may both add values to these.
const LIST_HEADERS = ['vary', 'set-cookie'];

// Writes the head of a reply. Returns the function that ends it with the rest of its body; undefined if it cannot be sent.
function beginReply(res: ServerResponse, status: number, headers: HeaderList): EndReply | undefined {
  if (res.headersSent || res.req.socket.destroyed) return undefined;
  // Reading the rest of a large request costs more than a new connection.
  const canReuseConnection = isRestSmall(res.req);
  if (!canReuseConnection) res.shouldKeepAlive = false;
  const values = res.getHeaderNames().length > 0 ? Object.values(res.getHeaders()).join() : '';
  if (values !== '') headers = mergeMiddlewareHeaders(res, headers);
  const raw = ['X-Request-Id', requestIdOf(res.req)];
  let isNosniffSet = false;
  for (const [name, value] of headers) {
    raw.push(name, value);
    // A contract may declare this header for the handler to set. Comparing the length first is cheaper.
    isNosniffSet ||= name.length === NOSNIFF[0].length && name.toLowerCase() === NOSNIFF[0].toLowerCase();
  }
  if (!isNosniffSet) raw.push(...NOSNIFF);
  if (status >= 500) failSpan(String(status));
  if (res.writeHead === ServerResponse.prototype.writeHead) res.writeHead(status, raw);
  else {
    // Middleware such as on-headers 1.0 takes a flat list of headers for a list of pairs. So the headers are set before.
    const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, String(raw[index + 1])] as const] : []));
    for (const [name] of pairs) if (res.hasHeader(name)) res.removeHeader(name);
    for (const [name, value] of pairs) res.appendHeader(name, value);
    res.writeHead(status);
  }
  // With a string, node:http would write the head in UTF-8. With bytes, or alone, each character is one octet.
  if (/[\u0080-\uffff]/.test(values + raw.join())) res.write(Buffer.alloc(0));
  if (!canReuseConnection) res.req.resume();
  return (rest) => {
    // The handler may have read the rest meanwhile.
    if (!canReuseConnection && !res.req.complete) endLater(res, rest, res.req, 'close');
    // A client that pipelined too many requests may be sending more.
    else if (!res.shouldKeepAlive && connectionOf(res.req.socket).hasOverflowed)
      endLater(res, rest, res.req.socket, 'end');
    else res.end(rest);
  };
}

// Removes the headers about a body that middleware set, and keeps its Vary and Set-Cookie. writeHead() keeps the others.
function mergeMiddlewareHeaders(res: ServerResponse, headers: HeaderList): HeaderList {
  // If Transfer-Encoding was removed, even without being there, node:http adds none when `compression` removes Content-Length.
  for (const name of BODY_HEADERS) if (res.hasHeader(name)) res.removeHeader(name);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const kept = LIST_HEADERS.filter((name) => own.has(name)).flatMap((name) =>
    [res.getHeader(name) ?? []].flat().map((value): HeaderList[number] => [name, String(value)]),
  );
  return [...kept, ...headers];
}

// RFC 9112 section 9.6: closing a connection while the client still sends may lose the reply.
function endLater(
  res: ServerResponse,
  rest: string | Buffer | undefined,
  sender: EventEmitter,
  whenSent: 'close' | 'end',
): void {
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  if (rest !== undefined) res.write(rest);
  const timer = setTimeout(end, LINGER_MS);
  sender.once(whenSent, end);
}

// node:http discards a small rest. The rest of a chunked body may be endless, and a client that sent Expect may never send it.
function isRestSmall(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding, expect } = req.headers;
  const isEmpty = coding === undefined && Number(length ?? 0) === 0;
  return req.complete || isEmpty || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}
