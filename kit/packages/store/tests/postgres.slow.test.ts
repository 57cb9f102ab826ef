import { setTimeout as sleep } from 'node:timers/promises';
import { hasPgbouncer, startPgbouncer, startPostgres, usePostgres } from '@contract-kit/test-support/start-postgres';
import { openStore, StoreUnavailable, type Statement, type Store, type StoreSchema } from '../src';
import { TIMES, createPostgresServers } from '../src/postgres/pool';
import { noteSchema, type Items, type Note } from './databases';

const MILK: Note = { number: 1n, text: 'Milk' };

const postgres = usePostgres();

function open(...servers: readonly string[]): Promise<Store<Items>> {
  return openStore({ servers }, noteSchema);
}

/** Makes the tables. */
async function make(url: string): Promise<void> {
  await (await open(url)).close();
}

const FUNCTION = 'CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$';
const EACH = 'FOR EACH ROW EXECUTE FUNCTION forget()';
const PARTITIONED = `ALTER TABLE notes RENAME TO kept;
  CREATE TABLE notes (LIKE kept INCLUDING DEFAULTS, PRIMARY KEY (number)) PARTITION BY HASH (number);
  CREATE TABLE part PARTITION OF notes FOR VALUES WITH (MODULUS 1, REMAINDER 0)`;

describe('a database that is not used', () => {
  async function expectRefusal(url: string, message: string | RegExp): Promise<void> {
    const opening = open(url);
    await expect(opening).rejects.toThrow(StoreUnavailable);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/secret/);
  }

  test.each([
    [
      'UPDATE notes_version SET version = 2',
      '(its format is 2): the compatibleFrom of its migrations excludes version 1',
    ],
    ['UPDATE notes_version SET version = 0', 'it was written by another version (its format is 0)'],
    ['DELETE FROM notes_version', 'it was written by another version (its format is 0)'],
  ])('%s', async (sql, message) => {
    const { url, query } = await postgres.createDatabase();
    await make(url);
    await query(sql);
    await expectRefusal(url, message);
  });

  const LOST = 'so acknowledged rows might be lost';

  test.each([
    ['ALTER TABLE notes DROP COLUMN text', 'column "text" of relation "notes" does not exist'],
    ['ALTER TABLE notes DROP CONSTRAINT notes_pkey', 'there is no unique or exclusion constraint matching'],
    ['DROP TABLE notes', 'relation "notes" does not exist'],
    ['ALTER TABLE notes RENAME TO kept; CREATE VIEW notes AS SELECT * FROM kept', `notes is not a table, ${LOST}`],
    ['CREATE RULE forget AS ON INSERT TO notes DO INSTEAD NOTHING', `notes has the rule forget, ${LOST}`],
    [`${FUNCTION}; CREATE TRIGGER forget BEFORE INSERT ON notes ${EACH}`, `notes has the trigger forget, ${LOST}`],
    ['ALTER TABLE notes SET UNLOGGED', `notes is unlogged, ${LOST}`],
    [
      `${FUNCTION}; ${PARTITIONED}; CREATE TRIGGER forget BEFORE INSERT ON part ${EACH}`,
      `part has the trigger forget, ${LOST}`,
    ],
  ])('%s, neither at the start nor by a store that is open', async (sql, message) => {
    const { url, query } = await postgres.createDatabase();
    await using store = toDisposable(await open(url));
    await store.check();
    await query(sql);
    await expectRefusal(url, message);
    const reason = { constructor: StoreUnavailable, message: expect.stringContaining(message) as string };
    await expect(store.check()).rejects.toMatchObject(reason);
  });

  test.each([
    [`${FUNCTION}; CREATE TRIGGER other BEFORE UPDATE ON notes ${EACH}`],
    [`${FUNCTION}; CREATE TRIGGER off AFTER INSERT ON notes ${EACH}; ALTER TABLE notes DISABLE TRIGGER off`],
    [PARTITIONED],
  ])('but this one is: %s', async (sql) => {
    const { url, query } = await postgres.createDatabase();
    await make(url);
    await query(sql);
    const store = await open(url);
    await store.add.notes(MILK);
    await store.close();
    await expect(query('SELECT text FROM notes')).resolves.toHaveLength(1);
  });

  test('one that has another table of this name is left as it is', async () => {
    const { url, query } = await postgres.createDatabase();
    await query('CREATE TABLE notes (a text)');
    await expectRefusal(url, 'relation "notes" already exists');
    await expect(query('SELECT a FROM notes')).resolves.toEqual([]);
  });

  test('one that acknowledges before the disk', async () => {
    const { name, url, query } = await postgres.createDatabase();
    await query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await expectRefusal(
      url,
      'synchronous_commit is off, so a row would be acknowledged before it is on disk: turn it on',
    );
  });

  test('one that does not take all text', async () => {
    const { url } = await postgres.createDatabase(`ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await expectRefusal(url, 'its encoding is LATIN1, which cannot hold all text: create it with UTF8');
  });

  test('a wrong password, an unknown database, nobody there', async () => {
    const url = new URL(postgres.url);
    url.password = 'secret2';
    await expectRefusal(url.href, 'password authentication failed');
    await expectRefusal(new URL('/nowhere', postgres.url).href, 'database "nowhere" does not exist');
    await expectRefusal(
      'postgres://a:secret@127.0.0.1:1/b',
      'no server accepts writes: connect ECONNREFUSED 127.0.0.1:1',
    );
    await expectRefusal('postgres://a:secret@localhost:1/b', /no server accepts writes: connect ECONNREFUSED .*:1/);
  });

  test('one that does not sync its disk', async () => {
    await using careless = await startPostgres(['fsync=off']);
    await expectRefusal(careless.url, 'fsync is off, so a row would be acknowledged before it is on disk: turn it on');
  });
});

describe('the rights of a role', () => {
  let roles = 0;

  /** A database with the tables, as a role that may read them sees it. */
  async function makeReader(): Promise<{ url: string; role: string; query: (sql: string) => Promise<unknown> }> {
    const { url, query } = await postgres.createDatabase();
    await make(url);
    const role = `reader${String(++roles)}`;
    await query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT INSERT ON labels TO ${role}`);
    const ofRole = new URL(url);
    ofRole.username = role;
    return { url: ofRole.href, role, query };
  }

  test('a store of a role that may only read does not open', async () => {
    const { url } = await makeReader();
    await expect(open(url)).rejects.toThrow('the database cannot be used: permission denied for table notes');
  });

  test('a role may have the right to add rows for the columns alone', async () => {
    const { url, role, query } = await makeReader();
    await query(`GRANT INSERT (number, text) ON notes TO ${role}`);
    await using store = toDisposable(await open(url));
    await store.add.notes(MILK);
    await expect(store.check()).resolves.toBeUndefined();
  });

  test.each(['INSERT', 'SELECT'])('the check sees that a role lost the right to %s', async (right) => {
    const { url, role, query } = await makeReader();
    await query(`GRANT INSERT ON notes TO ${role}`);
    await using store = toDisposable(await open(url));
    await store.check();
    await query(`REVOKE ${right} ON notes FROM ${role}`);
    await expect(store.check()).rejects.toThrow(StoreUnavailable);
    await expect(store.check()).rejects.toThrow('permission denied');
  });
});

