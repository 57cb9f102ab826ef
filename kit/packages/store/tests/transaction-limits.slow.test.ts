import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openStore, StoreUnavailable, type Statement, type Store, type Transaction } from '../src';
import { BEGIN, COMMIT, ROLLBACK, TRANSACTION_MS } from '../src/sqlite/commit';
import type { Answer, Question } from '../src/sqlite/thread';
import type { Sql } from '../src/statement';
import { useDatabases, serveFile, type Database, noteSchema, type Items, type Note } from './databases';

// What a transaction may take from others, and how it ends when it cannot go on.

const databases = useDatabases();

const MILK: Note = { number: 1n, text: 'Milk' };
const TEA: Note = { number: 2n, text: 'Tea' };
const rename: Statement<string> = {
  sql: `UPDATE notes SET text = 'Oat' WHERE number = 1 RETURNING text`,
  values: [],
  toItem: ({ text }: { text: string }) => text,
};
const hang = (): Promise<never> => new Promise(() => undefined);

async function openWithMilk({ location }: Database): Promise<Store<Items>> {
  const store = await openStore(location, noteSchema);
  await store.add.notes(MILK);
  return store;
}

test.each(['sqlite', 'postgres'] as const)(
  'functions that hang do not stop those that write, on %s',
  async (engine) => {
    const database = await databases.create(engine);
    const store = await openWithMilk(database);
    const hanging = store.transaction(async (tx) => {
      await tx.write(rename);
      return hang();
    });
    const others = Promise.all([1, 2, 3].map(() => store.transaction(hang).catch((error: unknown) => error)));
    const adding = store.add.notes(TEA);
    const writing = store.write(rename);
    await expect(hanging).rejects.toThrow(StoreUnavailable);
    await expect(hanging).rejects.toThrow(/^the transaction did not end within \d+ ms$/);
    await expect(Promise.all([adding, writing])).resolves.toEqual([undefined, ['Oat']]);
    await expect(others).resolves.toEqual(Array(3).fill(expect.any(StoreUnavailable)));
    await store.close();
  },
);

describe('SQLite', () => {
  let file: string;
  beforeEach(async () => {
    ({ file } = (await databases.create('sqlite')).location as { file: string });
  });

  const countNotes = (): unknown => {
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare('SELECT count(*) AS count FROM notes').get()?.['count'];
  };

  test('a transaction that gets no lock is refused before its function is called', async () => {
    const store = await openStore({ file }, noteSchema);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const work = jest.fn(hang);
    await expect(store.transaction(work)).rejects.toThrow('the database cannot be written: database is locked');
    expect(work).not.toHaveBeenCalled();
    other.close();
    await expect(store.transaction(() => Promise.resolve(1))).resolves.toBe(1);
    await store.close();
  });

  async function serve(): Promise<{
    ask(question: Exclude<Question, 'close'>): Promise<Answer['outcomes']>;
    close(): Promise<void>;
  }> {
    const served = await serveFile(file);
    return { ask: async (question) => (await served.ask(question)).outcomes, close: () => served.close() };
  }

  const INSERT: Sql = { ...BEGIN, text: `INSERT INTO notes VALUES (1, 'Milk')` };
  const ENDED = [{ index: 0, message: 'the transaction has ended', isUnavailable: false }];

  test('one whose process has no time for it ends, so that other processes can write', async () => {
    const served = await serve();
    await served.ask(BEGIN);
    await served.ask(INSERT);
    await sleep(2 * TRANSACTION_MS + 1_500);
    await expect(served.ask(INSERT)).resolves.toEqual(ENDED);
    await expect(served.ask(COMMIT)).resolves.toEqual(ENDED);
    await expect(served.ask(ROLLBACK)).resolves.toEqual([]);
    expect(countNotes()).toBe(0);
    await served.close();
  });

  test('a statement that ends it, or fails, undoes all that was not committed', async () => {
    const served = await serve();
    await served.ask(BEGIN);
    await served.ask(INSERT);
    await expect(served.ask(INSERT)).resolves.toMatchObject([{ message: expect.stringContaining('UNIQUE') as string }]);
    await expect(served.ask(COMMIT)).resolves.toEqual(ENDED);
    expect(countNotes()).toBe(0);
    await served.close();
  });

  test('a log that is too large is no fault of a transaction', async () => {
    const served = await serve();
    await served.ask([[0, [5n, 'x'.repeat(70 * 1024 ** 2)]]]);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(64 * 1024 ** 2);
    for (const step of [BEGIN, INSERT, COMMIT]) await expect(served.ask(step)).resolves.toHaveLength(1);
    expect(countNotes()).toBe(2);
    await served.close();
  });

  test('another program that makes the log smaller in the meantime is no fault, one that removes it is', async () => {
    const served = await serve();
    await served.ask([[0, [5n, 'x'.repeat(100_000)]]]);
    const other = new DatabaseSync(file);
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    await expect(served.ask(BEGIN)).resolves.toMatchObject([{ rows: expect.anything() as unknown }]);
    await expect(served.ask('check')).resolves.toEqual([]);
    await expect(served.ask(INSERT)).resolves.toHaveLength(1);
    await expect(served.ask(COMMIT)).resolves.toMatchObject([{ rows: expect.anything() as unknown }]);
    other.close();
    await served.ask(BEGIN);
    await served.ask({ ...INSERT, text: `INSERT INTO notes VALUES (2, 'Tea')` });
    rmSync(`${file}-wal`);
    await expect(served.ask(COMMIT)).resolves.toEqual([
      { index: 0, message: `${file}-wal was removed`, isUnavailable: true },
    ]);
    await expect(served.ask(BEGIN)).resolves.toMatchObject([{ isUnavailable: true }]);
    await served.close();
  });
});

