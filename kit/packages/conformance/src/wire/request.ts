import { revealSecrets, type Secrets } from './secret';

/** A request, exact to the byte except for the server's address and the secrets. */
export interface WireRequest {
  readonly method: string;
  /** The path and query, relative to the base URL. */
  readonly target: string;
  /** Replaces the base URL's path. */
  readonly server?: OtherServer | undefined;
  /** The headers except Host, Content-Length, Transfer-Encoding and Connection, which `toHead` adds. */
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** How the body is framed; by default with Content-Length. */
  readonly framing?: 'length' | 'chunked' | 'none';
  /** Sent after the last chunk (RFC 9112 section 7.1.2). */
  readonly trailers?: readonly Header[];
  /** Changes the head before it is sent, to make it malformed or unusual. */
  readonly changeHead?: (head: string, base: URL) => string;
  /** Why the suite does not know whether the request is valid. */
  readonly skipReason?: { readonly reason: string; readonly pointer: string } | undefined;
  readonly isHalfClosed?: boolean;
  /** How long to read a stream in the reply, in milliseconds. */
  readonly readOn?: number;
}

/** An operation's own server, used if the base URL has the same path as the contract's server. */
export interface OtherServer {
  readonly contractPath: string;
  readonly path: string;
}

/** Returns the base path without a trailing slash. */
export function prefixOf({ server }: Pick<WireRequest, 'server'>, base: URL): string {
  const prefix = base.pathname.replace(/\/$/, '');
  return server?.contractPath === prefix ? server.path : prefix;
}

export type Header = readonly [name: string, value: string];

/** Replaces the placeholders in the head and the trailers with secrets. */
export function toBytes(request: WireRequest, base: URL, secrets: Secrets): Buffer {
  const reveal = (text: string): Buffer => Buffer.from(revealSecrets(text, secrets), 'latin1');
  return Buffer.concat([reveal(toHead(request, base)), toFramedBody(request), reveal(toLastChunk(request))]);
}

/** Returns the head, with placeholders for secrets. */
export function toHead(request: WireRequest, base: URL): string {
  const { body, framing = body ? 'length' : 'none', changeHead = (head) => head } = request;
  const lengthHeaders: Header[] = framing === 'length' ? [['Content-Length', String(body?.length ?? 0)]] : [];
  const chunkedHeaders: Header[] = framing === 'chunked' ? [['Transfer-Encoding', 'chunked']] : [];
  const headers: readonly Header[] = [
    ['Host', base.host],
    ...request.headers,
    ...lengthHeaders,
    ...chunkedHeaders,
    ['Connection', 'close'],
  ];
  const path = `${prefixOf(request, base)}${request.target}`;
  return changeHead(`${request.method} ${path} HTTP/1.1\r\n${toLines(headers)}\r\n`, base);
}

/** For chunked framing, returns two chunks; `toLastChunk` returns the empty last one. */
export function toFramedBody({ body = Buffer.alloc(0), framing }: WireRequest): Buffer {
  if (framing !== 'chunked') return body;
  const middle = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  return Buffer.concat(
    chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  );
}

/** Returns an empty string unless the framing is chunked. Trailers have placeholders for secrets. */
export function toLastChunk({ framing, trailers = [] }: WireRequest): string {
  return framing === 'chunked' ? `0\r\n${toLines(trailers)}\r\n` : '';
}

function toLines(headers: readonly Header[]): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}
