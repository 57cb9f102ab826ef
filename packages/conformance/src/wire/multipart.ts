// Writes a multipart/form-data.
import type { Part } from '../contract/read-parts';
import { isJsonList, writeJson, type Wire } from './json';
import { scalarText } from './parameter';

/** The boundary of every form; no value contains it. */
export const BOUNDARY = 'between-parts-0Zk3';

/** One part, as it is sent. */
export interface SentPart {
  readonly name: string;
  /** Of a file alone. */
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** The bytes of a form (RFC 7578). */
export function writeParts(parts: readonly SentPart[]): Buffer {
  const written = parts.flatMap(({ name, fileName, type, bytes }) => {
    const file = fileName === undefined ? '' : `; filename="${quoteParameter(fileName)}"`;
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${quoteParameter(name)}"${file}\r\n${typed}\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Turns the value of a property into its parts; a file is a Latin-1 string. */
export function toParts(name: string, { kind, isList, types }: Part, value: Wire): SentPart[] {
  const items = isList && isJsonList(value) ? value : [value];
  const [type] = types;
  return items.map((item): SentPart => {
    if (kind === 'json') return { name, type: type ?? 'application/json', bytes: Buffer.from(writeJson(item)) };
    // Nested values always have kind json.
    const written = scalarText(item as string);
    if (kind === 'text') return { name, bytes: Buffer.from(written) };
    const bytes = Buffer.from(written, 'latin1');
    return { name, fileName: `${name}.bin`, type: toConcreteType(type ?? 'application/octet-stream'), bytes };
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
