import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres, type RunningPostgres } from '../../../tests/support/start-postgres';
import type { StoreLocation } from '../src';
import { readRows } from './notes';

/** An empty database, and what another program does to it. */
export interface Database {
  readonly location: StoreLocation;
  /** Integers of PostgreSQL's bigint are strings, as its client has them. */
  read(select: string): Promise<Record<string, unknown>[]>;
  execute(sql: string): Promise<void>;
  /** From now on a note with this text cannot be stored. */
  refuse(text: string): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';

/** Databases of both engines. */
export interface Databases extends AsyncDisposable {
  create(engine: Engine): Promise<Database>;
}

export async function startDatabases(): Promise<Databases> {
  const folder = mkdtempSync(join(tmpdir(), 'databases-'));
  const postgres = await startPostgres();
  let files = 0;
  return {
    create: (engine) =>
      engine === 'sqlite'
        ? Promise.resolve(createFile(join(folder, `${String(++files)}.db`)))
        : createDatabase(postgres),
    async [Symbol.asyncDispose]() {
      await postgres[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function createFile(file: string): Database {
  const execute = (sql: string): Promise<void> =>
    Promise.try(() => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    });
  return {
    location: { file },
    read: (select) => Promise.try(() => readRows(file, select)),
    execute,
    // What has no absolute value cannot be in the index.
    refuse: (text) =>
      execute(`CREATE INDEX refuse ON notes (CASE WHEN text = '${text}' THEN abs(-9223372036854775808) END)`),
  };
}

async function createDatabase(postgres: RunningPostgres): Promise<Database> {
  const { url, query } = await postgres.createDatabase();
  const execute = async (sql: string): Promise<void> => {
    await query(sql);
  };
  return {
    location: { servers: [url] },
    read: query,
    execute,
    refuse: (text) => execute(`ALTER TABLE notes ADD CHECK (text <> '${text}')`),
  };
}
