import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import {
  openStore,
  StoreUnavailable,
  type Migration,
  type StoreLocation,
  type StoreSchema,
  type Statement,
  type Store,
} from '../src';
import { openPostgres } from '../src/postgres/open-postgres';
import { TIMES } from '../src/postgres/pool';
import type { AnySchema } from '../src/schema';
import { prepareSchema } from '../src/sqlite/prepare-schema';
import {
  useDatabases,
  type Database,
  nextSchema,
  noteSchema,
  readRows,
  type NextItems,
  type Items,
  type RankedNote,
} from './databases';

// Migrations that other processes disturb.

const databases = useDatabases();

/** A database of version 1 with a note. */
async function fill(engine: 'sqlite' | 'postgres'): Promise<Database> {
  const database = await databases.create(engine);
  const store = await openStore(database.location, noteSchema);
  await store.add.notes({ number: 1n, text: 'Milk' });
  await store.close();
  return database;
}

/** The next version, made by other SQL. */
function withStep(step: Partial<Migration>): StoreSchema<NextItems> {
  const empty = { sqlite: '', postgres: '' };
  return { ...nextSchema, migrations: [...noteSchema.migrations, { ...empty, ...step }] };
}

/** Every note is there, and the next server migrates as if nothing had been. */
async function expectWhole(database: Database): Promise<void> {
  await expect(database.read('SELECT * FROM notes')).resolves.toMatchObject([{ text: 'Milk' }]);
  const store = await openStore(database.location, nextSchema);
  await store.add.notes({ number: 2n, text: 'Tea', rank: 1n });
  await store.close();
  await expect(database.read('SELECT text, rank FROM notes ORDER BY number')).resolves.toHaveLength(2);
}

