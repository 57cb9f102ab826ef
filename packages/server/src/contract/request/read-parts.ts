// Takes the bytes of a multipart/form-data apart.
import busboy from 'busboy';
import { Refusal } from '../refusal/refusal';

/** One part, as it was sent. */
export interface SentPart {
  readonly name: string;
  /** Undefined for a field. */
  readonly fileName: string | undefined;
  readonly type: string;
  readonly bytes: Buffer;
}

// Of a form. The bytes are limited as those of any body, and the headers of a part by busboy, 16 kB.
const MAX_PARTS = 1_000;
const REPLACEMENT = '\ufffd';

/**
 * Takes the bytes of a multipart/form-data apart.
 *
 * @throws Refusal when they are none, or a text in them is no UTF-8
 */
export function readParts(bytes: Buffer, contentType: string): Promise<SentPart[]> {
  return new Promise((resolve, reject) => {
    const parts: SentPart[] = [];
    let isRefused = false;
    const fail = (problem: string): void => {
      reject(new Refusal('INVALID_BODY', `request/body is no multipart/form-data: ${problem}`, { rule: 'multipart' }));
    };
    const keep = (part: Omit<SentPart, 'name'>, name: string | undefined): void => {
      if (name === undefined) fail('a part has no name');
      else parts.push({ ...part, name });
    };
    const parser = createParser(contentType, fail);
    if (!parser) return;
    parser.on('field', (name, text, { mimeType: type }) => {
      const value = Buffer.from(text);
      // The parser puts it in the place of what is no UTF-8. One such text is enough: each takes a look through all bytes.
      isRefused ||= text.includes(REPLACEMENT) && !bytes.includes(value);
      if (isRefused) reject(new Refusal('INVALID_UTF8'));
      else keep({ fileName: undefined, type, bytes: value }, name);
    });
    parser.on('file', (name, stream, { filename, mimeType: type }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', ({ message }) => {
        fail(message);
      });
      stream.on('end', () => {
        keep({ fileName: filename ?? '', type, bytes: Buffer.concat(chunks) }, name);
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

function createParser(contentType: string, fail: (problem: string) => void): busboy.Busboy | undefined {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_PARTS + 1, fieldSize: Infinity },
      defParamCharset: 'utf8',
    });
  } catch (cause) {
    fail((cause as Error).message);
    return undefined;
  }
}
