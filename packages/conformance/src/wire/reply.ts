import { hasEventStreamType } from './event-stream';
import type { Header } from './request';

/** A reply as it came over the wire. */
export interface WireReply {
  readonly status: number;
  /** In the order received, names in lower case. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Things that HTTP allows but few clients expect. */
  readonly oddities?: readonly string[];
}

/** The values of a header; the name in lower case. */
export function valuesOf({ headers }: WireReply, name: string): string[] {
  return headers.filter(([other]) => other === name).map(([, value]) => value);
}

/**
 * Parses the reply to one request strictly by RFC 9112; interim 1xx replies are skipped.
 *
 * @throws Error when the reply is malformed
 */
export function readReply(bytes: Buffer, method: string): WireReply {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1)
    throw new Error(
      bytes.length === 0 ? 'the connection was closed without a reply' : 'the reply has no end of its head',
    );
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [, minor, digits] = /^HTTP\/1\.([01]) (\d{3}) [\t -~]*$/.exec(statusLine) ?? [];
  const status = Number(digits);
  if (Number.isNaN(status)) throw new Error(`the status line ${JSON.stringify(statusLine.slice(0, 80))} is malformed`);
  const headers = lines.map(readHeader);
  const rest = bytes.subarray(end + 4);
  if (status >= 100 && status < 200) return readReply(rest, method);
  const reply = { status, headers, body: rest };
  const { body, oddities } = readBody(reply, method);
  const all = [...(minor === '0' ? ['it is HTTP/1.0'] : []), ...oddities];
  return { status, headers, body, ...(all.length > 0 && { oddities: all }) };
}

/**
 * The offset at which the first reply ends; undefined while it is incomplete, or when only the connection's end ends
 * it.
 */
export function endOfReply(bytes: Buffer, method: string): number | undefined {
  for (let at = 0; ;) {
    const start = bytes.indexOf('\r\n\r\n', at) + 4;
    if (start === 3) return undefined;
    const head = bytes.toString('latin1', at, start);
    const status = Number(/^\S+ (\d{3})/.exec(head)?.[1]);
    at = start;
    if (status < 200) continue;
    if (method === 'HEAD' || status === 204 || status === 304) return start;
    if (/^transfer-encoding:.*chunked/im.test(head)) return endOfChunks(bytes, start);
    const end = start + Number(/^content-length:[ \t]*(\d+)/im.exec(head)?.[1]);
    return end <= bytes.length ? end : undefined;
  }
}

function endOfChunks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = /^[\da-f]+/i.exec(bytes.toString('latin1', at, Math.max(at, end)))?.[0];
    if (size === undefined) return undefined;
    at = end + 2 + parseInt(size, 16) + 2;
    if (at > bytes.length) return undefined;
    if (/^0+$/.test(size)) return endOfTrailers(bytes, at - 2);
  }
}

function endOfTrailers(bytes: Buffer, start: number): number | undefined {
  if (bytes.toString('latin1', start, start + 2) === '\r\n') return start + 2;
  const end = bytes.indexOf('\r\n\r\n', start);
  return end === -1 ? undefined : end + 4;
}

// Parses a header line strictly: token, colon, visible characters.
function readHeader(line: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line);
  if (!match) throw new Error(`the header ${JSON.stringify(line.slice(0, 80))} is malformed`);
  return [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}

function readBody(reply: WireReply, method: string): Required<Pick<WireReply, 'body' | 'oddities'>> {
  const { status, body } = reply;
  const lengths = valuesOf(reply, 'content-length');
  const codings = valuesOf(reply, 'transfer-encoding');
  if (codings.length > 0 && (lengths.length > 0 || codings.join() !== 'chunked'))
    throw new Error('the framing of the reply contradicts itself');
  const [length = ''] = lengths;
  if (lengths.length > 1 || (lengths.length === 1 && !/^\d+$/.test(length)))
    throw new Error(`the Content-Length ${JSON.stringify(lengths.join())} is malformed`);
  if (method === 'HEAD' || status === 204 || status === 304) {
    if (body.length > 0) throw new Error(`a reply to ${method} with ${String(status)} has a body`);
    return { body, oddities: [] };
  }
  const mustEnd = !hasEventStreamType(reply.headers);
  if (codings.length > 0) return readChunks(body, mustEnd);
  // RFC 9112 section 6.3: without a length, the body ends with the connection.
  if (lengths.length === 0) return { body, oddities: [] };
  if (mustEnd && Number(length) !== body.length) {
    throw new Error(`the body has ${String(body.length)} bytes, and the Content-Length is ${length}`);
  }
  return { body, oddities: [] };
}

/** Decodes a chunked body (RFC 9112 section 7.1); `mustEnd` says whether the last chunk is required. */
function readChunks(body: Buffer, mustEnd: boolean): Required<Pick<WireReply, 'body' | 'oddities'>> {
  const chunks: Buffer[] = [];
  const oddities = new Set<string>();
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    const [, size, extension] = /^([\da-f]+)(;[\t -~]*)?$/i.exec(body.subarray(at, end).toString('latin1')) ?? [];
    if (!mustEnd && (end === -1 || end + parseInt(size ?? '', 16) + 4 > body.length))
      return { body: Buffer.concat(chunks), oddities: [...oddities] };
    if (end === -1 || size === undefined) throw new Error('a chunk of the reply is malformed');
    if (extension !== undefined) oddities.add('its chunks have extensions');
    const start = end + 2;
    if (parseInt(size, 16) === 0) {
      if (hasTrailers(body.subarray(start).toString('latin1'))) oddities.add('it has trailers');
      return { body: Buffer.concat(chunks), oddities: [...oddities] };
    }
    at = start + parseInt(size, 16) + 2;
    if (body.subarray(at - 2, at).toString('latin1') !== '\r\n') throw new Error('a chunk of the reply ends early');
    chunks.push(body.subarray(start, at - 2));
  }
}

/** @param end what follows the last chunk */
function hasTrailers(end: string): boolean {
  if (end === '\r\n') return false;
  const [, section] = /^((?:[^\r\n]+\r\n)+)\r\n$/.exec(end) ?? [];
  if (section === undefined) throw new Error('bytes follow the last chunk of the reply');
  section.slice(0, -2).split('\r\n').forEach(readHeader);
  return true;
}
