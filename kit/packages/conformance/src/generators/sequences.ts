// Makes sequences with invalid items, many items, other spellings and malformed items.
import type { Content } from '../contract/model';
import { aroundAddedValue } from '../values/additional';
import { itemOf, prefixLengthOf } from '../contract/schema';
import { isReadBack, writeContent } from '../contract/serialization';
import { fits, type Values } from '../values/variant';
import { isJsonList, toJson, toText, type Json } from '../wire/json';
import { readItems, type Framing } from '../wire/sequence';
import type { Row } from './case';
import type { SentBody } from './sent-body';

// More than one packet, and less than servers refuse as too large.
const MANY_ITEMS_BYTES = 60_000;

/** Many items and other spellings; or else an invalid item in the first, middle and last position. */
export function changeSequence(values: Values, content: Content, areValid: boolean): SentBody[] {
  const { schema, pointer, framing = 'jsonl' } = content;
  const base = toJson(values.baseOf(schema));
  if (!isJsonList(base) || !isReadBack(framing, base)) return [];
  const repeat = (count: number): Json[] => Array.from({ length: count }, () => base.at(-1) ?? null);
  const many = Math.ceil(MANY_ITEMS_BYTES / writeContent(content, repeat(1)).length);
  const create = (label: string, items: readonly Json[], more: Partial<SentBody> = {}): SentBody[] =>
    fits(values, schema, items) === areValid
      ? [{ pointer, label, body: writeContent(content, items), interpretation: areValid ? items : undefined, ...more }]
      : [];
  const respell = (items: readonly Json[], prefix = ''): SentBody[] =>
    respellings(framing, writeContent(content, items).toString()).flatMap(([label, text, more]): SentBody[] => {
      const body = Buffer.from(text);
      const readings = readItems(framing, body).map((item) => ('value' in item ? item.value : null));
      return create(`${prefix}${label}`, readings, { ...more, body });
    });
  if (areValid) return [...create(`${String(many)} items`, repeat(many)), ...respell(base)];
  const wrong = findWrongItem(values, content, repeat);
  if (wrong === undefined) return [];
  return [
    ...create('a wrong item first', [wrong, ...repeat(2)]),
    ...create('a wrong item in the middle', [...repeat(1), wrong, ...repeat(1)]),
    ...create('a wrong item last', [...repeat(2), wrong]),
    ...create(`a wrong item after ${String(many)} right ones`, [...repeat(many), wrong]),
    // A reader that does not know the spelling may read no event at all.
    ...(framing === 'events' ? respell([wrong], 'a wrong item, ') : []),
  ];
}

// An invalid item that the framing can express, in an otherwise valid list.
function findWrongItem(
  values: Values,
  { schema, framing = 'jsonl' }: Content,
  repeat: (count: number) => Json[],
): Json | undefined {
  const itemSchema = itemOf(schema, prefixLengthOf(schema));
  if (!itemSchema || !fits(values, schema, repeat(3))) return undefined;
  const items = values.invalidValues(itemSchema).map(({ value }) => toJson(value));
  return items.find((item) => isReadBack(framing, [item]) && !fits(values, schema, [...repeat(2), item]));
}

function respellings(framing: Framing, text: string): Row<string>[] {
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
    // NDJSON 3.1: a writer ends each line.
    ...(framing === 'ndjson' ? [] : [['no line feed behind the last item', text.replace(/\n$/, '')] as const]),
  ];
}

/** Returns an empty list for events, because HTML reads any bytes as events. */
export function malformedSequences(framing: Framing, valid: string): Row<string | Buffer>[] {
  if (framing === 'events') return [];
  const separator = framing === 'json-seq' ? '\x1e' : '';
  const item = toText(valid.split('\n')[0]).replace('\x1e', '');
  const [before, after] = aroundAddedValue(item);
  const notUtf8 = Buffer.concat([Buffer.from(`${separator}${before}"`), Buffer.of(0xff), Buffer.from(`"${after}\n`)]);
  const skippable = separator === '' ? {} : { implementationDefined: 'RFC 7464 2.1' as const };
  const lines: Row<string>[] = [
    ['an item over two lines', `${item.slice(0, 1)}\n${item.slice(1)}\n`],
    ['a record separator before an item', `\x1e${valid}`],
  ];
  const rows: Row<string | Buffer>[] = [
    ['cut in its last item', `${valid}${separator}${item.slice(0, -1)}`, { level: 'contract', ...skippable }],
    ['a comma behind an item', `${separator}${item},\n`, skippable],
    ['an item that is not JSON', `${valid}${separator}nonsense\n${valid}`, skippable],
    ['UTF-8: a byte that never occurs', notUtf8, skippable],
    ...(separator === '' ? lines : [['no record separators', valid.replaceAll(separator, '')] as const]),
  ];
  // Part of an item may be an item.
  return rows.filter(([, body]) => readItems(framing, Buffer.from(body)).some((item) => 'error' in item));
}
