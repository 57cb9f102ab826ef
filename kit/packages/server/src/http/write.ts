import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadyRefusal } from '../errors/render';
import { connectionOf } from './connections';
import type { EventEmitter } from 'node:events';
import { NOSNIFF, reportFailure, requestIdOf } from './report';
import { failSpan } from './trace';

export type Headers = Readonly<Record<string, string>>;

/** A body that is sent part by part. */
export interface Parts {
  /** Returns undefined after the last part. */
  readonly next: () => string | Buffer | undefined | Promise<string | Buffer | undefined>;
  /** Whether each part is a whole item, so that comments can be sent between events. */
  readonly areItems: boolean;
  readonly close: () => void;
}

export interface EncodedReply {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type: string | undefined;
  /** The number of bytes in a stream, if it is known. */
  readonly length: number | undefined;
  readonly body: string | Buffer | Blob | Readable | Parts;
}

/** Sends a reply that was checked against the contract. If its body is a stream, the promise is fulfilled at the stream's end. */
export function writeReply(
  res: ServerResponse,
  status: number,
  { headers, type, body, length }: EncodedReply,
): Promise<void> | undefined {
  // These statuses have no content, even if the handler returned a body (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5).
  if (status === 204 || status === 205 || status === 304) [type, body] = [undefined, ''];
  if (typeof body === 'object' && !Buffer.isBuffer(body)) {
    const [stream, size] = body instanceof Blob ? [Readable.fromWeb(body.stream()), body.size] : [body, length];
    const parts = stream instanceof Readable ? toParts(stream, size) : stream;
    return writeStream(res, status, headers, { type: String(type), length: size, parts });
  }
  setImmediate(write, res, status, body, [...headers, ...bodyHeaders(res.req, body, status, type)]);
  return undefined;
}

/** Sends a refusal. `headers`, such as WWW-Authenticate, replace declared headers with the same name. */
export function writeRefusal(
  res: ServerResponse,
  { status, type, bytes, headers: declared = [] }: ReadyRefusal,
  headers: Headers = {},
): void {
  const kept = declared.filter(([name]) => !Object.hasOwn(headers, name));
  const all = [...kept, ...Object.entries(headers), ...bodyHeaders(res.req, bytes, status, type)];
  setImmediate(write, res, status, bytes, all);
}

/** Sends a reply that does not belong to an operation, without adding Content-Type and Content-Length. */
export function writeContent(res: ServerResponse, status: number, bytes: Buffer, headers: Headers): void {
  setImmediate(write, res, status, bytes, Object.entries(headers));
}

