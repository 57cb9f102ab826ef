// Parses replies strictly, and finds where they end.
import type { Header } from './request';
import { essenceOf } from './media-type';

export interface WireReply {
  readonly status: number;
  /** The headers in the order of the reply, their names in lower case. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Things that HTTP allows but few clients expect. */
  readonly oddities?: readonly string[];
}

/** The values of a header; the name in lower case. */
export function valuesOf({ headers }: WireReply, name: string): string[] {
  return headers.filter(([other]) => other === name).map(([, value]) => value);
}

const HEAD_END = '\r\n\r\n';

/**
 * Parses the reply to one request strictly by RFC 9112; interim replies (1xx), which precede it, are skipped.
 *
 * @param bytes all that the server sent until it closed the connection
 * @throws Error when the reply is malformed
 */
export function readReply(bytes: Buffer, method: string): WireReply {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength === -1)
    throw new Error(
      bytes.length === 0 ? 'the connection was closed without a reply' : 'the reply has no end of its head',
    );
  const [statusLine = '', ...headerLines] = bytes.subarray(0, headLength).toString('latin1').split('\r\n');
  const [, minorVersion, digits] = /^HTTP\/1\.([01]) (\d{3}) [\t -~]*$/.exec(statusLine) ?? [];
  const status = Number(digits);
  if (Number.isNaN(status)) throw new Error(`the status line ${JSON.stringify(statusLine.slice(0, 80))} is malformed`);
  const headers = headerLines.map(readHeader);
  const afterHead = bytes.subarray(headLength + HEAD_END.length);
  if (status >= 100 && status < 200) return readReply(afterHead, method);
  const { body, oddities } = readBody({ status, headers, body: afterHead }, method);
  const allOddities = [...(minorVersion === '0' ? ['it is HTTP/1.0'] : []), ...oddities];
  return { status, headers, body, ...(allOddities.length > 0 && { oddities: allOddities }) };
}

/**
 * The offset at which the first reply ends, interim replies (1xx) included. Undefined while it is incomplete, and when
 * its body has no length, so that only the end of the connection ends it.
 */
export function endOfReply(bytes: Buffer, method: string): number | undefined {
  for (let start = 0; ;) {
    const headEnd = bytes.indexOf(HEAD_END, start);
    if (headEnd === -1) return undefined;
    const bodyStart = headEnd + HEAD_END.length;
    const head = bytes.toString('latin1', start, bodyStart);
    const status = Number(/^\S+ (\d{3})/.exec(head)?.[1]);
    if (status < 200) {
      start = bodyStart;
      continue;
    }
    if (hasNoBody(method, status)) return bodyStart;
    if (/^transfer-encoding:.*chunked/im.test(head)) return endOfChunks(bytes, bodyStart);
    // NaN without a Content-Length: no comparison with it is true.
    const bodyEnd = bodyStart + Number(/^content-length:[ \t]*(\d+)/im.exec(head)?.[1]);
    return bodyEnd <= bytes.length ? bodyEnd : undefined;
  }
}

/** Whether a reply never has a body (RFC 9112 section 6.3). */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

// Returns undefined when the body is incomplete or malformed.
function endOfChunks(bytes: Buffer, bodyStart: number): number | undefined {
  // A chunk is its size in hexadecimal, a line end, the data, and a line end; the last one has no data and line end.
  for (let start = bodyStart; ;) {
    const sizeEnd = bytes.indexOf('\r\n', start);
    // Without a line end yet, the line is empty.
    const size = /^[\da-f]+/i.exec(bytes.toString('latin1', start, Math.max(start, sizeEnd)))?.[0];
    if (size === undefined) return undefined;
    const dataStart = sizeEnd + 2;
    const next = dataStart + parseInt(size, 16) + 2;
    if (next > bytes.length) return undefined;
    if (/^0+$/.test(size)) return endOfTrailers(bytes, dataStart);
    start = next;
  }
}

// An empty line ends the trailers, if there are any.
function endOfTrailers(bytes: Buffer, start: number): number | undefined {
  if (bytes.toString('latin1', start, start + 2) === '\r\n') return start + 2;
  const end = bytes.indexOf('\r\n\r\n', start);
  return end === -1 ? undefined : end + 4;
}

// Strictly a token, a colon, and visible characters, in which Latin-1 is allowed.
function readHeader(line: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line);
  if (!match) throw new Error(`the header ${JSON.stringify(line.slice(0, 80))} is malformed`);
  return [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}