describe('a commit waits for the disk though the database says otherwise since the start', () => {
  // Fails a commit that would not. At the end of a transaction, as the server looks at it then.
  const OBSERVE = `CREATE FUNCTION observe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF current_setting('synchronous_commit') = 'off' THEN RAISE 'not durable'; END IF; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER observe AFTER INSERT OR UPDATE ON notes DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION observe()`;
  const CHANGE: Statement<true> = { sql: `UPDATE notes SET text = 'Oat'`, values: [], toItem: () => true };

  /** @param server where the database is reached */
  async function openCareless(setting: string, server = postgres.url): Promise<CarelessStore> {
    const { name, query } = await postgres.createDatabase();
    const store = await open(new URL(name, server).href);
    await query(`${OBSERVE}; ALTER DATABASE ${name} SET synchronous_commit = ${setting}`);
    // New connections have the setting.
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${name}' AND pid <> pg_backend_pid()`);
    await expect(query('SHOW synchronous_commit')).resolves.toEqual([{ synchronous_commit: setting }]);
    return Object.assign(toDisposable(store), { query });
  }

  const routes: [string, () => Promise<AsyncDisposable & { readonly url: string }>][] = [
    ['PostgreSQL', () => Promise.resolve({ url: postgres.url, [Symbol.asyncDispose]: () => Promise.resolve() })],
  ];
  if (hasPgbouncer()) routes.push(['pgbouncer', () => startPgbouncer(postgres.url)]);

  test.each(routes)('of rows, by %s', async (_, start) => {
    await using route = await start();
    await using store = await openCareless('off', route.url);
    await expect(store.query(`INSERT INTO notes VALUES (5, 'Salt')`)).rejects.toThrow('not durable');
    await Promise.all([store.add.notes(MILK), store.add.notes({ number: 2n, text: 'Tea' })]);
    await expect(store.query('SELECT text FROM notes')).resolves.toHaveLength(2);
  });

  test('of a statement, of several, and of a transaction', async () => {
    await using store = await openCareless('off');
    await store.add.notes(MILK);
    await expect(store.write(CHANGE)).resolves.toEqual([true]);
    await expect(store.write(CHANGE, CHANGE)).resolves.toEqual([true]);
    await expect(store.transaction((tx) => tx.write(CHANGE))).resolves.toEqual([true]);
  });

  test('and any other setting stays', async () => {
    await using store = await openCareless('local');
    await store.query(`CREATE OR REPLACE FUNCTION observe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF current_setting('synchronous_commit') <> 'local' THEN RAISE 'changed'; END IF; RETURN NULL; END $$`);
    await store.add.notes(MILK);
    await expect(store.write(CHANGE)).resolves.toEqual([true]);
  });
});