describe('SQLite', () => {
  const fileOf = (location: StoreLocation): string => (location as { file: string }).file;

  /** A process that migrates a file. @param before a line of sh @param first JavaScript */
  function startProcess(
    file: string,
    schema: unknown,
    before = '',
    first = '',
  ): { child: ChildProcessByStdio<null, Readable, null>; ended: Promise<string> } {
    const module = pathToFileURL(resolve('packages/store/src/sqlite/prepare-schema.ts')).href;
    // Without the functions, which no process can be given.
    const code = `import('${module}').then(async ({ prepareSchema }) => {
      ${first}
      await prepareSchema(${JSON.stringify(file)}, ${JSON.stringify(schema)}, { warn: console.log });
      console.log('done');
    }).catch(({ message }) => console.log(message));`;
    const script = `${before} exec "$0" --disable-warning=ExperimentalWarning --disable-warning=MODULE_TYPELESS_PACKAGE_JSON -e "$1"`;
    const child = spawn('sh', ['-c', script, process.execPath, code], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    return { child, ended: once(child, 'close').then(() => output) };
  }

  const isLocked = (file: string): boolean => {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      database.exec('BEGIN IMMEDIATE');
      return false;
    } catch {
      return true;
    } finally {
      database.close();
    }
  };

  test('ten processes that start at once make each migration once, however long it takes', async () => {
    const database = await fill('sqlite');
    const file = fileOf(database.location);
    const other = new DatabaseSync(file);
    // As another process that migrates.
    other.exec('BEGIN IMMEDIATE');
    const processes = Array.from({ length: 10 }, () => startProcess(file, nextSchema));
    await Promise.all(processes.map(({ child }) => once(child.stdout, 'data')));
    other.close();
    const outputs = await Promise.all(processes.map(({ ended }) => ended));
    const warning = 'a migration waits for another process that is writing to the database\n';
    expect(outputs).toEqual(outputs.map(() => `${warning}done\n`));
    expect(readRows(file, 'PRAGMA user_version')).toEqual([{ user_version: 2n }]);
    expect(readRows(file, 'SELECT migrations FROM notes_version')).toEqual([{ migrations: 2n }]);
    await expectWhole(database);
  });

  test('a file that a process may read but not write stops its start, even if no migration is missing', async () => {
    const database = await fill('sqlite');
    const file = fileOf(database.location);
    chmodSync(file, 0o444);
    // Root may write every file.
    chmodSync(dirname(file), 0o777);
    const { ended } = startProcess(file, noteSchema, '', `process.getuid() === 0 && process.setuid(65534);`);
    await expect(ended).resolves.toBe('attempt to write a readonly database\n');
    chmodSync(file, 0o600);
    await expectWhole(database);
  });

  test('ten processes that start at once on nothing make one file', async () => {
    const database = await databases.create('sqlite');
    const processes = Array.from({ length: 10 }, () => startProcess(fileOf(database.location), nextSchema));
    const outputs = await Promise.all(processes.map(({ ended }) => ended));
    expect(outputs).toEqual(outputs.map(() => expect.stringMatching(/done\n$/) as string));
    await expect(database.read('SELECT * FROM notes')).resolves.toEqual([]);
  });

  test('a process that is killed in a migration leaves the version before', async () => {
    const database = await fill('sqlite');
    const file = fileOf(database.location);
    const endless = `CREATE TABLE half (n);
      INSERT INTO half WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT n FROM c`;
    const { child, ended } = startProcess(file, withStep({ sqlite: endless }));
    while (!isLocked(file) || statSync(`${file}-wal`, { throwIfNoEntry: false })?.size === 0) await sleep(10);
    child.kill('SIGKILL');
    await ended;
    await expect(database.read('SELECT * FROM half')).rejects.toThrow('no such table: half');
    await expectWhole(database);
  });

  test('a disk that is full', async () => {
    const database = await fill('sqlite');
    const large = `CREATE TABLE half (n); INSERT INTO half SELECT randomblob(10000000)`;
    // A limit for files is as good as a full disk.
    const { ended } = startProcess(
      fileOf(database.location),
      withStep({ sqlite: large }),
      `trap '' XFSZ; ulimit -f 2000;`,
    );
    await expect(ended).resolves.toMatch(/^(disk I\/O error|database or disk is full)\n$/);
    await expectWhole(database);
  });

  test('a process that holds the file for too long', async () => {
    const database = await fill('sqlite');
    const file = fileOf(database.location);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const warn = jest.fn();
    // It waits more than once, and says so once.
    await expect(prepareSchema(file, nextSchema, { limit: 5_000, warn })).rejects.toThrow(/^database is locked$/);
    expect(warn).toHaveBeenCalledTimes(1);
    await expect(prepareSchema(file, nextSchema, { limit: 3_000 })).rejects.toThrow(/^database is locked$/);
    // No migration is missing: it is not waited for.
    await expect(prepareSchema(file, noteSchema as unknown as AnySchema, { warn })).rejects.toThrow(
      /^database is locked$/,
    );
    expect(warn).toHaveBeenCalledTimes(1);
    other.close();
    await expectWhole(database);
  });

  test('a program that reads a file without a log when a migration is to be committed', async () => {
    const database = await fill('sqlite');
    const file = fileOf(database.location);
    await database.execute('PRAGMA journal_mode = DELETE');
    const reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM notes');
    const warn = (): void => {
      reader.close();
    };
    await expect(prepareSchema(file, nextSchema, { warn })).resolves.toBeUndefined();
    await expectWhole(database);
  });
});

