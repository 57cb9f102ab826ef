// Writes a reply that is a stream.
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { beginReply, type HeaderList } from './begin-reply';
import { connectionOf } from './connection';

export interface StreamedBody {
  readonly stream: Readable;
  readonly type: string;
  /** In bytes; undefined if that is not known. */
  readonly length: number | undefined;
}

/**
 * Writes a reply whose body is a stream. The head of an event stream is sent at once, and the stream ends when the server shuts
 * down, so that its clients reconnect elsewhere. Any other head waits for the first bytes: an error before them is a refusal.
 *
 * @throws Error of the stream, or when its length is wrong: the connection is cut, so that no client takes the reply for whole
 */
export async function writeStream(
  res: ServerResponse,
  status: number,
  headers: HeaderList,
  { stream, type, length }: StreamedBody,
): Promise<void> {
  const isEvents = /^text\/event-stream/i.test(type);
  const connection = connectionOf(res.req.socket);
  let isStopped = false;
  function stop(): void {
    isStopped = true;
    stream.destroy();
  }
  res.once('close', stop);
  if (isEvents) connection.endings.add(stop);
  try {
    // By the next turn of the event loop, all that came with the request is read: beginReply looks at what is left of it.
    await new Promise(setImmediate);
    const isBodiless = res.req.method === 'HEAD';
    const chunks = toChunks(stream, length);
    const first = isEvents || isBodiless || res.closed ? undefined : await chunks.next();
    const end = beginReply(res, status, [...headers, ['Content-Type', type], ...framingHeaders(res, length)]);
    if (isEvents && end) res.flushHeaders();
    // The server began to shut down before the stream was among `endings`.
    if (isEvents && connection.isEnding) stop();
    if (end && !isBodiless && first?.done !== true) await send(res, first?.value, chunks);
    end?.();
  } catch (cause) {
    if (!(isStopped as boolean)) {
      if (res.headersSent) res.destroy();
      throw cause;
    }
    // The error comes from destroying the stream in stop(), not from the stream: end its reply in good order.
    if (!res.closed) res.end();
  } finally {
    connection.endings.delete(stop);
    stream.destroy();
  }
}

// RFC 9112 section 6.1: HTTP/1.0 has no chunks; its body ends with the connection. A reply to HEAD has no body.
function framingHeaders({ req }: ServerResponse, length: number | undefined): HeaderList {
  if (length !== undefined) return [['Content-Length', String(length)]];
  return req.httpVersion === '1.1' && req.method !== 'HEAD' ? [['Transfer-Encoding', 'chunked']] : [];
}

// write() returns false if the client reads more slowly: then wait before the next chunk.
async function send(res: ServerResponse, first: Buffer | undefined, rest: AsyncIterable<Buffer>): Promise<void> {
  if (first && !res.write(first) && !res.closed) await waitForDrain(res);
  for await (const chunk of rest) if (!res.write(chunk) && !res.closed) await waitForDrain(res);
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

// Throws if a chunk is neither text nor bytes, or the stream has not the announced length. Bytes beyond it are not sent.
async function* toChunks(stream: Readable, length: number | undefined): AsyncGenerator<Buffer, undefined> {
  let sent = 0;
  for await (const chunk of stream as AsyncIterable<unknown>) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new Error('a chunk of the stream is no bytes');
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    sent += bytes.length;
    if (length !== undefined && sent > length) break;
    // An empty chunk would end a chunked body.
    if (bytes.length > 0) yield bytes;
  }
  if (length !== undefined && sent !== length) throw new Error('the stream is not as long as its Content-Length');
  return undefined;
}
