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
  /** The SQL for both engines, or for each engine, with `$1`, `$2` and so on in place of the values. */
  readonly sql: string | { readonly sqlite: string; readonly postgres: string };
  readonly values: readonly SqliteValue[];
  /** Converts a returned row to an item. With both engines, integers are bigints. */
  readonly toItem: (row: never) => Item;
  /** Whether a write keeps the changes of its other statements even if this one changes no row. */
  readonly isOptional?: true;
}

/**
 * A query from a query builder such as Kysely, which compiles it for the store's engine. `execute` is never called, and only
 * provides the row type. Integers are bigints. With SQLite, the placeholders can be `?` or `$1`.
 *
 * @example const query: Query<{ number: bigint }> = db.selectFrom('notes').select('number').limit(20);
 */
export interface Query<Row> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
  execute(): Promise<Row[]>;
}

/**
 * The row type of a query that changes rows. Without RETURNING, rows are empty objects, unlike in Kysely's own types.
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

// The maximum number of values in a statement, which PostgreSQL's protocol counts with 16 bits.
export const MAX_VALUES = 65_535;

/** Thrown if a statement is invalid, has values that the database would change, or has ended its transaction. */
export class StatementError extends Error {
  readonly code = 'INVALID_STATEMENT';
}

const VALUE_TYPES = new Set(['bigint', 'boolean', 'number', 'string']);

// Whether a column can hold an object. PostgreSQL's client would store any other object as JSON, and undefined as null.
function isValueObject(value: unknown, engine: Engine): boolean {
  if (value === null || ArrayBuffer.isView(value)) return true;
  return engine === 'postgres' && isDate(value) && !Number.isNaN(value.getTime());
}

/**
 * Measures values, after asserting that the database can store them unchanged and that they cannot make a whole batch fail.
 * Drivers store an unpaired surrogate as U+FFFD, SQLite stores NaN as null, and functions cannot be sent to a thread.
 *
 * @returns the approximate number of bytes in memory
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
    bytes += typeof value === 'string' ? 2 * value.length : value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}

// Longer statements are cut off in errors, because they can have thousands of placeholders.
const MAX_STATEMENT_CHARACTERS = 1_000;

/**
 * Appends the failed statements to an error's stack, with the types of their values but not the values. It also appends the
 * functions that are waiting for the statements, so call it after an `await`, when the stack contains them.
 */
export function addStatements(error: Error, statements: readonly Sql[]): Error {
  error.stack = [error.stack, ...statements.map(describeStatement), listCallers()].join('\n');
  return error;
}

function describeStatement({ text, values }: Sql): string {
  const types = values.map((value) => (value instanceof Uint8Array ? 'bytes' : value === null ? 'null' : typeof value));
  return `in ${text.replaceAll(/\s+/g, ' ')} (${types.join(', ')})`.slice(0, MAX_STATEMENT_CHARACTERS);
}

// Omits the message, and the frames of this function and addStatements.
function listCallers(): string {
  return String(new Error().stack).split('\n').slice(3).join('\n');
}