describe('PostgreSQL', () => {
  const urlOf = (location: StoreLocation): string => String((location as { servers: readonly string[] }).servers[0]);
  const open = (
    location: StoreLocation,
    times: Partial<typeof TIMES>,
    warn?: (message: string) => void,
  ): Promise<AsyncDisposable> =>
    openPostgres({ servers: [urlOf(location)] }, nextSchema, warn ? { warn } : {}, { ...TIMES, ...times }).then(
      (store) => ({
        [Symbol.asyncDispose]: () => store.close(),
      }),
    );

  async function lock(location: StoreLocation): Promise<Client> {
    const client = new Client(urlOf(location));
    await client.connect();
    await client.query('BEGIN; LOCK TABLE notes IN ACCESS SHARE MODE');
    return client;
  }

  test('one that waits for a table lets those go first that wait behind it', async () => {
    const database = await fill('postgres');
    const before = await openStore(database.location, noteSchema);
    const reader = await lock(database.location);
    const warned = Promise.withResolvers<string>();
    const opening = open(database.location, { lock: 20 }, warned.resolve);
    await expect(warned.promise).resolves.toBe('a migration waits for a lock that another session holds');
    for (let number = 2n; number < 20n; number++) await before.add.notes({ number, text: 'Tea' });
    await before.close();
    await reader.end();
    await (await opening)[Symbol.asyncDispose]();
    await expect(database.read('SELECT number FROM notes WHERE rank = 0')).resolves.toHaveLength(19);
  });

  test('a lock that is held for too long', async () => {
    const database = await fill('postgres');
    const reader = await lock(database.location);
    const opening = open(database.location, { lock: 10, migration: 500 });
    await expect(opening).rejects.toMatchObject({
      constructor: StoreUnavailable,
      message: 'the database cannot be used: canceling statement due to lock timeout',
    });
    await reader.end();
    await expectWhole(database);
  });

  test('a connection that is lost in a migration leaves the version before', async () => {
    const database = await fill('postgres');
    const slow = withStep({ postgres: 'ALTER TABLE notes ADD COLUMN rank bigint; SELECT pg_sleep(600)' });
    const opening = openStore(database.location, slow);
    const terminate = `SELECT pg_terminate_backend(pid) AS is_ended FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()`;
    const [opened] = await Promise.allSettled([
      opening,
      (async () => {
        while ((await database.read(terminate)).length === 0) await sleep(10);
      })(),
    ]);
    expect(opened).toMatchObject({
      reason: { message: expect.stringMatching(/^the database cannot be used: .*terminat.*$/) as string },
    });
    await expectWhole(database);
  });

  test('a role that may only read and write the tables', async () => {
    const database = await fill('postgres');
    await database.execute(`CREATE ROLE writer LOGIN PASSWORD 'writer';
      GRANT SELECT, INSERT ON notes, labels, notes_version TO writer`);
    const url = new URL(urlOf(database.location));
    url.username = 'writer';
    url.password = 'writer';
    const location = { servers: [url.href] };
    await expect(openStore(location, nextSchema)).rejects.toThrow(/^the database cannot be used: must be owner of .*$/);
    const before = await openStore(location, noteSchema);
    await before.add.notes({ number: 1n, text: 'Milk' });
    await before.close();
    await expectWhole(database);
    await database.execute('DROP OWNED BY writer; DROP ROLE writer');
  });
});

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  test('a table that is a view now is refused, and nothing is migrated', async () => {
    const database = await fill(engine);
    const hide = 'ALTER TABLE notes RENAME TO kept; CREATE VIEW notes AS SELECT * FROM kept';
    await database.execute(hide);
    await expect(openStore(database.location, nextSchema)).rejects.toThrow(/^the database \S*\s?cannot be used: .*$/);
    await database.execute('DROP VIEW notes; ALTER TABLE kept RENAME TO notes');
    await expectWhole(database);
  });

  test('a database that somebody migrated by hand, in part', async () => {
    const database = await fill(engine);
    await database.execute('ALTER TABLE notes ADD COLUMN rank integer; CREATE TABLE ranked (number integer)');
    await expect(openStore(database.location, nextSchema)).rejects.toThrow(
      /^the database \S*\s?cannot be used: .*already exists$/,
    );
    await expect(database.read('SELECT text FROM notes')).resolves.toEqual([{ text: 'Milk' }]);
  });
});

