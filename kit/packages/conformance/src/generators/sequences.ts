import type { Content } from '../contract/model';
import { aroundAddedValue } from '../values/additional';
import { itemOf, prefixLengthOf } from '../contract/schema';
import { canRoundTrip, writeContent } from '../contract/serialization';
import { fits, type Values } from '../values/variant';
import { isJsonList, toJson, toText, type Json } from '../wire/json';
import { readItems, type Framing } from '../wire/sequence';
import type { Row } from './case';
import type { SentBody } from './sent-body';

// The size of a body with many items: more than one packet, but below the size limits of servers.
const MANY_ITEMS_BYTES = 60_000;

/** Creates valid bodies with many items or other spellings, or else bodies with an invalid item. */
export function createSequenceVariants(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema, pointer, framing = 'jsonl' } = content;
  const base = toJson(values.baseOf(schema));
  if (!isJsonList(base) || !canRoundTrip(framing, base)) return [];
  const repeat = (count: number): Json[] => Array.from({ length: count }, () => base.at(-1) ?? null);
  const itemCount = Math.ceil(MANY_ITEMS_BYTES / writeContent(content, repeat(1)).length);
  const create = (label: string, items: readonly Json[], more: Partial<SentBody> = {}): SentBody[] =>
    fits(values, schema, items) === areValid
      ? [{ pointer, label, body: writeContent(content, items), interpretation: areValid ? items : undefined, ...more }]
      : [];
  const createRespelledBodies = (items: readonly Json[], prefix = ''): SentBody[] =>
    respell(framing, writeContent(content, items).toString()).flatMap(([label, text, more]): SentBody[] => {
      const body = Buffer.from(text);
      const parsedItems = readItems(framing, body).map((item) => ('value' in item ? item.value : null));
      return create(`${prefix}${label}`, parsedItems, { ...more, body });
    });
  if (areValid) return [...create(`${String(itemCount)} items`, repeat(itemCount)), ...createRespelledBodies(base)];
  const invalidItem = findInvalidItem(values, content, repeat);
  if (invalidItem === undefined) return [];
  return [
    ...create('a wrong item first', [invalidItem, ...repeat(2)]),
    ...create('a wrong item in the middle', [...repeat(1), invalidItem, ...repeat(1)]),
    ...create('a wrong item last', [...repeat(2), invalidItem]),
    ...create(`a wrong item after ${String(itemCount)} right ones`, [...repeat(itemCount), invalidItem]),
    // A server that does not know a spelling may read no events at all, and so miss the invalid item.
    ...(framing === 'events' ? createRespelledBodies([invalidItem], 'a wrong item, ') : []),
  ];
}

// Finds an invalid item that the framing can express.
function findInvalidItem(
  values: Values,
  { schema, framing = 'jsonl' }: Content,
  repeat: (count: number) => Json[],
): Json | undefined {
  const itemSchema = itemOf(schema, prefixLengthOf(schema));
  if (!itemSchema || !fits(values, schema, repeat(3))) return undefined;
  const items = values.invalidValues(itemSchema).map(({ value }) => toJson(value));
  return items.find((item) => canRoundTrip(framing, [item]) && !fits(values, schema, [...repeat(2), item]));
}

function respell(framing: Framing, text: string): Row<string>[] {
  if (framing === 'events')
    return [
      ['lines that end in CR LF (HTML 9.2.6)', text.replaceAll('\n', '\r\n')],
      ['lines that end in CR (HTML 9.2.6)', text.replaceAll('\n', '\r')],
      ['comments between events (HTML 9.2.6)', `: a comment\n\n${text}:\n`],
      ['data over several lines (HTML 9.2.6)', text.replace(/^data: ([[{])/gm, 'data: $1\ndata: ')],
      ['no space behind colons (HTML 9.2.6)', text.replace(/^(\w+): (?! )/gm, '$1:')],
      ['an unknown field (HTML 9.2.6)', `unknown: 1\n${text}`],
    ];
  if (framing === 'json-seq')
    return [
      ['several record separators in a row (RFC 7464 2.1)', text.replaceAll('\x1e', '\x1e\x1e')],
      ['line feeds in items (RFC 7464 2.1)', text.replaceAll('\x1e', '\x1e\n \n')],
    ];
  return [
    ['lines that end in CR LF', text.replaceAll('\n', '\r\n')],
    ['white space around items', text.replace(/^/, ' \t').replaceAll('\n', ' \n')],
    // NDJSON 3.1: a line feed must follow each item.
    ...(framing === 'ndjson' ? [] : [['no line feed behind the last item', text.replace(/\n$/, '')] as const]),
  ];
}

/** Returns an empty list for events, because the parser in the HTML Standard accepts any bytes. */
export function createMalformedSequences(framing: Framing, validBody: string): Row<string | Buffer>[] {
  if (framing === 'events') return [];
  const separator = framing === 'json-seq' ? '\x1e' : '';
  const item = toText(validBody.split('\n')[0]).replace('\x1e', '');
  const [before, after] = aroundAddedValue(item);
  const notUtf8 = Buffer.concat([Buffer.from(`${separator}${before}"`), Buffer.of(0xff), Buffer.from(`"${after}\n`)]);
  const skipClause = separator === '' ? {} : { implementationDefined: 'RFC 7464 2.1' as const };
  const lines: Row<string>[] = [
    ['an item over two lines', `${item.slice(0, 1)}\n${item.slice(1)}\n`],
    ['a record separator before an item', `\x1e${validBody}`],
  ];
  const rows: Row<string | Buffer>[] = [
    ['cut in its last item', `${validBody}${separator}${item.slice(0, -1)}`, { level: 'contract', ...skipClause }],
    ['a comma behind an item', `${separator}${item},\n`, skipClause],
    ['an item that is not JSON', `${validBody}${separator}nonsense\n${validBody}`, skipClause],
    ['UTF-8: a byte that never occurs', notUtf8, skipClause],
    ...(separator === '' ? lines : [['no record separators', validBody.replaceAll(separator, '')] as const]),
  ];
  // A part of an item can still be a valid item.
  return rows.filter(([, body]) => readItems(framing, Buffer.from(body)).some((item) => 'error' in item));
}
