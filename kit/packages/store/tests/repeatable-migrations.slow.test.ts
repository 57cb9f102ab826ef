import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openStore, type Migration, type Store, type StoreSchema } from '../src';
import { noteSchema, useDatabases, type Database, type Engine, type Items } from './databases';

// Migrations that PostgreSQL runs outside a transaction.

const databases = useDatabases();

function withMigrations(...migrations: Migration[]): StoreSchema<Items> {
  return { ...noteSchema, migrations: [...noteSchema.migrations, ...migrations] };
}

const INDEX = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS notes_text ON notes (text)';
const indexed = withMigrations({ sqlite: '', postgres: INDEX, transaction: false, compatibleFrom: 1 });

/** A database of version 1 with 25 notes, and a store that goes on. */
async function fill(engine: Engine): Promise<{ database: Database; before: Store<Items> & AsyncDisposable }> {
  const database = await databases.create(engine);
  const store = await openStore(database.location, noteSchema);
  await Promise.all(Array.from({ length: 25 }, (_, n) => store.add.notes({ number: BigInt(n), text: 'Tea' })));
  return { database, before: Object.assign(store, { [Symbol.asyncDispose]: () => store.close() }) };
}

test.each(['sqlite', 'postgres'] as const)('%s: a statement is repeated until it changes no row', async (engine) => {
  const { database, before } = await fill(engine);
  await using _ = before;
  const fillIn = `UPDATE notes SET rank = 7 WHERE number IN (SELECT number FROM notes WHERE rank IS NULL LIMIT 10)`;
  const schema = withMigrations(
    { sql: 'ALTER TABLE notes ADD COLUMN rank integer', compatibleFrom: 1 },
    { sql: fillIn, transaction: 'batches', compatibleFrom: 1 },
  );
  await (await openStore(database.location, schema)).close();
  await expect(database.read('SELECT number FROM notes WHERE rank = 7')).resolves.toHaveLength(25);
  await before.add.notes({ number: 99n, text: 'Oil' });
  await (await openStore(database.location, schema)).close();
  await expect(database.read('SELECT number FROM notes WHERE rank IS NULL')).resolves.toHaveLength(1);
});

test.each([
  [`${INDEX}; SELECT 1`, 'cannot insert multiple commands'],
  ['BEGIN', 'a migration must not begin a transaction'],
])('PostgreSQL refuses %s outside a transaction', async (postgres, message) => {
  const { database, before } = await fill('postgres');
  await using _ = before;
  const opening = openStore(database.location, withMigrations({ sqlite: '', postgres, transaction: false }));
  await expect(opening).rejects.toThrow(message);
  await expect(database.read('SELECT version FROM notes_version')).resolves.toEqual([{ version: 1 }]);
});

describe('CREATE INDEX CONCURRENTLY', () => {
  const STATE = `SELECT indexrelid::bigint AS id, indisvalid AS "isValid" FROM pg_index
    WHERE indexrelid = to_regclass('notes_text')`;
  const BUILDING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE 'CREATE INDEX%'`;

  async function connect(database: Database): Promise<Client & AsyncDisposable> {
    const client = new Client(String((database.location as { servers: readonly string[] }).servers[0]));
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  }

  /** Makes each build wait for a row, until the function that it returns is called. */
  async function hold(client: Client): Promise<() => Promise<unknown>> {
    await client.query(`BEGIN; UPDATE notes SET text = 'Milk' WHERE number = 1`);
    return () => client.query('COMMIT');
  }

  async function untilBuilding(database: Database): Promise<void> {
    while ((await database.read(BUILDING)).length === 0) await sleep(10);
  }

  test('writes go on meanwhile, and of ten servers that start at once one builds it', async () => {
    const { database, before } = await fill('postgres');
    await using _ = before;
    await using other = await connect(database);
    const release = await hold(other);
    const waiting = Promise.withResolvers<string>();
    const opening = Array.from({ length: 10 }, () => openStore(database.location, indexed, { warn: waiting.resolve }));
    await untilBuilding(database);
    await waiting.promise;
    await before.add.notes({ number: 99n, text: 'Oil' });
    await expect(database.read(BUILDING)).resolves.toHaveLength(1);
    await release();
    await Promise.all(opening.map(async (store) => (await store).close()));
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: true }]);
  });

  test('one that was interrupted is begun again, as its index is not valid', async () => {
    const { database, before } = await fill('postgres');
    await using _ = before;
    await using other = await connect(database);
    const release = await hold(other);
    const opening = openStore(database.location, indexed);
    const interrupt = async (): Promise<void> => {
      await untilBuilding(database);
      await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE 'CREATE INDEX%' AND pid <> pg_backend_pid()`);
    };
    const [opened] = await Promise.allSettled([opening, interrupt()]);
    expect(opened.status).toBe('rejected');
    await release();
    const [left] = await database.read(STATE);
    expect(left).toMatchObject({ isValid: false });
    await (await openStore(database.location, indexed)).close();
    const [built] = await database.read(STATE);
    expect(built).toMatchObject({ isValid: true });
    expect(built?.['id']).not.toBe(left?.['id']);
  });

  test('one that goes on in the server after its client was killed is waited for', async () => {
    const { database, before } = await fill('postgres');
    await using _ = before;
    await using other = await connect(database);
    await using orphan = await connect(database);
    const release = await hold(other);
    const building = orphan.query(INDEX);
    await untilBuilding(database);
    const [begun] = await database.read(STATE);
    const opening = openStore(database.location, indexed);
    const hasAsked = `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_stat_progress_create_index WHERE%'
      AND pid <> pg_backend_pid() AND state = 'idle'`;
    while ((await database.read(hasAsked)).length === 0) await sleep(10);
    await release();
    await building;
    await (await opening).close();
    await expect(database.read(STATE)).resolves.toEqual([{ id: begun?.['id'], isValid: true }]);
  });
});
