// Writes a multipart/form-data.
import type { Part } from '../contract/read-parts';
import { isJsonList, writeJson, type Wire } from './json';
import { scalarText } from './parameter';

/** The boundary of every form; no value contains it. */
export const BOUNDARY = 'between-parts-0Zk3';

export interface SentPart {
  readonly name: string;
  /** Of a file alone. */
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Writes the bytes of a multipart/form-data (RFC 7578): each part between boundaries, with a head of its own. */
export function writeParts(parts: readonly SentPart[]): Buffer {
  const written = parts.flatMap(({ name, fileName, type, bytes }) => {
    const fileParameter = fileName === undefined ? '' : `; filename="${quoteParameter(fileName)}"`;
    const disposition = `Content-Disposition: form-data; name="${quoteParameter(name)}"${fileParameter}\r\n`;
    const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${BOUNDARY}\r\n${disposition}${contentType}\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** One part, or one for each item of a list. The value of a file is a Latin-1 string, one character a byte. */
export function toParts(name: string, { kind, isList, types }: Part, value: Wire): SentPart[] {
  const items = isList && isJsonList(value) ? value : [value];
  const [declaredType] = types;
  return items.map((item): SentPart => {
    if (kind === 'json') return { name, type: declaredType ?? 'application/json', bytes: Buffer.from(writeJson(item)) };
    // Lists and objects always have kind json, so this is a scalar.
    const content = scalarText(item as string);
    if (kind === 'text') return { name, bytes: Buffer.from(content) };
    const type = toConcreteType(declaredType ?? 'application/octet-stream');
    return { name, fileName: `${name}.bin`, type, bytes: Buffer.from(content, 'latin1') };
  });
}

/** A media type that matches a range; other types stay the same. */
export function toConcreteType(type: string): string {
  return type.replace('*/*', 'application/octet-stream').replace('*', 'plain');
}

// HTML, multipart form data: only these characters are escaped.
function quoteParameter(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}
