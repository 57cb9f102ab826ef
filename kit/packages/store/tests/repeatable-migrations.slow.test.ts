import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openStore, type Migration, type StoreSchema } from '../src';
import { noteSchema, useDatabases, type Database, type Engine, type Items } from './databases';

// Migrations that PostgreSQL runs outside a transaction.

const databases = useDatabases();

function withMigrations(...migrations: Migration[]): StoreSchema<Items> {
  return { ...noteSchema, migrations: [...noteSchema.migrations, ...migrations] };
}

const INDEX = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS notes_text ON notes (text)';
const indexed = withMigrations({ sqlite: '', postgres: INDEX, transaction: false, compatibleFrom: 1 });

/** A database of version 1 with 25 notes. */
async function fill(engine: Engine): Promise<Database> {
  const database = await databases.create(engine);
  const store = await openStore(database.location, noteSchema);
  await Promise.all(Array.from({ length: 25 }, (_, n) => store.add.notes({ number: BigInt(n), text: 'Tea' })));
  await store.close();
  return database;
}

test.each(['sqlite', 'postgres'] as const)('%s: a statement is repeated until it changes no row', async (engine) => {
  const database = await fill(engine);
  const fillIn = `UPDATE notes SET rank = 7 WHERE number IN (SELECT number FROM notes WHERE rank IS NULL LIMIT 10)`;
  const addRank = 'ALTER TABLE notes ADD COLUMN rank integer';
  const schema = withMigrations({ sql: addRank }, { sql: fillIn, transaction: 'batches' });
  await (await openStore(database.location, schema)).close();
  await expect(database.read('SELECT number FROM notes WHERE rank = 7')).resolves.toHaveLength(25);
});

test.each(['sqlite', 'postgres'] as const)('%s: a statement that changes no row is not repeated', async (engine) => {
  const database = await fill(engine);
  const sql = ['UPDATE notes SET text = text WHERE false', 'SELECT 1', 'CREATE INDEX IF NOT EXISTS i ON notes (text)'];
  const schema = withMigrations(...sql.map((each) => ({ sql: each, transaction: 'batches' as const })));
  await (await openStore(database.location, schema)).close();
  await expect(database.read('SELECT 1 FROM notes_version WHERE migrations = 4')).resolves.toHaveLength(1);
});

test('SQLite refuses several statements in batches, as PostgreSQL does', async () => {
  const database = await fill('sqlite');
  const postgres = `UPDATE notes SET text = 'Milk' WHERE text = 'Tea';`;
  const opening = (sqlite: string) =>
    openStore(database.location, withMigrations({ sqlite, postgres, transaction: 'batches' }));
  await expect(opening(`${postgres} SELECT 1`)).rejects.toThrow('must be a single statement');
  await (await opening(`${postgres}\n`)).close();
});

test.each([
  [`${INDEX}; SELECT 1`, 'cannot insert multiple commands'],
  ['BEGIN', 'a migration must not begin a transaction'],
])('PostgreSQL refuses %s outside a transaction', async (postgres, message) => {
  const database = await fill('postgres');
  const opening = openStore(database.location, withMigrations({ sqlite: '', postgres, transaction: false }));
  await expect(opening).rejects.toThrow(message);
  await expect(database.read('SELECT version FROM notes_version')).resolves.toEqual([{ version: 1 }]);
});

describe('CREATE INDEX CONCURRENTLY', () => {
  const STATE = `SELECT indexrelid::bigint AS id, indisvalid AS "isValid" FROM pg_index
    WHERE indexrelid = to_regclass('notes_text')`;
  const BUILDING = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX%'
    AND wait_event_type = 'Lock'`;

  const untilFound = async (database: Database, select: string): Promise<void> => {
    while ((await database.read(select)).length === 0) await sleep(10);
  };

  /** A database in which each build waits for a row, until the client ends. */
  async function fillAndHold(): Promise<{ database: Database; client: Client }> {
    const database = await fill('postgres');
    const client = new Client(String((database.location as { servers: readonly string[] }).servers[0]));
    await client.connect();
    await client.query(`BEGIN; UPDATE notes SET text = 'Milk' WHERE number = 1`);
    return { database, client };
  }

  test('writes go on meanwhile, and of ten servers that start at once one builds it', async () => {
    const { database, client } = await fillAndHold();
    const before = await openStore(database.location, noteSchema);
    const waiting = Promise.withResolvers<string>();
    const opening = Array.from({ length: 10 }, () => openStore(database.location, indexed, { warn: waiting.resolve }));
    await untilFound(database, `SELECT ${BUILDING}`);
    await waiting.promise;
    await before.add.notes({ number: 99n, text: 'Oil' });
    await expect(database.read(`SELECT ${BUILDING}`)).resolves.toHaveLength(1);
    await client.end();
    await Promise.all([...opening, before].map(async (store) => (await store).close()));
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: true }]);
  });

  test('one that was interrupted is begun again, as its index is not valid', async () => {
    const { database, client } = await fillAndHold();
    const opening = openStore(database.location, indexed);
    const interrupt = untilFound(database, `SELECT pg_terminate_backend(pid) ${BUILDING}`);
    await expect(opening).rejects.toThrow('cannot be used');
    await interrupt;
    await client.end();
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: false }]);
    await (await openStore(database.location, indexed)).close();
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: true }]);
  });

  test('a unique index of rows that are not unique is refused each time, wherever the statement has comments', async () => {
    const database = await fill('postgres');
    const postgres = 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS /* of all */ NOTES_text ON notes (text)';
    const opening = () => openStore(database.location, withMigrations({ sqlite: '', postgres, transaction: false }));
    for (let times = 0; times < 2; times++) await expect(opening()).rejects.toThrow('could not create unique index');
    await database.execute(`DELETE FROM notes WHERE number > 0`);
    await (await opening()).close();
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: true }]);
  });

  test('an index on only a partitioned table is kept, which is not valid before those of the partitions', async () => {
    const database = await fill('postgres');
    await database.execute(`CREATE TABLE parts (number bigint) PARTITION BY HASH (number);
      CREATE TABLE part PARTITION OF parts FOR VALUES WITH (MODULUS 1, REMAINDER 0);
      CREATE INDEX notes_text ON ONLY parts (number)`);
    const postgres = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS notes_text_part ON part (number)';
    await (await openStore(database.location, withMigrations({ sqlite: '', postgres, transaction: false }))).close();
    await expect(database.read(STATE)).resolves.toMatchObject([{ isValid: false }]);
  });

  test('one that goes on in the server after its client was killed is waited for', async () => {
    const { database, client } = await fillAndHold();
    const building = database.execute(INDEX);
    await untilFound(database, `SELECT ${BUILDING}`);
    const [begun] = await database.read(STATE);
    const opening = openStore(database.location, indexed);
    await untilFound(
      database,
      `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_stat_progress%' AND state = 'idle' AND pid <> pg_backend_pid()`,
    );
    await client.end();
    await building;
    await (await opening).close();
    await expect(database.read(STATE)).resolves.toEqual([{ id: begun?.['id'], isValid: true }]);
  });
});
