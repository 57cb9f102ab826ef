import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, usePostgres } from '@contract-kit/test-support/start-postgres';
import { until } from '@contract-kit/test-support/until';
import { startProxy } from '@contract-kit/test-support/start-proxy';
import { openStore, parseLocation, StoreUnavailable, type Statement, type Store } from '../src';
import { noteSchema, type Items, type Note } from './databases';

// What somebody changes in a database of PostgreSQL while a store is open.

const MILK: Note = { number: 1n, text: 'Milk' };
const RENAME: Statement<true> = { sql: `UPDATE notes SET text = 'Oat'`, values: [], toItem: () => true };
const COUNT: Statement<unknown> = { sql: 'SELECT count(*) AS count FROM notes', values: [], toItem: (row) => row };

const postgres = usePostgres();

interface ChangedStore extends Store<Items>, AsyncDisposable {
  readonly name: string;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
}

async function open(): Promise<ChangedStore> {
  const { name, url, query } = await postgres.createDatabase();
  return { ...toDisposable(await openStore({ servers: [url] }, noteSchema)), name, query };
}

function toDisposable(store: Store<Items>): Store<Items> & AsyncDisposable {
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

// A trigger that keeps out the notes with a text.
const DROP_SALT = `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER forget BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.text = 'Salt') EXECUTE FUNCTION forget()`;

test('a row that a trigger keeps out is not acknowledged, and a row that is there already is', async () => {
  await using store = await open();
  await store.add.notes(MILK);
  await store.add.notes(MILK);
  await store.query(DROP_SALT);
  await expect(store.add.notes({ number: 2n, text: 'Salt' })).rejects.toThrow(StoreUnavailable);
  await store.add.notes({ number: 3n, text: 'Tea' });
  await expect(store.query('SELECT text FROM notes')).resolves.toEqual([{ text: 'Milk' }, { text: 'Tea' }]);
});

test('while fsync is off, nothing is acknowledged and the check fails', async () => {
  await using server = await startPostgres();
  const store = await openStore({ servers: [server.url] }, noteSchema);
  const turn = async (state: 'on' | 'off'): Promise<void> => {
    await server.query(`ALTER SYSTEM SET fsync = ${state}`);
    await server.query('SELECT pg_reload_conf()');
    const readState = async (): Promise<unknown> => (await store.read(SHOW_FSYNC))[0];
    while ((await readState()) !== state) await sleep(10);
  };
  await store.add.notes(MILK);
  await turn('off');
  await expect(store.check()).rejects.toThrow('fsync is off, so a row would be acknowledged before it is on disk');
  await expect(store.add.notes({ number: 2n, text: 'Tea' })).rejects.toThrow(StoreUnavailable);
  await expect(store.write(RENAME)).rejects.toThrow(StoreUnavailable);
  await expect(store.transaction((tx) => tx.write(RENAME))).rejects.toThrow(StoreUnavailable);
  await turn('on');
  await store.check();
  await expect(store.read(COUNT)).resolves.toEqual([{ count: 1n }]);
  await expect(store.write(RENAME)).resolves.toEqual([true]);
  await store.close();
});

const SHOW_FSYNC: Statement<unknown> = {
  sql: `SELECT current_setting('fsync') AS fsync`,
  values: [],
  toItem: ({ fsync }: { fsync: string }) => fsync,
};

describe('rows cannot be stored now, and can again later', () => {
  test.each([
    ['a table was renamed', 'ALTER TABLE notes RENAME TO kept', 'ALTER TABLE kept RENAME TO notes'],
    [
      'a column was renamed',
      'ALTER TABLE notes RENAME COLUMN text TO kept',
      'ALTER TABLE notes RENAME COLUMN kept TO text',
    ],
    [
      'the key was dropped',
      'ALTER TABLE notes DROP CONSTRAINT notes_pkey',
      'ALTER TABLE notes ADD CONSTRAINT notes_pkey PRIMARY KEY (number)',
    ],
  ])('%s', async (_, change, changeBack) => {
    await using store = await open();
    await store.query(change);
    await expect(store.add.notes(MILK)).rejects.toThrow(StoreUnavailable);
    await store.query(changeBack);
    await store.add.notes(MILK);
    await expect(store.query('SELECT text FROM notes')).resolves.toHaveLength(1);
  });

  test('a role lost its rights to change rows, and then to connect', async () => {
    const { name, url, query } = await postgres.createDatabase();
    await (await openStore({ servers: [url] }, noteSchema)).close();
    await query(`CREATE ROLE writer LOGIN PASSWORD 'secret'; REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC;
      GRANT CONNECT ON DATABASE ${name} TO writer; GRANT ALL ON ALL TABLES IN SCHEMA public TO writer`);
    const ofRole = Object.assign(new URL(url), { username: 'writer' });
    const store = await openStore({ servers: [ofRole.href] }, noteSchema);
    await store.add.notes(MILK);
    await expect(store.read(COUNT)).resolves.toEqual([{ count: 1n }]);
    await query('REVOKE INSERT, UPDATE ON notes FROM writer');
    const written = { constructor: StoreUnavailable, message: 'the database cannot be written' };
    await expect(store.add.notes({ number: 2n, text: 'Tea' })).rejects.toMatchObject(written);
    await expect(store.write(RENAME)).rejects.toMatchObject(written);
    await query(`GRANT INSERT, UPDATE ON notes TO writer; REVOKE CONNECT ON DATABASE ${name} FROM writer`);
    await query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'writer'`);
    await expect(store.add.notes({ number: 2n, text: 'Tea' })).rejects.toMatchObject(written);
    await expect(store.write(RENAME)).rejects.toMatchObject(written);
    await expect(store.read(COUNT)).rejects.toThrow(StoreUnavailable);
    await query(`GRANT CONNECT ON DATABASE ${name} TO writer`);
    await expect(store.write(RENAME)).resolves.toEqual([true]);
    await store.close();
  });
});

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );
}

describe('a connection that was found read-only is not used again', () => {
  test('when the database was read-only for a while', async () => {
    await using store = await open();
    await postgres.query(`ALTER DATABASE ${store.name} SET default_transaction_read_only = on`);
    await store.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await expect(store.add.notes(MILK)).rejects.toThrow(StoreUnavailable);
    // A use may find that its connection was closed.
    await until(async () => (await messageOf(store.check())).endsWith('is read-only'));
    await postgres.query(`ALTER DATABASE ${store.name} RESET default_transaction_read_only`);
    await store.check();
    await store.add.notes(MILK);
  });

  test('when a proxy led to a standby for a while, whose rows are not read', async () => {
    await using standby = await startPostgres();
    for (const { url } of [standby, postgres]) await (await openStore({ servers: [url] }, noteSchema)).close();
    await standby.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await standby.query('SELECT pg_reload_conf()');
    await until(async () => (await messageOf(standby.query('CREATE TABLE more ()'))).includes('read-only'));
    await using proxy = await startProxy(postgres.port);
    const url = Object.assign(new URL(postgres.url), { port: proxy.port });
    await using store = toDisposable(await openStore({ servers: [url.href] }, noteSchema));
    await store.add.notes(MILK);
    // One connection for reads leads to the primary; the others are opened now.
    await expect(store.read(COUNT)).resolves.toEqual([{ count: 1n }]);
    proxy.moveTo(standby.port);
    const reads = await Promise.allSettled([0, 1, 2, 3].map(() => store.read(COUNT)));
    expect(reads.filter(({ status }) => status === 'rejected')).not.toEqual([]);
    proxy.moveTo(postgres.port);
    const readsAfter = await Promise.all([0, 1, 2, 3].map(() => store.read(COUNT)));
    expect(readsAfter).toEqual([0, 1, 2, 3].map(() => [{ count: 1n }]));
    proxy.moveTo(standby.port);
    proxy.cut();
    await until(async () => (await messageOf(store.check())).endsWith('is read-only'));
    proxy.moveTo(postgres.port);
    await store.check();
    await store.add.notes({ number: 2n, text: 'Tea' });
  });
});

test('a new connection has the password that is read then, and fails with the reason why none can be read', async () => {
  const { name, url, query } = await postgres.createDatabase();
  await query(`CREATE ROLE rotated LOGIN PASSWORD 'old'; ALTER DATABASE ${name} OWNER TO rotated`);
  const endSessions = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'rotated'`;
  const toUrl = (password: string): string => Object.assign(new URL(url), { username: 'rotated', password }).href;
  let content = toUrl('old');
  const location = parseLocation(content, () => content);
  await using store = toDisposable(await openStore(location, noteSchema));
  await query(`ALTER ROLE rotated PASSWORD 'new'; ${endSessions}`);
  await until(async () =>
    (await messageOf(store.check())).endsWith('password authentication failed for user "rotated"'),
  );
  content = toUrl('new');
  await store.check();
  await store.add.notes(MILK);
  content = 'postgres:/rotated:new@host';
  await query(endSessions);
  await until(async () => (await messageOf(store.check())).startsWith('no server'));
  await expect(messageOf(store.check())).resolves.toMatch(
    /^no server accepts writes: the file with the URL must be like postgres:\/\/user:password@host:5432\/database, /,
  );
  content = toUrl('new');
  await store.check();
});

test.each<[string, (url: URL, other: string) => string]>([
  ['database', ({ href }, other) => new URL(other, href).href],
  ['database, that of the user', ({ href }) => new URL('/', href).href],
  ['port', (url) => Object.assign(url, { port: '1' }).href],
  ['host', (url) => Object.assign(url, { hostname: 'localhost' }).href],
  ['list of servers', (url) => url.href.replace(url.host, `${url.host},${url.host}`)],
  ['schema', ({ href }) => `${href}?options=-c%20search_path%3Dother`],
])('no new connection is made while the URL that is read names another %s', async (_, change) => {
  const [{ name, url, query }, other] = [await postgres.createDatabase(), await postgres.createDatabase()];
  await (await openStore({ servers: [other.url] }, noteSchema)).close();
  let content = url;
  await using store = toDisposable(
    await openStore(
      parseLocation(content, () => content),
      noteSchema,
    ),
  );
  await store.add.notes(MILK);
  content = change(new URL(url), other.name);
  await postgres.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`);
  await until(async () => (await messageOf(store.check())).startsWith('no server'));
  await expect(messageOf(store.check())).resolves.toBe(
    'no server accepts writes: the file with the URL names another database: restart the service, as only user, ' +
      'password and TLS are read again',
  );
  await expect(store.add.notes({ number: 2n, text: 'Tea' })).rejects.toThrow(StoreUnavailable);
  await expect(store.read(COUNT)).rejects.toThrow(StoreUnavailable);
  content = `${url}?sslmode=disable`;
  await store.check();
  await store.add.notes({ number: 3n, text: 'Salt' });
  await expect(query('SELECT text FROM notes')).resolves.toEqual([{ text: 'Milk' }, { text: 'Salt' }]);
  await expect(other.query('SELECT text FROM notes')).resolves.toEqual([]);
});