/** Writes a refusal directly to the socket, because node:http created no response for the message, and ends the connection. */
export function writeRawRefusal(
  socket: Socket,
  { status, type, bytes }: Pick<ReadyRefusal, 'status' | 'type' | 'bytes'>,
  id: string,
): void {
  const head = [
    `HTTP/1.1 ${String(status)} ${String(STATUS_CODES[status])}`,
    // A refusal without content can be a reply to HEAD, so it has no Content-Length.
    ...bodyHeaders({ method: 'HEAD' }, bytes, status, type).map((header) => header.join(': ')),
    `X-Request-Id: ${id}`,
    NOSNIFF.join(': '),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  // Closing immediately could lose the reply, so this first discards what the client still sends (RFC 9112 section 9.6).
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(bytes)}`).resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

// Called by setImmediate, because sending replies together is cheaper. By then, node:http has read everything that came with the
// request, so if a client pipelines too many requests, its last reply can announce the end.
function write(res: ServerResponse, status: number, body: string | Buffer, headers: HeaderList): void {
  try {
    beginReply(res, status, headers)?.(body);
  } catch (cause) {
    // For example, middleware that waits for the head of a reply can fail.
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
  // In a 304 or a reply to HEAD, Content-Length is for the response to GET, so only the handler knows it (RFC 9110 section 8.6).
  if (status === 204 || status === 304 || (method === 'HEAD' && type === undefined)) return [];
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const;
  return type === undefined ? [length] : [['Content-Type', type], length];
}

export function isEventStream(type: string | undefined): boolean {
  return /^text\/event-stream/i.test(String(type));
}

const BATCH_CHARACTERS = 16_384;
// A silent event stream gets a comment this often, so that proxies do not close it.
const COMMENT_MS = 15_000;

/**
 * Sends a reply part by part, as fast as the client reads. The head of an event stream is sent immediately. At a shutdown, the
 * stream ends properly, so that clients reconnect to another server. Any other head waits for the first part, so that an earlier
 * error becomes a refusal.
 *
 * @throws Error if a later part fails or the length is wrong, after sending the earlier parts and cutting the connection
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
    // After this turn, everything that came with the request has been read. beginReply checks what is left of the request.
    await new Promise(setImmediate);
    const isUnread = res.req.method === 'HEAD' || res.closed;
    const first = isEvents || isUnread ? undefined : { part: await Promise.race([stopped, parts.next()]) };
    const end = beginReply(res, status, streamHeaders(res, headers, type, length));
    if (isEvents && end) res.flushHeaders();
    // The shutdown might have begun before the stream was added to `streamEnders`.
    if (isEvents && connection.isNextReplyLast) stop();
    if (end && !isUnread) {
      if (isEvents && parts.areItems) timer = setInterval(writeComment, COMMENT_MS).unref();
      await Promise.race([stopped, writeAll(first ? first.part : parts.next())]);
    }
    flush();
    if (!res.closed) end?.();
  } catch (cause) {
    if (res.headersSent) {
      flush();
      // Middleware that wraps res.write might not pass on a callback.
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
        // This gives other requests a turn.
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

/** Closes the connection in the middle of a reply, so that clients do not mistake it for a complete one. */
export function cutReply(res: ServerResponse): void {
  failSpan('aborted');
  const { httpVersion, socket } = res.req;
  // If a body ends with its connection, only an error shows that it is incomplete (RFC 9112 section 8). Only plain TCP has resets.
  if (httpVersion === '1.0' && socket.remoteAddress !== undefined && !('encrypted' in socket)) socket.resetAndDestroy();
  res.destroy();
}

// Headers that prevent caching, and keep `compression` and nginx from holding back events until their buffers are full.
const EVENT_HEADERS: HeaderList = [
  ['Cache-Control', 'no-store, no-transform'],
  ['X-Accel-Buffering', 'no'],
];

function streamHeaders(res: ServerResponse, headers: HeaderList, type: string, length: number | undefined): HeaderList {
  const names = new Set([...res.getHeaderNames(), ...headers.map(([name]) => name.toLowerCase())]);
  const eventHeaders = isEventStream(type) ? EVENT_HEADERS.filter(([name]) => !names.has(name.toLowerCase())) : [];
  return [...headers, ...eventHeaders, ['Content-Type', type], ...framingHeaders(res, length)];
}

// HTTP/1.0 has no chunks, so the body ends with the connection (RFC 9112 section 6.1).
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
    if (bytes.length > 0) yield bytes;
  }
  if (length !== undefined && sent !== length)
    throw new Error('the stream does not have as many bytes as its Content-Length says');
  return undefined;
}

type HeaderList = readonly (readonly [name: string, value: string])[];

type EndReply = (rest?: string | Buffer) => void;

// The time for which the kit still reads from a connection before closing it.
const LINGER_MS = 1_000;

// The kit reads up to this many bytes of an unread request body, so that it can keep the connection.
const DISCARDABLE_BYTES = 65_536;

const BODY_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Range',
  'Transfer-Encoding',
  'Trailer',
];
// Middleware and the reply can both add values to these headers.
const LIST_HEADERS = ['vary', 'set-cookie'];

// Writes a reply's head. Returns a function that writes the rest and ends the reply, or undefined if nothing can be sent.
function beginReply(res: ServerResponse, status: number, headers: HeaderList): EndReply | undefined {
  if (res.headersSent || res.req.socket.destroyed) return undefined;
  // Reading the rest of a large request would cost more than a new connection.
  const canReuseConnection = isRestSmall(res.req);
  if (!canReuseConnection) res.shouldKeepAlive = false;
  const values = res.getHeaderNames().length > 0 ? Object.values(res.getHeaders()).join() : '';
  if (values !== '') headers = mergeMiddlewareHeaders(res, headers);
  const raw = ['X-Request-Id', requestIdOf(res.req)];
  let isNosniffSet = false;
  for (const [name, value] of headers) {
    raw.push(name, value);
    // The contract can declare this header for the handler to set. Comparing the length first is cheaper.
    isNosniffSet ||= name.length === NOSNIFF[0].length && name.toLowerCase() === NOSNIFF[0].toLowerCase();
  }
  if (!isNosniffSet) raw.push(...NOSNIFF);
  if (status >= 500) failSpan(String(status));
  if (res.writeHead === ServerResponse.prototype.writeHead) res.writeHead(status, raw);
  else {
    // Middleware such as on-headers 1.0 expects pairs instead of a flat list, so the headers are set separately.
    const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, String(raw[index + 1])] as const] : []));
    for (const [name] of pairs) if (res.hasHeader(name)) res.removeHeader(name);
    for (const [name, value] of pairs) res.appendHeader(name, value);
    res.writeHead(status);
  }
  // If the first write is a string, node:http encodes the head in UTF-8. Otherwise each character is one octet.
  if (/[\u0080-\uffff]/.test(values + raw.join())) res.write(Buffer.alloc(0));
  if (!canReuseConnection) res.req.resume();
  return (rest) => {
    // The handler might have read the rest of the request by now.
    if (!canReuseConnection && !res.req.complete) endLater(res, rest, res.req, 'close');
    // A client that pipelined too many requests might be sending more.
    else if (!res.shouldKeepAlive && connectionOf(res.req.socket).hasOverflowed)
      endLater(res, rest, res.req.socket, 'end');
    else res.end(rest);
  };
}

// Removes body headers that middleware set, and adds its Vary and Set-Cookie to the reply's. writeHead() keeps its others.
function mergeMiddlewareHeaders(res: ServerResponse, headers: HeaderList): HeaderList {
  // Removing Transfer-Encoding when it is not set would stop node:http from adding it if `compression` removes Content-Length.
  for (const name of BODY_HEADERS) if (res.hasHeader(name)) res.removeHeader(name);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const kept = LIST_HEADERS.filter((name) => own.has(name)).flatMap((name) =>
    [res.getHeader(name) ?? []].flat().map((value): HeaderList[number] => [name, String(value)]),
  );
  return [...kept, ...headers];
}

// Closing a connection while the client is still sending could lose the reply (RFC 9112 section 9.6).
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

// node:http discards the rest of a small request. A chunked one can be endless, and a client that sent Expect might send no body.
function isRestSmall(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding, expect } = req.headers;
  const isEmpty = coding === undefined && Number(length ?? 0) === 0;
  return req.complete || isEmpty || (Number(length) <= DISCARDABLE_BYTES && expect === undefined);
}
