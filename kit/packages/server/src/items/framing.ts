// Parses and serializes items of sequential media types: JSON Lines, JSON text sequences (RFC 7464) and server-sent events (HTML
// standard, section 9.2.6).
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

export interface ItemFormat {
  readonly framing: Framing | undefined;
  readonly jsonEvents: JsonEvents | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const RS = 0x1e;

/** Searches for the end of an item, continuing at `from`. Returns the index after the item, or -1 if it is incomplete. */
type FindEnd = (bytes: Buffer, from: number) => number;

/** Creates a FindEnd for one body, which must be called with its chunks in order. */
export function createFindEnd(framing: Framing | undefined): FindEnd {
  if (framing === 'events') return createFindBlankLine();
  const delimiter = framing === 'records' ? RS : LF;
  return (bytes, from) => bytes.indexOf(delimiter, from) + 1 || -1;
}

// Lines end with LF, CR or CRLF. If a CR ends an event, an LF after it, which might arrive later, belongs to the next event.
function createFindBlankLine(): FindEnd {
  let isEmpty = true;
  let isAfterCr = false;
  return (bytes, from) => {
    for (let index = from; index < bytes.length; index++) {
      const byte = bytes[index];
      const isLfOfCrlf = byte === LF && isAfterCr;
      isAfterCr = byte === CR;
      if (isLfOfCrlf) continue;
      if (byte !== LF && byte !== CR) isEmpty = false;
      else if (isEmpty) return index + 1;
      else isEmpty = true;
    }
    return -1;
  };
}

/**
 * Parses one item. The result is undefined if the bytes contain no item, for example in an event without data.
 *
 * @param bytes the item, including its delimiter
 * @throws JsonError if the item is malformed
 */
export function readItem(
  { framing, jsonEvents }: ItemFormat,
  bytes: Buffer | string,
  shape: Shape | undefined,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): unknown {
  const framedText = readUtf8(bytes);
  // An event without a blank line is incomplete, and fewer than three characters can only be blank lines.
  if (framing === 'events')
    return isLast || framedText.length < 3 ? undefined : readEvent(framedText, jsonEvents, shape, isFirst);
  const text = isLast ? framedText : framedText.slice(0, -1);
  if (framing === 'lines') return isLast && text === '' ? undefined : parseExactJson(text, shape);
  // There is no item before the first separator, and none between two adjacent separators.
  if (text === '') return undefined;
  if (isFirst) throw new JsonError('syntax', 'The sequence does not begin with a record separator.');
  if (!/["\]}\s]$/.test(text.slice(-1))) throw new JsonError('syntax', 'The item was cut: no white space follows it.');
  return parseExactJson(text, shape);
}

/** Parses the items of a whole body. @param shape the shape of the list */
export function* readItems(format: ItemFormat, bytes: Buffer, shape: Shape | undefined): Generator {
  const findEnd = createFindEnd(format.framing);
  let start = 0;
  for (let index = 0; start !== -1;) {
    const end = findEnd(bytes, start);
    const position = { isFirst: start === 0, isLast: end === -1 };
    const itemBytes = bytes.subarray(start, end === -1 ? undefined : end);
    const item = readItem(format, itemBytes, itemShape(shape, index), position);
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
 * Serializes one item.
 *
 * @param toJson serializes a value; it must throw for a string that is not well-formed Unicode
 * @throws Error if the fields of an event cannot be serialized
 */
export function writeItem(
  { framing, jsonEvents }: ItemFormat,
  item: unknown,
  toJson: (value: unknown) => string,
): string {
  if (framing === 'lines') return `${toJson(item)}\n`;
  if (framing === 'records') return `\x1e${toJson(item)}\n`;
  const { event, id, retry, data, ...unknownFields } = Object(item) as Readonly<Record<string, unknown>>;
  const [unknownField] = Object.keys(unknownFields);
  if (unknownField !== undefined) throw new Error(`response/body/${unknownField} is not a field of an event`);
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

// A second line would be another field, and browsers ignore an id that contains NUL.
function assertLine(name: string, value: unknown, toJson: (value: unknown) => string): string {
  const text = assertText(name, value, toJson);
  if (/[\r\n]/.test(text) || (name === 'id' && text.includes('\0')))
    throw new Error(`response/body/${name} has a character that ends a line, or NUL`);
  return text;
}