/** Its next migration drops the notes that labels refer to. */
const carelessSchema: StoreSchema<NextItems> = {
  ...nextSchema,
  migrations: [
    ...nextSchema.migrations,
    { sqlite: 'DELETE FROM notes; DROP TABLE nothing', postgres: 'DELETE FROM notes; DROP TABLE nothing' },
  ],
};

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await databases.create(engine);
  });

  const open = (): Promise<Store<Items>> => openStore(database.location, noteSchema);
  const openNext = (): Promise<Store<NextItems>> => openStore(database.location, nextSchema);

  async function readAll(table: string): Promise<string[]> {
    const rows = await database.read(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return rows.map((row) => Object.values(row).join());
  }

  /** A database of version 1 with a note and a label. */
  async function fill(): Promise<void> {
    const store = await open();
    await Promise.all([store.add.notes({ number: 1n, text: 'Milk' }), store.add.labels({ note: 1n, label: 'shop' })]);
    await store.close();
  }

  const version = async (): Promise<string[]> =>
    engine === 'sqlite'
      ? (await database.read('PRAGMA user_version')).map((row) => String(row['user_version']))
      : (await database.read('SELECT version FROM notes_version')).map((row) => String(row['version']));

  test('a database of version 1 becomes one of version 2 with every row, and is refused by version 1 then', async () => {
    await fill();
    await expect(version()).resolves.toEqual(['1']);
    const store = await openNext();
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0']);
    await store.add.notes({ number: 2n, text: 'Tea', rank: 7n });
    await store.add.labels({ note: 2n, label: 'home' });
    await store.close();
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0', '2,Tea,7']);
    await expect(readAll('labels')).resolves.toEqual(['1,shop', '2,home']);
    await expect(version()).resolves.toEqual(['2']);
    await expect(open()).rejects.toThrow('by a newer version (its format is 2): the compatibleFrom of');
  });

  describe('expand first, contract a release later', () => {
    // Version 2 adds a column, version 3 is of the same release, version 4 drops what servers of version 1 use.
    const both = (sql: string, compatibleFrom?: number): Migration => ({
      sqlite: sql,
      postgres: sql,
      ...(compatibleFrom !== undefined && { compatibleFrom }),
    });
    const migrations = [
      ...noteSchema.migrations,
      both('ALTER TABLE notes ADD COLUMN rank integer NOT NULL DEFAULT 7', 1),
      both('CREATE TABLE ranks (rank integer, name text)', 1),
      both('DROP TABLE labels', 2),
    ];
    const expanded = { ...nextSchema, migrations: migrations.slice(0, 3) };
    const contracted = { ...expanded, migrations, tables: { notes: nextSchema.tables.notes } };
    const textOf: Statement<string> = {
      sql: 'SELECT text FROM notes WHERE number = $1',
      values: [2n],
      toItem: ({ text }: { text: string }) => text,
    };

    test('servers of the release before go on, and start, beside those of the next one', async () => {
      await fill();
      const running = await open();
      const next = await openStore(database.location, expanded);
      await running.add.notes({ number: 2n, text: 'Tea' });
      await next.add.notes({ number: 3n, text: 'Rice', rank: 1n });
      await running.close();
      const again = await open();
      await expect(again.read(textOf)).resolves.toEqual(['Tea']);
      await again.add.notes({ number: 4n, text: 'Oil' });
      await expect(
        again.write({ ...textOf, sql: 'DELETE FROM notes WHERE number = $1 RETURNING text' }),
      ).resolves.toEqual(['Tea']);
      await Promise.all([again.close(), next.close()]);
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7', '3,Rice,1', '4,Oil,7']);
      await expect(readAll('ranks')).resolves.toEqual([]);
      // The release before finds its own version.
      await expect(version()).resolves.toEqual(['1']);
    });

    test('a server of the release before the last one is refused, and nothing is changed by it', async () => {
      await fill();
      await (await openStore(database.location, contracted)).close();
      await expect(version()).resolves.toEqual(['2']);
      await expect(open()).rejects.toThrow('by a newer version (its format is 2): the compatibleFrom of');
      const store = await openStore(database.location, { ...expanded, tables: contracted.tables });
      await store.add.notes({ number: 2n, text: 'Tea', rank: 1n });
      await store.close();
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7', '2,Tea,1']);
    });

    test('a database that one release left is taken on by each later one', async () => {
      await fill();
      for (const schema of [expanded, contracted]) await (await openStore(database.location, schema)).close();
      await expect(readAll('notes')).resolves.toEqual(['1,Milk,7']);
      await expect(readAll('labels')).rejects.toThrow();
    });

    test('a version table that makes no sense is no reason to migrate', async () => {
      await fill();
      await (await openStore(database.location, expanded)).close();
      await database.execute('UPDATE notes_version SET migrations = 0');
      await expect(openStore(database.location, contracted)).rejects.toThrow('by another version (its format is 1)');
      await expect(readAll('labels')).resolves.toEqual(['1,shop']);
    });
  });

  test('a migration must not end its transaction', async () => {
    await fill();
    const { migrations } = noteSchema;
    const schema = { ...noteSchema, migrations: [...migrations, { sqlite: 'COMMIT', postgres: 'COMMIT' }] };
    await expect(openStore(database.location, schema)).rejects.toThrow(
      'cannot be used: a migration must not end its transaction',
    );
    await expect(version()).resolves.toEqual(['1']);
  });

  test.each([
    ['an empty database', () => Promise.resolve(), []],
    ['a database of version 1', fill, ['1,Milk,0']],
  ])('ten servers that start at once on %s make each migration once', async (_, prepare, before) => {
    await prepare();
    const stores = await Promise.all(Array.from({ length: 10 }, openNext));
    await Promise.all(stores.map((store, index) => store.add.notes({ number: 9n, text: 'Tea', rank: BigInt(index) })));
    await Promise.all(stores.map((store) => store.close()));
    const notes = await readAll('notes');
    expect(notes).toEqual([...before, expect.stringMatching(/^9,Tea,\d$/)]);
    await expect(version()).resolves.toEqual(['2']);
  });

  test('a migration that fails changes nothing', async () => {
    await fill();
    await (await openNext()).close();
    await expect(openStore(database.location, carelessSchema)).rejects.toThrow(/cannot be used: .*nothing/);
    await expect(readAll('notes')).resolves.toEqual(['1,Milk,0']);
    await expect(readAll('labels')).resolves.toEqual(['1,shop']);
    await expect(version()).resolves.toEqual(['2']);
    await (await openNext()).close();
  });
});

