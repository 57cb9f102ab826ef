// Splits the bytes of a multipart/form-data into parts (RFC 7578, RFC 2046 section 5.1), in time that grows with the bytes alone.
import { parseHeaderValue } from '../text/header-value';
import { readPartHead, refuseMultipart, type PartHead } from './part-head';

export interface SentPart extends PartHead {
  readonly bytes: Buffer;
}

const MAX_PARTS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;
// RFC 2046 section 5.1.1. The longer a boundary is, the longer text that is nearly one takes Buffer.indexOf.
const MAX_BOUNDARY_LENGTH = 70;
const LINE_END = '\r\n';

/** @throws Refusal when the bytes are malformed, or the head of a part is not UTF-8 */
export function readParts(bytes: Buffer, contentType: string): SentPart[] {
  const delimiter = Buffer.from(`${LINE_END}--${readBoundary(contentType)}`, 'latin1');
  const parts: SentPart[] = [];
  // The first delimiter begins the bytes, without its line end, or follows a preamble, which counts for nothing.
  const isFirst = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  for (let end = isFirst ? -2 : bytes.indexOf(delimiter); ;) {
    if (end === -1) throw refuseMultipart('it has no end');
    const start = end + delimiter.length;
    const mark = bytes.toString('latin1', start, start + 2);
    // What follows the end counts for nothing.
    if (mark === '--') return parts;
    if (mark !== LINE_END) throw refuseMultipart('a boundary does not end its line');
    if (parts.length === MAX_PARTS) throw refuseMultipart(`it has more than ${String(MAX_PARTS)} parts`);
    const headLength = bytes.subarray(start, start + MAX_HEAD_BYTES).indexOf(LINE_END + LINE_END);
    if (headLength === -1) throw refuseMultipart('the headers of a part have no end, or more than 16 kB');
    const head = readPartHead(bytes.subarray(start + 2, start + headLength));
    // The line end of a delimiter may be that of the empty line behind the headers.
    const content = start + headLength + 4;
    end = bytes.indexOf(delimiter, content - 2);
    parts.push({ ...head, bytes: bytes.subarray(content, end) });
  }
}

function readBoundary(contentType: string): string {
  const boundary = parseHeaderValue(contentType)?.parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) {
    throw refuseMultipart(`its Content-Type has no boundary of 1 to ${String(MAX_BOUNDARY_LENGTH)} characters`);
  }
  return boundary;
}

/** The bytes of a text, as UTF-8 from the charset that its part names; whether UTF-8 is well-formed is looked at when it is read. */
export function toUtf8({ fileName, charset, bytes }: SentPart): Buffer {
  if (fileName !== undefined || charset === undefined || /^utf-?8$/i.test(charset)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    throw refuseMultipart('a part is not in the charset that it names, or the charset is unknown');
  }
}
