import type { Untriable } from '../contract/untried';
import { reveal, type Secrets } from './secret';

/** A request to the byte, except for the server's address and the secrets. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, after the base URL's path. */
  readonly target: string;
  /** Without Host, Content-Length, Transfer-Encoding and Connection, which are added. */
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** How the body is framed: by Content-Length unless it is set. */
  readonly framing?: 'length' | 'chunked' | 'none';
  /** Sent after the last chunk (RFC 9112 section 7.1.2). */
  readonly trailers?: readonly Header[];
  /** Whether another request follows on the connection. */
  readonly isKept?: boolean;
  /** Changes the head before it is sent, to make it malformed or unusual. */
  readonly bend?: (head: string, base: URL) => string;
  /** Why the suite does not know whether the request is valid. */
  readonly obstacle?: Untriable;
  /** Whether the client half-closes the connection after the request. */
  readonly isCut?: boolean;
}

export type Header = readonly [name: string, value: string];

/** @param base the server's address; its path precedes every target */
export function toBytes(request: WireRequest, base: URL, secrets: Secrets): Buffer {
  const revealed = (text: string): Buffer => Buffer.from(reveal(text, secrets), 'latin1');
  return Buffer.concat([revealed(toHead(request, base)), toFramed(request), revealed(toEnd(request))]);
}

/** The head of a request, with placeholders for secrets. */
export function toHead(request: WireRequest, base: URL): string {
  const { body, framing = body ? 'length' : 'none', isKept = false, bend = (text) => text } = request;
  const length: Header[] = framing === 'length' ? [['Content-Length', String(body?.length ?? 0)]] : [];
  const chunked: Header[] = framing === 'chunked' ? [['Transfer-Encoding', 'chunked']] : [];
  const headers: readonly Header[] = [
    ['Host', base.host],
    ...request.headers,
    ...length,
    ...chunked,
    ...(isKept ? [] : [['Connection', 'close'] as const]),
  ];
  const lines = toLines(headers);
  return bend(`${request.method} ${base.pathname.replace(/\/$/, '')}${request.target} HTTP/1.1\r\n${lines}\r\n`, base);
}

/** The framed body of a request, without the last chunk. */
export function toFramed({ body = Buffer.alloc(0), framing }: WireRequest): Buffer {
  if (framing !== 'chunked') return body;
  const middle = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  return Buffer.concat(
    chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  );
}

/** The last chunk and the trailers, with placeholders for secrets. */
export function toEnd({ framing, trailers = [] }: WireRequest): string {
  return framing === 'chunked' ? `0\r\n${toLines(trailers)}\r\n` : '';
}

function toLines(headers: readonly Header[]): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}
