import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Row } from './ledger';
import type { Random } from './random';

/** Of SQLite, unless it is told another. */
export const PAGE = 4096;

/** All pages of a file but the first, which every start reads. */
export function pagesOf(file: Buffer): number[] {
  return Array.from({ length: file.length / PAGE - 1 }, (_, page) => page + 1);
}

/** Writes random bytes over pages, counted from 0, of a file that others may have open. */
export function damagePages(file: string, pages: readonly number[], random: Random): void {
  writePages(file, new Map(pages.map((page) => [page, random.bytes(PAGE)])));
}

/** Writes pages, counted from 0, where they are in a file that others may have open. */
export function writePages(file: string, pages: ReadonlyMap<number, Buffer>): void {
  const descriptor = openSync(file, 'r+');
  for (const [page, bytes] of pages) writeSync(descriptor, bytes, 0, bytes.length, page * PAGE);
  closeSync(descriptor);
}

/** The plants that can be read yet, one by one, of the first ones of a table. */
export function readReadable(file: string, count: number): Row[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const select = database.prepare('SELECT id, name, tag FROM plants WHERE rowid = ?');
  select.setReadBigInts(true);
  return Array.from({ length: count }, (_, row) => {
    try {
      return (select.get(row + 1) ?? []) as Row | [];
    } catch {
      return [];
    }
  }).flat();
}
