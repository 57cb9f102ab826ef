// Parses replies strictly, and finds where they end.
import type { Header } from './request';
import { framingOf } from './sequence';

export interface WireReply {
  readonly status: number;
  /** In the order of the reply, with names in lower case. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Whether the suite closed the connection before the end of the body. */
  readonly isClosedEarly?: true;
}

/** Returns the values of a header, whose name must be in lower case. */
export function valuesOf({ headers }: Pick<WireReply, 'headers'>, name: string): string[] {
  return headers.filter(([headerName]) => headerName === name).map(([, value]) => value);
}

const HEAD_END = '\r\n\r\n';

// A server may send several interim replies, such as 102 while it works, but not endlessly.
const MAX_INTERIM_REPLIES = 100;

/**
 * Parses a reply strictly by RFC 9112, after any interim replies (1xx). If the suite closed the connection early, the
 * body may be incomplete, since a stream can go on forever. Throws an Error when the reply is malformed.
 */
export function readReply(bytes: Buffer, method: string, isClosedEarly = false): WireReply {
  if (bytes.length === 0) throw new Error('the server closed the connection without a response');
  const reader = new ReplyReader(method);
  const end = reader.findEnd(bytes);
  const head = reader.readHead(bytes);
  if (!head) throw new Error('the response ends within its head');
  const { status, headers, framing } = head;
  const body = reader.bodyOf(bytes);
  const reply = { status, headers, body };
  if (end === undefined && isClosedEarly) return { ...reply, isClosedEarly };
  if (end === undefined && framing === 'chunked') throw new Error('the last chunk is missing');
  if (end === undefined && framing !== undefined)
    throw new Error(`the body has ${String(body.length)} bytes, but Content-Length is ${String(framing)}`);
  if (end !== undefined && end < bytes.length) {
    const count = String(bytes.length - end);
    throw new Error(`${count} bytes follow the ${String(status)} response to ${method}`);
  }
  return reply;
}

interface Head extends Pick<WireReply, 'status' | 'headers'> {
  /** The body's length in bytes; undefined if closing the connection ends the body. */
  readonly framing: number | 'chunked' | undefined;
}

/** Reads a reply as it arrives: each call gets all bytes so far, and continues where the last call stopped. */
export class ReplyReader {
  readonly #method: string;
  /** Offsets at which the next part begins, and at which the search for its end continues. */
  #start = 0;
  #searchStart = 0;
  #interimReplies = 0;
  #head: Head | undefined;
  #chunkEnd: number | undefined;
  readonly #chunks: (readonly [start: number, end: number])[] = [];

  constructor(method: string) {
    this.#method = method;
  }

  get bodyStart(): number {
    return this.#start;
  }

