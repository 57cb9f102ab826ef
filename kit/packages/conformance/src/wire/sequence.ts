// Reads and writes the items of sequential media types: JSON lines, JSON text sequences and server-sent events.
import { isUtf8 } from 'node:buffer';
import { isJsonObject, readJson, readNumber, toJson, toText, writeJson, type Json, type Wire } from './json';
import { essenceOf } from './media-type';

/** How items are separated. Unlike `jsonl`, `ndjson` allows blank lines. */
export type Framing = 'jsonl' | 'ndjson' | 'json-seq' | 'events';

const FRAMINGS: Readonly<Record<string, Framing>> = {
  'application/jsonl': 'jsonl',
  'application/jsonlines': 'jsonl',
  'application/x-jsonlines': 'jsonl',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/json-seq': 'json-seq',
  'text/event-stream': 'events',
};

/** Returns undefined for a media type that is not sequential. A suffix +json-seq counts (RFC 8091 section 2). */
export function framingOf(mediaType: string): Framing | undefined {
  const essence = essenceOf(mediaType);
  return essence.endsWith('+json-seq') ? 'json-seq' : FRAMINGS[essence];
}

/** Returns the word for an item in findings. */
export function nounOf(framing: Framing): string {
  return framing === 'events' ? 'event' : 'item';
}

const RECORD_SEPARATOR = 0x1e;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Returns a byte that every item contains. */
export function delimiterByteOf(framing: Framing): number {
  return framing === 'json-seq' ? RECORD_SEPARATOR : LINE_FEED;
}

/** An item's value, or its error, such as `is not JSON`. */
export type ReadItem = { readonly value: Json } | { readonly error: string };

/** Stops at a malformed item, except in JSON text sequences. Unless `isWhole`, the last item may be cut off. */
export function readItems(framing: Framing, bytes: Buffer, isWhole = true): ReadItem[] {
  if (framing === 'events') return readEvents(bytes);
  return framing === 'json-seq' ? readTextSequence(bytes, isWhole) : readLines(bytes, framing === 'ndjson', isWhole);
}

/**
 * Finds an item that lacks its required end, which readers may tolerate: a line feed (RFC 7464 2.2, NDJSON 3.1), or the
 * blank line after an event (HTML 9.2.5).
 */
export function findUnended(framing: Framing, bytes: Buffer, isWhole: boolean): string | undefined {
  const text = bytes.toString('latin1');
  if (framing === 'json-seq') {
    const completeText = isWhole ? text : text.slice(0, text.lastIndexOf('\x1e') + 1);
    return /[^\n\x1e](?=\x1e|$)/.test(completeText) ? 'no line feed follows an item' : undefined;
  }
  if (framing === 'jsonl' || !isWhole) return undefined;
  if (framing === 'ndjson') return /[^\n]$/.test(text) ? 'no line feed follows the last item' : undefined;
  const [last = ''] = text.replace(/\r\n?/g, '\n').split('\n\n').slice(-1);
  return /^data(?::|$)/m.test(last) ? 'no blank line follows the last event' : undefined;
}

function readLines(bytes: Buffer, mayBeBlank: boolean, isWhole: boolean): ReadItem[] {
  const items: ReadItem[] = [];
  for (let start = 0; start < bytes.length;) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    if (lineEnd === -1 && !isWhole)
      return [...items, ...readPartialText(bytes.subarray(start)).filter((cut) => 'error' in cut)];
    const end = lineEnd === -1 ? bytes.length : lineEnd;
    const line = bytes.subarray(start, end);
    start = end + 1;
    const isBlank = /^[ \t\r]*$/.test(line.toString('latin1'));
    if (isBlank && mayBeBlank) continue;
    const item = isBlank ? { error: 'is a blank line' } : readText(line);
    items.push(item);
    if ('error' in item) break;
  }
  return items;
}

