// Splits the bytes of a multipart/form-data into parts.
import busboy from 'busboy';
import { Refusal } from '../refusal/refusal';

export interface SentPart {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string;
  readonly bytes: Buffer;
}

// Busboy limits the headers of a part to 16 kB; the bytes of the body are limited before.
const MAX_PARTS = 1_000;
// U+FFFD, which busboy puts in the place of bytes that are not UTF-8.
const REPLACEMENT_CHARACTER = '\ufffd';

/** @throws Refusal when the bytes are malformed, or a text is not UTF-8 */
export function readParts(bytes: Buffer, contentType: string): Promise<SentPart[]> {
  return new Promise((resolve, reject) => {
    const parts: SentPart[] = [];
    let isNotUtf8 = false;
    const fail = (problem: string): void => {
      reject(new Refusal('INVALID_BODY', `request/body is no multipart/form-data: ${problem}`, { rule: 'multipart' }));
    };
    const add = (part: Omit<SentPart, 'name'>, name: string | undefined): void => {
      if (name === undefined) fail('a part has no name');
      else parts.push({ ...part, name });
    };
    const parser = createParser(contentType, fail);
    if (!parser) return;
    parser.on('field', (name, text, { mimeType: type }) => {
      const value = Buffer.from(text);
      // busboy replaces bytes that are not UTF-8; a client may also send the character itself, so look for it in the bytes.
      // That is slow: once a text is not UTF-8, look no more.
      isNotUtf8 ||= text.includes(REPLACEMENT_CHARACTER) && !bytes.includes(value);
      if (isNotUtf8) reject(new Refusal('INVALID_UTF8'));
      else add({ fileName: undefined, type, bytes: value }, name);
    });
    parser.on('file', (name, stream, { filename, mimeType: type }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', ({ message }) => {
        fail(message);
      });
      stream.on('end', () => {
        add({ fileName: filename ?? '', type, bytes: Buffer.concat(chunks) }, name);
      });
    });
    parser.on('partsLimit', () => {
      fail(`it has more than ${String(MAX_PARTS)} parts`);
    });
    parser.on('error', (error) => {
      fail((error as Error).message);
    });
    parser.on('close', () => {
      resolve(parts);
    });
    parser.end(bytes);
  });
}

/** Creates the parser; undefined, after a call of `fail`, for a Content-Type without a boundary. */
function createParser(contentType: string, fail: (problem: string) => void): busboy.Busboy | undefined {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      // busboy reports its limit of parts at the boundary that ends the last one: allow one more.
      limits: { parts: MAX_PARTS + 1, fieldSize: Infinity },
      defParamCharset: 'utf8',
    });
  } catch (cause) {
    fail((cause as Error).message);
    return undefined;
  }
}
