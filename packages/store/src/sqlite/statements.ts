// Runs statements in SQLite.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqliteValue } from '../schema.ts';

/** A row as a statement returns it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Runs a statement. @returns the rows that it returns, or an empty one for each row that it changes */
export type RunStatement = (sql: string, values: readonly SqliteValue[]) => Fields[];

// A service has fewer different statements, unless it writes values into their text.
const MAX_PREPARED = 200;

/** Each text is prepared once. */
export function createStatements(database: DatabaseSync): RunStatement {
  const prepared = new Map<string, StatementSync>();

  function prepare(sql: string): StatementSync {
    const cached = prepared.get(sql);
    if (cached !== undefined) return cached;
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    if (prepared.size === MAX_PREPARED) prepared.clear();
    prepared.set(sql, statement);
    return statement;
  }

  return (sql, values) => {
    const statement = prepare(sql);
    // Bind the values by name: where a text has $2 before $1, SQLite would bind them in the order of the text.
    const named = Object.fromEntries(values.map((value, index) => [`$${String(index + 1)}`, value]));
    if (statement.columns().length > 0) return statement.all(named);
    return Array.from({ length: Number(statement.run(named).changes) }, () => ({}));
  };
}
