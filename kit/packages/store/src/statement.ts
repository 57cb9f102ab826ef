import { isDate } from 'node:util/types';
import type { SqliteValue } from './schema';

/**
 * An SQL statement with its values.
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
  /** The SQL for both engines, or for each. It has `$1`, `$2` and so on in place of the values. */
  readonly sql: string | { readonly sqlite: string; readonly postgres: string };
  readonly values: readonly SqliteValue[];
  /** Converts a returned row to an item. Integers are bigints, on both engines. */
  readonly toItem: (row: never) => Item;
  /** In a write, the other statements count even if this one changes no row. */
  readonly isOptional?: true;
}

/**
 * A query from a query builder such as Kysely, which compiles it for this engine. `execute` only provides the type of a row, whose
 * integers are bigints. With SQLite, the placeholders may be `?` or `$1`.
 *
 * @example const query: Query<{ number: bigint }> = db.selectFrom('notes').select('number').limit(20);
 */
export interface Query<Row> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
  execute(): Promise<Row[]>;
}

/**
 * The type of a row that a change returns. Without RETURNING, it is an empty object, although Kysely's type counts rows.
 *
 * @example type Removed = Changed<DeleteResult>; // object
 */
export type Changed<Row> = [Extract<keyof Row, `num${string}Rows`>] extends [never] ? Row : object;

export function toStatement<Item>(query: Statement<Item> | Query<Item>): Statement<Item> {
  if (!('compile' in query)) return query;
  const { sql, parameters } = query.compile();
  return { sql, values: parameters as readonly SqliteValue[], toItem: (row) => row };
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

// PostgreSQL's protocol counts values in 16 bits.
export const MAX_VALUES = 65_535;

/** Thrown if a statement has values that the database would change, is invalid, or has ended its transaction. */
export class StatementError extends Error {
  readonly code = 'INVALID_STATEMENT';
}

const VALUE_TYPES = new Set(['bigint', 'boolean', 'number', 'string']);

// PostgreSQL's client would store any other object as JSON, and undefined as null.
function isValueObject(value: unknown, engine: Engine): boolean {
  if (value === null || ArrayBuffer.isView(value)) return true;
  return engine === 'postgres' && isDate(value) && !Number.isNaN(value.getTime());
}

/**
 * Asserts that a database stores values without changing them, and that they do not make a whole batch fail. Drivers store an
 * unpaired surrogate as U+FFFD, SQLite stores NaN as null, and functions cannot be sent to a thread.
 *
 * @returns roughly how many bytes the values take
 */
export function measureValues(values: readonly unknown[], engine: Engine): number {
  if (values.length > MAX_VALUES) throw new StatementError(`a statement can have at most ${String(MAX_VALUES)} values`);
  let bytes = 0;
  for (const value of values) {
    if (!VALUE_TYPES.has(typeof value) && !isValueObject(value, engine)) {
      throw new StatementError(`no column can hold a value of the type ${typeof value}`);
    }
    if (typeof value === 'string' && !value.isWellFormed())
      throw new StatementError('no column can hold an unpaired surrogate');
    if (Number.isNaN(value) && engine === 'sqlite') throw new StatementError('SQLite would store null instead of NaN');
    // A string takes one or two bytes per character, a number 8.
    bytes += typeof value === 'string' ? 2 * value.length : value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}

// A statement may have thousands of placeholders.
const MAX_CHARACTERS = 1_000;

/**
 * Adds the failed statements to the stack of an error, with the types of their values but never the values, and the functions
 * that wait for them. Call it after an `await`, when the stack contains these functions.
 */
export function addStatements(error: Error, statements: readonly Sql[]): Error {
  error.stack = [error.stack, ...statements.map(describe), listCallers()].join('\n');
  return error;
}

function describe({ text, values }: Sql): string {
  const types = values.map((value) => (value instanceof Uint8Array ? 'bytes' : value === null ? 'null' : typeof value));
  return `in ${text.replaceAll(/\s+/g, ' ')} (${types.join(', ')})`.slice(0, MAX_CHARACTERS);
}

// Leaves out the message, and the frames of this function and addStatements.
function listCallers(): string {
  return String(new Error().stack).split('\n').slice(3).join('\n');
}
