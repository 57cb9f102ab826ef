// Tells the items of a sequential media type apart, and writes them: JSON Lines and NDJSON, JSON text sequences (RFC 7464), and
// server-sent events (HTML 9.2.6).
import {
  itemShape,
  JsonError,
  parseExactJson,
  propertyShape,
  readUtf8,
  type Framing,
  type JsonEvents,
  type Shape,
} from '@contract-kit/contract';

/** How the items of one media type are written. */
export interface ItemFormat {
  readonly framing: Framing | undefined;
  readonly jsonEvents: JsonEvents | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const RS = 0x1e;

/** Finds the end of the item that begins before `from`, which is behind its last byte; -1 if there is none yet. */
type FindEnd = (bytes: Buffer, from: number) => number;

/** Creates the function for the bytes of one body, one chunk after the other. */
export function createFindEnd(framing: Framing | undefined): FindEnd {
  if (framing === 'events') return createFindBlankLine();
  const delimiter = framing === 'records' ? RS : LF;
  return (bytes, from) => bytes.indexOf(delimiter, from) + 1 || -1;
}

// A line ends with LF, CR or both; the LF behind a CR may be in the next chunk, and belong to the next event.
function createFindBlankLine(): FindEnd {
  let isEmpty = true;
  let isAfterCr = false;
  return (bytes, from) => {
    for (let index = from; index < bytes.length; index++) {
      const byte = bytes[index];
      const isSecondOfTwo = byte === LF && isAfterCr;
      isAfterCr = byte === CR;
      if (isSecondOfTwo) continue;
      if (byte !== LF && byte !== CR) isEmpty = false;
      else if (isEmpty) return index + 1;
      else isEmpty = true;
    }
    return -1;
  };
}

/**
 * Reads one item: undefined if the bytes are none, such as an event without data.
 *
 * @param bytes with the delimiter at their end, if they have one
 * @param shape of the item
 * @throws JsonError when it is malformed
 */
export function readItem(
  { framing, jsonEvents }: ItemFormat,
  bytes: Buffer | string,
  shape: Shape | undefined,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): unknown {
  const found = readUtf8(bytes);
  // The last event needs its blank line; one of two characters is blank lines.
  if (framing === 'events')
    return isLast || found.length < 3 ? undefined : readEvent(found, jsonEvents, shape, isFirst);
  const text = isLast ? found : found.slice(0, -1);
  if (framing === 'lines') return isLast && text === '' ? undefined : parseExactJson(text, shape);
  // Before the first separator there is nothing; two of them have no item between.
  if (text === '') return undefined;
  if (isFirst) throw new JsonError('syntax', 'The sequence does not begin with a record separator.');
  if (!/["\]}\s]$/.test(text.slice(-1))) throw new JsonError('syntax', 'The item was cut: no white space follows it.');
  return parseExactJson(text, shape);
}

/** Reads the items of a whole body. @param shape of the list */
export function* readItems(format: ItemFormat, bytes: Buffer, shape: Shape | undefined): Generator {
  const findEnd = createFindEnd(format.framing);
  let start = 0;
  for (let index = 0; start !== -1;) {
    const end = findEnd(bytes, start);
    const place = { isFirst: start === 0, isLast: end === -1 };
    const item = readItem(format, bytes.subarray(start, end === -1 ? undefined : end), itemShape(shape, index), place);
    if (item !== undefined) {
      index++;
      yield item;
    }
    start = end;
  }
}

function readEvent(
  text: string,
  jsonEvents: JsonEvents | undefined,
  shape: Shape | undefined,
  isFirst: boolean,
): object | undefined {
  const event: { data?: string; event?: string; id?: string; retry?: unknown } = {};
  const readJson = (name: 'data' | 'retry', json: string): void =>
    void Object.assign(event, { [name]: parseExactJson(json, propertyShape(shape, name)) });
  for (const line of (isFirst ? text.replace(/^\ufeff/, '') : text).split(/\r\n|\r|\n/)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as unknown as [string, string, string?];
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (name === 'event') event.event = value;
    else if (name === 'id' && !value.includes('\0')) event.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) readJson(name, value.replace(/^0+(?=\d)/, ''));
  }
  if (event.data === undefined) return undefined;
  if (hasJson(jsonEvents, event.event)) readJson('data', event.data);
  return event;
}

function hasJson(events: JsonEvents | undefined, name: unknown): boolean {
  if (!events) return false;
  return events.json.includes(name) || (events.others && !events.text.includes(name));
}

/**
 * Writes one item.
 *
 * @param toJson writes a value of the item, and refuses what is not Unicode
 * @throws Error for an event whose fields cannot be written
 */
export function writeItem(
  { framing, jsonEvents }: ItemFormat,
  item: unknown,
  toJson: (value: unknown) => string,
): string {
  if (framing === 'lines') return `${toJson(item)}\n`;
  if (framing === 'records') return `\x1e${toJson(item)}\n`;
  const { event, id, retry, data, ...others } = Object(item) as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`response/body/${unknown} is not a field of an event`);
  const digits = retry === undefined ? '' : toJson(retry);
  if (!/^\d*$/.test(digits)) throw new Error('response/body/retry must be an integer from 0 on');
  const text = hasJson(jsonEvents, event) && data !== undefined ? toJson(data) : assertText('data', data ?? '', toJson);
  return [
    ...(event === undefined ? [] : [`event: ${assertLine('event', event, toJson)}`]),
    ...(id === undefined ? [] : [`id: ${assertLine('id', id, toJson)}`]),
    ...(retry === undefined ? [] : [`retry: ${digits}`]),
    ...(data === undefined ? [] : text.split(/\r\n|\r|\n/).map((line) => (line === '' ? 'data:' : `data: ${line}`))),
    '\n',
  ].join('\n');
}

function assertText(name: string, value: unknown, toJson: (value: unknown) => string): string {
  if (typeof value !== 'string') throw new Error(`response/body/${name} must be a string`);
  toJson(value);
  return value;
}

// Another line would be another field (HTML 9.2.6), and browsers ignore an id with NUL.
function assertLine(name: string, value: unknown, toJson: (value: unknown) => string): string {
  const text = assertText(name, value, toJson);
  if (/[\r\n]/.test(text) || (name === 'id' && text.includes('\0')))
    throw new Error(`response/body/${name} has a character that ends a line, or NUL`);
  return text;
}