function readText(bytes: Buffer): ReadItem {
  if (!isUtf8(bytes)) return { error: 'is not UTF-8' };
  if (bytes.indexOf(BYTE_ORDER_MARK) === 0) return { error: 'begins with a byte order mark' };
  try {
    return { value: readJson(bytes.toString()) };
  } catch (error) {
    return { error: `is not JSON: ${(error as Error).message}` };
  }
}

/** Whether bytes are UTF-8, possibly cut within the last character. */
export function isUtf8Prefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

// The text may continue, so an error counts only if no continuation could make the text valid.
function readPartialText(bytes: Buffer): ReadItem[] {
  if (!isUtf8Prefix(bytes)) return [{ error: 'is not UTF-8' }];
  const item = readText(bytes);
  return 'value' in item || item.error.includes(' after JSON ') ? [item] : [];
}

// Each record separator precedes a text, and adjacent separators enclose none (RFC 7464 section 2.1).
function readTextSequence(bytes: Buffer, isWhole: boolean): ReadItem[] {
  if (bytes.length > 0 && bytes[0] !== RECORD_SEPARATOR) return [{ error: 'has no record separator before it' }];
  const items: ReadItem[] = [];
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(RECORD_SEPARATOR, start + 1);
    const end = next === -1 ? bytes.length : next;
    const text = bytes.subarray(start + 1, end);
    start = end;
    if (text.length === 0) continue;
    // A number such as 12 may be the beginning of 123 (RFC 7464 section 2.4).
    const mayContinue = /[^ \t\r\n"\]}]$/.test(text.toString('latin1'));
    if (!isWhole && next === -1) return [...items, ...(mayContinue ? [] : readPartialText(text))];
    const item = readText(text);
    items.push(mayContinue && 'value' in item ? { error: 'is cut: no white space ends it' } : item);
  }
  return items;
}

// HTML, 9.2.6: a blank line ends an event, which counts if it has data. Unknown fields are ignored.
function readEvents(bytes: Buffer): ReadItem[] {
  const start = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const items: ReadItem[] = [];
  let fields: Record<string, Json> = {};
  let data: string[] = [];
  // Latin-1 is safe here, since line ends are the same bytes in UTF-8.
  const lines = bytes.toString('latin1', start).split(/\r\n|\r|\n/);
  // An unfinished last line is ignored.
  for (const latin1 of lines.slice(0, -1)) {
    const lineBytes = Buffer.from(latin1, 'latin1');
    if (!isUtf8(lineBytes)) return [...items, { error: 'is not UTF-8' }];
    const line = lineBytes.toString();
    if (line === '') {
      if (data.length > 0) items.push({ value: { ...fields, data: data.join('\n') } });
      [fields, data] = [{}, []];
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event' || (/^id$/.test(name) && !value.includes('\0'))) fields[name] = value;
    else if (name === 'retry' && /^\d+$/.test(value)) fields[name] = readNumber(value);
  }
  const isUtf8SoFar = isUtf8Prefix(Buffer.from(lines.at(-1) ?? '', 'latin1'));
  return isUtf8SoFar ? items : [...items, { error: 'is not UTF-8' }];
}

/** Writes a list, or any other value as the only item. An item that an event cannot express reads back differently. */
export function writeItems(framing: Framing, items: Wire): Buffer {
  const write = framing === 'events' ? writeEvent : (item: Wire): string => `${writeJson(item)}\n`;
  const separator = framing === 'json-seq' ? '\x1e' : '';
  const list = Array.isArray(items) ? (items as readonly Wire[]) : [items];
  return Buffer.from(list.map((item) => `${separator}${write(item)}`).join(''));
}

function writeEvent(item: Wire): string {
  const json = toJson(item);
  const fields = Object.entries(isJsonObject(json) ? json : {}).flatMap(([name, value]) =>
    toText(value)
      .split('\n')
      .map((line) => `${name}: ${line}\n`),
  );
  return `${fields.join('')}\n`;
}