type DecodedBody = Required<Pick<WireReply, 'body' | 'oddities'>>;

// Takes the body out of its framing. A stream of events may be incomplete: it can go on for ever, so the suite stops
// reading. Throws when the framing is malformed, or contradicts the length of the body.
function readBody(reply: WireReply, method: string): DecodedBody {
  const { status, body } = reply;
  const lengths = valuesOf(reply, 'content-length');
  const codings = valuesOf(reply, 'transfer-encoding');
  if (codings.length > 0 && (lengths.length > 0 || codings.join() !== 'chunked'))
    throw new Error('the framing of the reply contradicts itself');
  const [length = ''] = lengths;
  if (lengths.length > 1 || (lengths.length === 1 && !/^\d+$/.test(length)))
    throw new Error(`the Content-Length ${JSON.stringify(lengths.join())} is malformed`);
  if (hasNoBody(method, status)) {
    if (body.length > 0) throw new Error(`a reply to ${method} with ${String(status)} has a body`);
    return { body, oddities: [] };
  }
  const mustBeComplete = !hasEventStreamType(reply.headers);
  if (codings.length > 0) return readChunks(body, mustBeComplete);
  // RFC 9112 section 6.3: without a length, the body ends with the connection.
  if (lengths.length === 0) return { body, oddities: [] };
  if (mustBeComplete && Number(length) !== body.length) {
    throw new Error(`the body has ${String(body.length)} bytes, and the Content-Length is ${length}`);
  }
  return { body, oddities: [] };
}

// RFC 9112 section 7.1. A body that need not be complete ends at the first incomplete chunk.
function readChunks(body: Buffer, mustBeComplete: boolean): DecodedBody {
  const chunks: Buffer[] = [];
  const oddities = new Set<string>();
  const toDecoded = (): DecodedBody => ({ body: Buffer.concat(chunks), oddities: [...oddities] });
  for (let start = 0; ;) {
    const lineEnd = body.indexOf('\r\n', start);
    const line = body.subarray(start, lineEnd).toString('latin1');
    const [, hexSize, extension] = /^([\da-f]+)(;[\t -~]*)?$/i.exec(line) ?? [];
    const dataStart = lineEnd + 2;
    const dataEnd = dataStart + parseInt(hexSize ?? '', 16);
    const isCutOff = lineEnd === -1 || dataEnd + 2 > body.length;
    if (isCutOff && !mustBeComplete) return toDecoded();
    if (lineEnd === -1 || hexSize === undefined) throw new Error('a chunk of the reply is malformed');
    if (extension !== undefined) oddities.add('its chunks have extensions');
    // The last chunk is empty, and trailers may follow.
    if (dataEnd === dataStart) {
      if (hasTrailers(body.subarray(dataStart).toString('latin1'))) oddities.add('it has trailers');
      return toDecoded();
    }
    start = dataEnd + 2;
    if (body.subarray(dataEnd, start).toString('latin1') !== '\r\n') throw new Error('a chunk of the reply ends early');
    chunks.push(body.subarray(dataStart, dataEnd));
  }
}

// Trailers are headers that follow the last chunk; they are parsed strictly.
function hasTrailers(afterLastChunk: string): boolean {
  if (afterLastChunk === '\r\n') return false;
  const [, lines] = /^((?:[^\r\n]+\r\n)+)\r\n$/.exec(afterLastChunk) ?? [];
  if (lines === undefined) throw new Error('bytes follow the last chunk of the reply');
  lines.slice(0, -2).split('\r\n').forEach(readHeader);
  return true;
}

/** Whether a reply is a stream of server-sent events (HTML standard), by its head; undefined until that is complete. */
export function isEventStream(received: Buffer): boolean | undefined {
  const headLength = received.indexOf(HEAD_END);
  if (headLength === -1) return undefined;
  const head = received.toString('latin1', 0, headLength);
  return /^content-type:[ \t]*text\/event-stream[ \t]*(?:;|\r?$)/im.test(head);
}

export function hasBody(received: Buffer): boolean {
  return received.length > received.indexOf(HEAD_END) + HEAD_END.length;
}

export function hasEventStreamType(headers: readonly Header[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && essenceOf(value) === 'text/event-stream');
}

/** Whether bytes are UTF-8 so far: a stream may be cut within its last character. */
export function isUtf8Prefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