  /** Returns undefined while the head is incomplete. Throws an Error when it is malformed. */
  readHead(bytes: Buffer): Head | undefined {
    while (!this.#head) {
      const headEnd = this.#find(bytes, HEAD_END);
      if (headEnd === -1) return undefined;
      const head = parseHead(bytes.toString('latin1', this.#start, headEnd), this.#method);
      if (!isInterim(head)) this.#head = head;
      else if (++this.#interimReplies > MAX_INTERIM_REPLIES)
        throw new Error(`more than ${String(MAX_INTERIM_REPLIES)} interim responses precede the response`);
      this.#start = this.#searchStart = headEnd + HEAD_END.length;
    }
    return this.#head;
  }

  /** Undefined until the end arrives, or if closing the connection ends the reply. Throws an Error if malformed. */
  findEnd(bytes: Buffer): number | undefined {
    const framing = this.readHead(bytes)?.framing;
    if (framing === 'chunked') return this.#findEndOfChunks(bytes);
    const end = this.#start + (framing ?? Infinity);
    return end <= bytes.length ? end : undefined;
  }

  bodyOf(bytes: Buffer): Buffer {
    const framing = this.#head?.framing;
    if (framing === 'chunked') return Buffer.concat(this.#chunks.map(([start, end]) => bytes.subarray(start, end)));
    return bytes.subarray(this.#start, framing === undefined ? bytes.length : this.#start + framing);
  }

  // RFC 9112 section 7.1: a chunk is its size in hexadecimal, a line end, the data, and a line end.
  #findEndOfChunks(bytes: Buffer): number | undefined {
    for (;;) {
      this.#chunkEnd ??= this.#readChunkSize(bytes);
      if (this.#chunkEnd === undefined) return undefined;
      if (this.#chunkEnd === this.#start) return this.#findEndOfTrailers(bytes);
      const next = this.#chunkEnd + 2;
      if (next > bytes.length) return undefined;
      if (bytes.toString('latin1', this.#chunkEnd, next) !== '\r\n')
        throw new Error('a chunk does not end where its size says');
      this.#chunks.push([this.#start, this.#chunkEnd]);
      this.#start = this.#searchStart = next;
      this.#chunkEnd = undefined;
    }
  }

  // Returns where the chunk's data ends, even if it has not arrived completely.
  #readChunkSize(bytes: Buffer): number | undefined {
    const lineEnd = this.#find(bytes, '\r\n');
    if (lineEnd === -1) return undefined;
    const [, hexSize] = /^([\da-f]+)(?:;[\t -~]*)?$/i.exec(bytes.toString('latin1', this.#start, lineEnd)) ?? [];
    if (hexSize === undefined) throw new Error('a chunk has a malformed size');
    [this.#start, this.#searchStart] = [lineEnd + 2, lineEnd];
    return this.#start + parseInt(hexSize, 16);
  }

  // The last chunk is empty. Trailers may follow, up to an empty line.
  #findEndOfTrailers(bytes: Buffer): number | undefined {
    const trailersEnd = this.#find(bytes, HEAD_END);
    if (trailersEnd === -1) return undefined;
    const trailers = bytes.toString('latin1', this.#start, trailersEnd);
    if (trailers !== '') trailers.split('\r\n').forEach(readHeader);
    return trailersEnd + HEAD_END.length;
  }

  // The last bytes may be the beginning of the delimiter, so the next search starts with them.
  #find(bytes: Buffer, delimiter: string): number {
    const offset = bytes.indexOf(delimiter, this.#searchStart);
    if (offset === -1) this.#searchStart = Math.max(this.#searchStart, bytes.length - delimiter.length + 1);
    return offset;
  }
}

function parseHead(text: string, method: string): Head {
  const [statusLine = '', ...headerLines] = text.split('\r\n');
  const [, digits] = /^HTTP\/1\.[01] (\d{3}) [\t -~]*$/.exec(statusLine) ?? [];
  const status = Number(digits);
  if (Number.isNaN(status)) throw new Error(`the status line ${JSON.stringify(statusLine.slice(0, 80))} is malformed`);
  const headers = headerLines.map(readHeader);
  const framing = isInterim({ status }) ? 0 : readFraming(headers);
  return { status, headers, framing: isBodiless(method, status) ? 0 : framing };
}

function isInterim({ status }: Pick<WireReply, 'status'>): boolean {
  return status >= 100 && status < 200;
}

/** Whether a reply never has a body (RFC 9112 section 6.3). */
function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

// A header consists of a token, a colon, and visible characters including Latin-1.
function readHeader(line: string): Header {
  // Each run of blanks can match in only one place, so matching takes linear time.
  const match = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(?![ \t])((?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)[ \t]*$/.exec(line);
  if (!match) throw new Error(`the header ${JSON.stringify(line.slice(0, 80))} is malformed`);
  return [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}

// Finds how the body is framed (RFC 9112 section 6.3).
function readFraming(headers: readonly Header[]): Head['framing'] {
  const findValues = (headerName: string): string[] =>
    headers.flatMap(([name, value]) => (name === headerName ? [value] : []));
  const lengths = findValues('content-length');
  const codings = findValues('transfer-encoding');
  if (codings.length > 0 && (lengths.length > 0 || codings.join() !== 'chunked'))
    throw new Error('the headers contradict each other about the length of the body');
  if (lengths.length > 0 && !/^\d+$/.test(lengths.join()))
    throw new Error(`the Content-Length ${JSON.stringify(lengths.join())} is malformed`);
  return codings.length > 0 ? 'chunked' : lengths.map(Number)[0];
}

export function hasEventStreamType(headers: readonly Header[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && framingOf(value) === 'events');
}
