// Parses replies strictly, and finds where they end.
import type { Header } from './request';
import { framingOf, type Framing } from './sequence';

export interface WireReply {
  readonly status: number;
  /** The headers in the order of the reply, their names in lower case. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Whether the suite closed the connection before the end of the body. */
  readonly isLeft?: true;
}

/** The values of a header; the name in lower case. */
export function valuesOf({ headers }: WireReply, name: string): string[] {
  return headers.filter(([other]) => other === name).map(([, value]) => value);
}

const HEAD_END = '\r\n\r\n';

/**
 * Parses the reply to one request strictly by RFC 9112; interim replies (1xx), which precede it, are skipped.
 *
 * @param bytes all that the server sent until the connection was closed
 * @param isLeft whether the suite closed it: the body may be incomplete, since a stream of items can go on for ever
 * @throws Error when the reply is malformed
 */
export function readReply(bytes: Buffer, method: string, isLeft = false): WireReply {
  if (bytes.length === 0) throw new Error('the server closed the connection without a response');
  const parsed = parseReply(bytes, method);
  if (!parsed) throw new Error('the response ends within its head');
  const { reply, end, missing } = parsed;
  if (end === undefined && isLeft) return { ...reply, isLeft };
  if (end === undefined && missing !== undefined) throw new Error(missing);
  if (end !== undefined && end < bytes.length) {
    const count = String(bytes.length - end);
    throw new Error(`${count} bytes follow the ${String(reply.status)} response to ${method}`);
  }
  return reply;
}

/**
 * The offset at which the first reply ends, interim replies (1xx) included; that of a malformed reply is unknown, so all
 * is taken for it. Undefined while it is incomplete, and when its body has no length, so that only the end of the
 * connection ends it.
 */
export function endOfReply(bytes: Buffer, method: string): number | undefined {
  try {
    return parseReply(bytes, method)?.end;
  } catch {
    return bytes.length;
  }
}

interface ParsedReply {
  readonly reply: WireReply;
  /** The offset at which it ends; undefined when it is incomplete, or when the connection ends it. */
  readonly end?: number | undefined;
  /** What an incomplete body lacks, if its framing has an end. */
  readonly missing?: string;
}

// Returns undefined while the head is incomplete.
function parseReply(bytes: Buffer, method: string, start = 0): ParsedReply | undefined {
  const headEnd = bytes.indexOf(HEAD_END, start);
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...headerLines] = bytes.toString('latin1', start, headEnd).split('\r\n');
  const [, digits] = /^HTTP\/1\.[01] (\d{3}) [\t -~]*$/.exec(statusLine) ?? [];
  const status = Number(digits);
  if (Number.isNaN(status)) throw new Error(`the status line ${JSON.stringify(statusLine.slice(0, 80))} is malformed`);
  const headers = headerLines.map(readHeader);
  const bodyStart = headEnd + HEAD_END.length;
  if (status >= 100 && status < 200) return parseReply(bytes, method, bodyStart);
  const framing = readFraming(headers);
  const { body, ...rest } = hasNoBody(method, status)
    ? { body: Buffer.alloc(0), end: bodyStart }
    : readBody(bytes, bodyStart, framing);
  return { reply: { status, headers, body }, ...rest };
}

/** Whether a reply never has a body (RFC 9112 section 6.3). */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

// Strictly a token, a colon, and visible characters, in which Latin-1 is allowed.
function readHeader(line: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line);
  if (!match) throw new Error(`the header ${JSON.stringify(line.slice(0, 80))} is malformed`);
  return [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}

// The length of the body in bytes; undefined when the end of the connection ends it (RFC 9112 section 6.3).
function readFraming(headers: readonly Header[]): number | 'chunked' | undefined {
  const valuesIn = (wanted: string): string[] => headers.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const lengths = valuesIn('content-length');
  const codings = valuesIn('transfer-encoding');
  if (codings.length > 0 && (lengths.length > 0 || codings.join() !== 'chunked'))
    throw new Error('the headers contradict each other about the length of the body');
  if (lengths.length > 0 && !/^\d+$/.test(lengths.join()))
    throw new Error(`the Content-Length ${JSON.stringify(lengths.join())} is malformed`);
  return codings.length > 0 ? 'chunked' : lengths.map(Number)[0];
}

type ParsedBody = Pick<WireReply, 'body'> & Omit<ParsedReply, 'reply'>;

function readBody(bytes: Buffer, start: number, framing: number | 'chunked' | undefined): ParsedBody {
  if (framing === 'chunked') return readChunks(bytes, start);
  const body = bytes.subarray(start);
  if (framing === undefined) return { body };
  if (framing <= body.length) return { body: body.subarray(0, framing), end: start + framing };
  const missing = `the body has ${String(body.length)} bytes, but Content-Length is ${String(framing)}`;
  return { body, missing };
}

// RFC 9112 section 7.1: a chunk is its size in hexadecimal, a line end, the data, and a line end.
function readChunks(bytes: Buffer, bodyStart: number): ParsedBody {
  const chunks: Buffer[] = [];
  const toParsed = (end?: number): ParsedBody => ({
    ...{ body: Buffer.concat(chunks), end },
    missing: 'the last chunk is missing',
  });
  for (let start = bodyStart; ;) {
    const lineEnd = bytes.indexOf('\r\n', start);
    if (lineEnd === -1) return toParsed();
    const [, hexSize] = /^([\da-f]+)(?:;[\t -~]*)?$/i.exec(bytes.toString('latin1', start, lineEnd)) ?? [];
    if (hexSize === undefined) throw new Error('a chunk has a malformed size');
    const dataStart = lineEnd + 2;
    const dataEnd = dataStart + parseInt(hexSize, 16);
    if (dataEnd === dataStart) {
      // The last chunk is empty, and trailers may follow, which are headers: an empty line ends them.
      const trailersEnd = bytes.indexOf(HEAD_END, lineEnd);
      if (trailersEnd === -1) return toParsed();
      const trailers = bytes.toString('latin1', dataStart, trailersEnd);
      if (trailers !== '') trailers.split('\r\n').forEach(readHeader);
      return toParsed(trailersEnd + HEAD_END.length);
    }
    start = dataEnd + 2;
    if (start > bytes.length) return toParsed();
    if (bytes.toString('latin1', dataEnd, start) !== '\r\n')
      throw new Error('a chunk does not end where its size says');
    chunks.push(bytes.subarray(dataStart, dataEnd));
  }
}

/** The framing of a reply that is a sequence of items, by its head; null for any other, undefined until that is complete. */
export function streamFramingOf(received: Buffer): Framing | null | undefined {
  const headLength = received.indexOf(HEAD_END);
  if (headLength === -1) return undefined;
  const head = received.toString('latin1', 0, headLength);
  return framingOf(/^content-type:(.*)$/im.exec(head)?.[1] ?? '') ?? null;
}

/** Where the body begins in a reply whose head is complete. */
export function bodyStartOf(received: Buffer): number {
  return received.indexOf(HEAD_END) + HEAD_END.length;
}

export function hasEventStreamType(headers: readonly Header[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && framingOf(value) === 'events');
}