type DisposableStore = Store<Items> & AsyncDisposable;
type CarelessStore = DisposableStore & { readonly query: (sql: string) => Promise<unknown> };

function toDisposable(store: Store<Items>): DisposableStore {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

test('of several servers the one that takes writes is used', async () => {
  await using other = await startPostgres(['default_transaction_read_only=on']);
  const { url, query } = await postgres.createDatabase();
  const store = await open('postgres://a@127.0.0.1:1/b', other.url, url);
  await store.add.notes(MILK);
  await store.close();
  await expect(query('SELECT text FROM notes')).resolves.toHaveLength(1);
  await expect(open(other.url)).rejects.toThrow('no server accepts writes: the server is read-only');
});

test('of uses that fail at once none undoes what was found after another', async () => {
  const servers = createPostgresServers({ servers: [postgres.url] }, { name: 'notes', connections: 2, times: TIMES });
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  const results = await Promise.allSettled([servers.use(fail), servers.use(fail)]);
  expect(results).toMatchObject([{ reason: { message: 'no' } }, { reason: { message: 'no' } }]);
  await expect(servers.use(() => Promise.resolve(1))).resolves.toBe(1);
  await servers.close();
});

test('a commit that another one rolled back is tried again', async () => {
  const { url, query } = await postgres.createDatabase();
  const store = await open(url);
  await query(`CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tries') < 3 OR NEW.text = 'Salt' THEN RAISE serialization_failure; END IF; RETURN NEW; END $$;
    CREATE TRIGGER fail BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION fail()`);
  await store.add.notes(MILK);
  await expect(query('SELECT text FROM notes')).resolves.toHaveLength(1);
  await expect(store.add.notes({ number: 2n, text: 'Salt' })).rejects.toMatchObject({
    constructor: StoreUnavailable,
    message: 'the database cannot be written',
  });
  await store.close();
});

test('nothing is read or changed while the server is away, and again when it is back', async () => {
  await using server = await startPostgres();
  const store = await open(server.url);
  const count: Statement<unknown> = { sql: 'SELECT count(*) AS count FROM notes', values: [], toItem: (row) => row };
  const clear: Statement<true> = { sql: 'DELETE FROM notes', values: [], toItem: () => true };
  await store.add.notes(MILK);
  await expect(store.read(count)).resolves.toEqual([{ count: 1n }]);
  await server.stop('SIGKILL');
  const away = { constructor: StoreUnavailable, message: 'the database cannot be read' };
  await expect(store.read(count)).rejects.toMatchObject(away);
  await expect(store.write(clear)).rejects.toMatchObject({ ...away, message: 'the database cannot be written' });
  await server.start();
  await expect(store.write(clear)).resolves.toEqual([true]);
  await expect(store.read(count)).resolves.toEqual([{ count: 0n }]);
  await store.close();
});

test('a row that no synchronous standby has yet is not acknowledged, though it is there', async () => {
  const { url, query } = await postgres.createDatabase();
  const store = await open(url);
  const configure = async (names: string): Promise<void> => {
    await query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await query('SELECT pg_reload_conf()');
    while ((await query('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'] !== names) await sleep(10);
  };
  await configure('nobody');
  const inserting = query(`INSERT INTO notes VALUES (1, 'Milk')`);
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  while ((await query(cancel)).length === 0) await sleep(10);
  await inserting;
  await expect(query('SELECT text FROM notes')).resolves.toHaveLength(1);
  let isAcknowledged = false;
  const adding = store.add.notes(MILK).then(() => (isAcknowledged = true));
  await sleep(500);
  expect(isAcknowledged).toBe(false);
  await configure('');
  await adding;
  await store.close();
});

test('a row that is there already, or that a function refuses, costs no connection and no other row', async () => {
  const { url, query } = await postgres.createDatabase();
  const store = await open(url);
  await query(`CREATE FUNCTION allow(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      IF $1 = 'Salt' THEN RAISE 'no salt'; END IF; RETURN true; END $$;
    ALTER TABLE notes ADD CHECK (allow(text))`);
  await store.add.notes(MILK);
  const setText = (text: string): Statement<unknown> => ({
    sql: 'UPDATE notes SET text = $1 RETURNING pg_backend_pid() AS pid',
    values: [text],
    toItem: ({ pid }: { pid: bigint }) => pid,
  });
  const findPid = setText('Milk');
  const insert: Statement<unknown> = { sql: `INSERT INTO notes VALUES (1, 'Oat')`, values: [], toItem: () => 1 };
  const before = await store.write(findPid);
  await expect(store.write(insert)).rejects.toThrow('duplicate key value');
  await expect(store.write(findPid, insert)).rejects.toThrow('duplicate key value');
  await expect(store.write(setText('Salt'))).rejects.toThrow('no salt');
  await expect(store.write(findPid)).resolves.toEqual(before);
  const texts = ['Tea', 'Oil', 'Salt', 'Rice', 'Oat'];
  const added = await Promise.allSettled(texts.map((text, index) => store.add.notes({ number: BigInt(index), text })));
  expect(added.map(({ status }) => status === 'fulfilled')).toEqual(texts.map((text) => text !== 'Salt'));
  await store.close();
});

test('a key may be of bytes and of times', async () => {
  const keys = [new Uint8Array([2]), new Uint8Array([1, 9]), new Uint8Array([1])];
  const toRows = (bytes: Uint8Array) => [2_000, 1_000].map((ms) => ({ bytes, time: new Date(ms) }));
  interface Event {
    readonly bytes: Uint8Array;
    readonly time: Date;
  }
  const schema: StoreSchema<{ events: Event }> = {
    ...noteSchema,
    migrations: [
      { sqlite: '', postgres: 'CREATE TABLE events (bytes bytea, time timestamptz, PRIMARY KEY (bytes, time))' },
    ],
    tables: {
      events: {
        sqlite: { columns: [], key: [], toRow: () => [] },
        postgres: { columns: ['bytes', 'time'], key: ['bytes', 'time'] },
      },
    },
  };
  const { url, query } = await postgres.createDatabase();
  const store = await openStore({ servers: [url] }, schema);
  const events = keys.flatMap(toRows);
  await Promise.all([...events, ...events.toReversed()].map((event) => store.add.events(event)));
  await store.close();
  const select = `SELECT encode(bytes, 'hex') || ' ' || extract(epoch FROM time)::int AS key FROM events ORDER BY bytes, time`;
  await expect(query(select)).resolves.toEqual(
    ['01 1', '01 2', '0109 1', '0109 2', '02 1', '02 2'].map((key) => ({ key })),
  );
});

test('a batch with more values than a statement takes', async () => {
  const columns = Array.from({ length: 100 }, (_, column) => `c${String(column)}`);
  const postgresSql = `CREATE TABLE wide (${columns.map((column) => `${column} integer`).join()}, PRIMARY KEY (c1, c0))`;
  const schema: StoreSchema<{ wide: number }> = {
    ...noteSchema,
    migrations: [{ sql: postgresSql }],
    tables: { wide: { columns, key: ['c1', 'c0'], toRow: (value) => columns.map((_, column) => value + column) } },
  };
  const { url, query } = await postgres.createDatabase();
  const sizes: number[] = [];
  const store = await openStore({ servers: [url] }, schema, { observeCommit: ({ size }) => sizes.push(size) });
  await Promise.all(Array.from({ length: 1_500 }, (_, value) => store.add.wide(value)));
  await store.close();
  expect(Math.max(...sizes)).toBe(1_000);
  await expect(query('SELECT sum(c99) AS sum FROM wide')).resolves.toEqual([
    { sum: String((1_500 * 1_499) / 2 + 1_500 * 99) },
  ]);
});
