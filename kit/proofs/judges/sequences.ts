// Judges the suite's reader and writer of sequences by tables of JSON lines, JSON text sequences and event streams.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSame, readJson, writeJson, type Json } from '../../packages/conformance/src/wire/json';
import {
  framingOf,
  readItems,
  writeItems,
  type Framing,
  type ReadItem,
} from '../../packages/conformance/src/wire/sequence';
import { Verdicts } from './judge';

interface Row {
  readonly mediaType: string;
  readonly name: string;
  readonly bytes?: string;
  readonly base64?: string;
  readonly items: readonly Json[];
  readonly error?: { readonly item: bigint; readonly rule: string };
  /** Whether a reader may also refuse it. */
  readonly either?: boolean;
  /** Whether a writer makes the bytes of the items. */
  readonly canonical?: boolean;
}

interface EventRow {
  readonly name: string;
  readonly bytes: string;
  readonly events: readonly { readonly event: string; readonly data: string; readonly id: string }[] | null;
}

// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgeSequences(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  for (const row of readRows(data, 'sequential-media.json') as readonly Row[]) {
    const framing = framingOf(row.mediaType);
    const test = `${row.mediaType}, ${row.name}`;
    verdicts.add(test, framing ? judgeRow(framing, row) : 'not sequential');
    if (framing && row.canonical) verdicts.add(`${test}, written`, judgeWritten(framing, row));
  }
  for (const { name, bytes, events } of readRows(data, 'web-platform-tests/event-stream.json') as readonly EventRow[])
    if (events)
      verdicts.add(name, showDifference(toDispatched(valuesOf(readItems('events', Buffer.from(bytes)))), events));
  return verdicts;
}

/** Integers are exact. */
function readRows(...path: readonly string[]): unknown {
  return readJson(readFileSync(join(...path), 'utf8'));
}

function judgeRow(framing: Framing, { items, error, either, ...row }: Row): string | undefined {
  const read = readItems(framing, bytesOf(row));
  const errors = read.flatMap((item, index) => ('error' in item ? [{ item: index + 1, text: item.error }] : []));
  if (either && errors.length > 0) return undefined;
  const [found] = errors;
  const isRightError = error ? BigInt(found?.item ?? 0) === error.item && found?.text.includes(error.rule) : !found;
  if (!isRightError) return found ? `item ${String(found.item)} ${found.text}` : 'accepted';
  return showDifference(valuesOf(read), items);
}

function judgeWritten(framing: Framing, { items, ...row }: Row): string | undefined {
  const written = writeItems(framing, items);
  // An event may be written in several ways.
  if (framing === 'events') return showDifference(valuesOf(readItems(framing, written)), items);
  return written.equals(bytesOf(row)) ? undefined : written.toString();
}

function valuesOf(items: readonly ReadItem[]): unknown[] {
  return items.flatMap((item) => ('value' in item ? [item.value] : []));
}

function bytesOf({ bytes, base64 = '' }: Pick<Row, 'bytes' | 'base64'>): Buffer {
  return bytes === undefined ? Buffer.from(base64, 'base64') : Buffer.from(bytes);
}

/** What a browser dispatches: the event is a message by default, and the id the last one seen. */
function toDispatched(items: readonly unknown[]): unknown[] {
  let lastId = '';
  return items.map((item) => {
    const { event, data, id = lastId } = item as Partial<Record<string, string>>;
    lastId = id;
    return { event: event === undefined || event === '' ? 'message' : event, data, id };
  });
}

function showDifference(found: unknown, wanted: unknown): string | undefined {
  return isSame(found as Json, wanted as Json) ? undefined : writeJson(found as Json);
}
