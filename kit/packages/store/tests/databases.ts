import { once } from 'node:events';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel } from 'node:worker_threads';
import type { AnySchema, Migration, StoreSchema } from '../src/schema';
import { join } from 'node:path';
import { usePostgres, type RunningPostgres } from '@contract-kit/test-support/start-postgres';
import { useFolder } from '@contract-kit/test-support/use-folder';
import type { StoreLocation } from '../src';
import { prepareSchema, toInserts } from '../src/sqlite/prepare-schema';
import { serveDatabase, type Answer, type Question } from '../src/sqlite/thread';

// A service's tables, as the tests have them.

export interface Note {
  readonly number: bigint;
  readonly text: string;
}

export const toNote = ({ number, text }: { number: bigint; text: string }): Note => ({ number, text });

export interface Label {
  readonly note: bigint;
  readonly label: string;
}

export interface Items {
  readonly notes: Note;
  readonly labels: Label;
}

export const noteSchema: StoreSchema<Items> = {
  name: 'note-store',
  // "Note"
  id: 0x4e6f7465,
  versionTable: 'notes_version',
  migrations: [
    {
      sqlite: `
        CREATE TABLE notes (number INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
        CREATE UNIQUE INDEX notes_once ON notes (number);
        CREATE TABLE labels (note INTEGER, label TEXT, PRIMARY KEY (note, label)) STRICT`,
      postgres: `
        CREATE TABLE notes (number bigint PRIMARY KEY, text text NOT NULL);
        CREATE TABLE labels (note bigint, label text, PRIMARY KEY (note, label))`,
    },
  ],
  tables: {
    notes: { columns: ['number', 'text'], key: ['number'] },
    labels: { columns: ['note', 'label'], key: ['note', 'label'] },
  },
};

/** For what does not know the types of the items. */
export const anySchema = noteSchema as unknown as AnySchema;

export interface RankedNote extends Note {
  readonly rank: bigint;
}

export interface NextItems {
  readonly notes: RankedNote;
  readonly labels: Label;
}

// Notes get a rank. Labels are made anew, as SQLite needs it, and refer to a note.
const LABELS =
  'labels (note bigint REFERENCES notes (number) ON DELETE CASCADE, label text, PRIMARY KEY (note, label))';
const LABELS_ANEW = `
  ALTER TABLE labels RENAME TO old_labels;
  CREATE TABLE ${LABELS};
  INSERT INTO labels SELECT note, label FROM old_labels;
  DROP TABLE old_labels`;
const TO_VERSION_2: Migration = {
  sqlite: `
    CREATE TABLE ranked (number INTEGER NOT NULL, text TEXT NOT NULL, rank INTEGER NOT NULL) STRICT;
    INSERT INTO ranked SELECT number, text, 0 FROM notes;
    DROP TABLE notes;
    ALTER TABLE ranked RENAME TO notes;
    CREATE UNIQUE INDEX notes_once ON notes (number);
    ${LABELS_ANEW}`,
  postgres: `ALTER TABLE notes ADD COLUMN rank bigint NOT NULL DEFAULT 0; ${LABELS_ANEW}`,
};
/** The next version. */
export const nextSchema: StoreSchema<NextItems> = {
  ...noteSchema,
  migrations: [...noteSchema.migrations, TO_VERSION_2],
  tables: {
    notes: { columns: ['number', 'text', 'rank'], key: ['number'] },
    labels: noteSchema.tables.labels,
  },
};
/** The notes in a file, as another program reads them. */
export function readNotes(file: string): Note[] {
  return readRows(file, 'SELECT number, text FROM notes ORDER BY rowid') as unknown as Note[];
}

export function readRows(file: string, select: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 2_000 });
  const statement = database.prepare(select);
  statement.setReadBigInts(true);
  const rows = statement.all().map((row) => ({ ...row }));
  database.close();
  return rows;
}

/** The code of a thread of SQLite, in this thread. */
export interface Served {
  ask(question: Exclude<Question, 'close'>): Promise<Answer>;
  close(): Promise<void>;
}

/** A thread that writes a file, which it makes. */
export async function serveFile(file: string): Promise<Served> {
  await prepareSchema(file, anySchema);
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port2, { file, identity: statSync(file), inserts: toInserts(anySchema) });
  return {
    async ask(question) {
      port1.postMessage(question);
      const [answer] = (await once(port1, 'message')) as [Answer];
      return answer;
    },
    async close() {
      port1.postMessage('close');
      await once(port1, 'close');
    },
  };
}

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

/** Databases of both engines, for the tests of the file that calls this. */
export function useDatabases(): { create(engine: Engine): Promise<Database> } {
  const folder = useFolder();
  const postgres = usePostgres();
  let files = 0;
  return {
    create: (engine) =>
      engine === 'sqlite'
        ? Promise.resolve(createFile(join(folder, `${String(++files)}.db`)))
        : createDatabase(postgres),
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
