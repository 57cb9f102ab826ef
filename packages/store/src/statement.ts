import type { SqliteValue } from './schema';

/**
 * One statement of SQL with its values: what a service reads or changes besides adding items.
 *
 * @example
 * export function findNotes(text: string): Statement<Note> {
 *   return {
 *     sql: 'SELECT number, text FROM notes WHERE text = $1 ORDER BY number LIMIT 100',
 *     values: [text],
 *     toItem: ({ number, text }: { number: bigint; text: string }) => ({ number, text }),
 *   };
 * }
 */
export interface Statement<Item> {
  /** One text for both engines, or one for each. Values are never part of it: it has `$1`, `$2` and so on for them. */
  readonly sql: string | { readonly sqlite: string; readonly postgres: string };
  readonly values: readonly SqliteValue[];
  /** Makes an item of a row that it returns. Integers are bigints, on both engines. */
  readonly toItem: (row: never) => Item;
  /** The others of a write are done even if this one changes no row. */
  readonly isOptional?: true;
}

export type Engine = 'sqlite' | 'postgres';

export interface Sql {
  readonly text: string;
  readonly values: readonly SqliteValue[];
  readonly isOptional: boolean;
}

export function toSql({ sql, values, isOptional }: Statement<unknown>, engine: Engine): Sql {
  return { text: typeof sql === 'string' ? sql : sql[engine], values, isOptional: isOptional === true };
}

/** How many bytes the values of a statement take while it waits, roughly. */
export function bytesOf({ values }: Statement<unknown>): number {
  // A string takes one or two bytes per character, a number 8.
  const sizes = values.map((value) =>
    typeof value === 'string' ? 2 * value.length : value instanceof Uint8Array ? value.length : 8,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
