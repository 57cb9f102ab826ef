import { isDate } from 'node:util/types';
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

/**
 * A query of a builder, such as Kysely's, which has compiled it for this engine by `compile`. Only the type of `execute`
 * is used: that of a row. Integers of a row are bigints. Of SQLite, the text has `?` or `$1` for values.
 *
 * @example const query: Query<{ number: bigint }> = db.selectFrom('notes').select('number').limit(20);
 */
export interface Query<Row> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
  execute(): Promise<Row[]>;
}

/**
 * A row that a change returns: an empty object unless it has RETURNING, where Kysely's types count rows.
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

// PostgreSQL's protocol counts them with 16 bits.
export const MAX_VALUES = 65_535;

/** A statement has values that the database would not keep as they are, cannot be run, or has ended its transaction. */
export class StatementError extends Error {
  readonly code = 'INVALID_STATEMENT';
}

const VALUE_TYPES = new Set(['bigint', 'boolean', 'number', 'string']);

// The client of PostgreSQL would store any other object as JSON, which fails for some, and undefined as null.
function isValueObject(value: unknown, engine: Engine): boolean {
  if (value === null || ArrayBuffer.isView(value)) return true;
  return engine === 'postgres' && isDate(value) && !Number.isNaN(value.getTime());
}

/**
 * Asserts that a database keeps values as they are, and that they fail no other of their batch: drivers store an unpaired
 * surrogate as U+FFFD, and NaN in SQLite as null; what has functions cannot be sent to a thread.
 *
 * @returns roughly how many bytes they take while they wait
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

// A list of placeholders may be long, and so may that of the types.
const MAX_CHARACTERS = 1_000;

/**
 * Adds to the stack of an error, which the log shows, the statements that failed with the types of their values, never the
 * values, and who asked. Call it after an `await`: only then does the stack have the functions that wait, and costs nothing
 * where nothing fails.
 */
export function addStatements(error: Error, statements: readonly Sql[]): Error {
  error.stack = [error.stack, ...statements.map(describe), whoAsked()].join('\n');
  return error;
}

// Such as `in SELECT text FROM notes WHERE number = $1 (bigint)`.
function describe({ text, values }: Sql): string {
  const types = values.map((value) => (value instanceof Uint8Array ? 'bytes' : value === null ? 'null' : typeof value));
  return `in ${text.replaceAll(/\s+/g, ' ')} (${types.join(', ')})`.slice(0, MAX_CHARACTERS);
}

// Without the first line, and the frames of this function and `addStatements`.
function whoAsked(): string {
  return String(new Error().stack).split('\n').slice(3).join('\n');
}