describe('PostgreSQL', () => {
  let database: Database;
  let store: Store<Items>;
  beforeEach(async () => {
    database = await databases.create('postgres');
    store = await openWithMilk(database);
  });
  afterEach(async () => {
    await store.close();
  });

  const findPid: Statement<bigint> = {
    sql: 'SELECT pg_backend_pid() AS pid',
    values: [],
    toItem: ({ pid }: { pid: bigint }) => pid,
  };

  /** Makes the server roll back each change before this one, as if another transaction were in the way. */
  const rollBackUntil = (tries: number): Promise<void> =>
    database.execute(`CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') < ${String(tries)} THEN RAISE serialization_failure; END IF; RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION fail()`);

  test('one that the server rolled back is tried again on its connection, whatever the function makes of the error', async () => {
    await rollBackUntil(4);
    const pids = new Set<bigint | undefined>();
    let calls = 0;
    const renamed = await store.transaction(async (tx) => {
      calls++;
      pids.add((await tx.read(findPid))[0]);
      return tx.write(rename).catch((cause: unknown) => {
        throw new Error('another error', { cause });
      });
    });
    expect(renamed).toEqual(['Oat']);
    expect(calls).toBe(4);
    expect(pids.size).toBe(1);
  });

  test('it is tried twenty times', async () => {
    await rollBackUntil(1_000);
    const work = jest.fn((tx: Transaction) => tx.write(rename));
    await expect(store.transaction(work)).rejects.toMatchObject({
      constructor: StoreUnavailable,
      message: 'the database cannot be written',
    });
    expect(work).toHaveBeenCalledTimes(20);
  });

  test('it is serializable, and ends by itself if its process stops', async () => {
    const settings: Statement<unknown> = {
      sql: `SELECT current_setting('transaction_isolation') AS isolation,
        current_setting('idle_in_transaction_session_timeout') AS idle`,
      values: [],
      toItem: (row) => row,
    };
    await expect(store.transaction((tx) => tx.read(settings))).resolves.toEqual([
      { isolation: 'serializable', idle: '10s' },
    ]);
  });

  test('one whose connection is lost, and one that waits for a lock too long, are no fault of the caller', async () => {
    const lost = store.transaction(async (tx) => {
      const [pid] = await tx.read(findPid);
      await database.execute(`SELECT pg_terminate_backend(${String(pid)})`);
      return tx.write(rename);
    });
    await expect(lost).rejects.toThrow(StoreUnavailable);
    const other = new Client((database.location as { servers: string[] }).servers[0]);
    await other.connect();
    await other.query('BEGIN; UPDATE notes SET text = text');
    await expect(store.transaction((tx) => tx.write(rename))).rejects.toThrow(StoreUnavailable);
    await other.end();
    await expect(store.transaction((tx) => tx.write(rename))).resolves.toEqual(['Oat']);
  });
});