test('PostgreSQL: a table is filled after those that it refers to', async () => {
  const database = await databases.create('postgres');
  const store = await openStore(database.location, nextSchema);
  const { add } = store;
  const toNote = (number: bigint): RankedNote => ({ number, text: 'Milk', rank: 1n });
  // The first ones begin alone, the others wait for a commit together.
  await Promise.all([
    add.notes(toNote(1n)),
    add.notes(toNote(2n)),
    add.labels({ note: 3n, label: 'shop' }),
    add.notes(toNote(3n)),
  ]);
  await store.close();
  await expect(database.read('SELECT label FROM labels')).resolves.toHaveLength(1);
});

test('SQLite: a migration may not leave a row that refers to a row which does not exist', async () => {
  const database = await databases.create('sqlite');
  const store = await openStore(database.location, nextSchema);
  await store.add.notes({ number: 1n, text: 'Milk', rank: 1n });
  await store.add.labels({ note: 1n, label: 'shop' });
  await store.close();
  const { migrations } = nextSchema;
  const schema = { ...nextSchema, migrations: [...migrations, { sqlite: 'DELETE FROM notes', postgres: '' }] };
  await expect(openStore(database.location, schema)).rejects.toThrow(
    'cannot be used: a migration would leave a row of labels that refers to a row which does not exist',
  );
  await expect(database.read('SELECT * FROM notes')).resolves.toHaveLength(1);
});
