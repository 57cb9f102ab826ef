import { openPostgresStore } from '../../src/store/postgres';
import { TIMES } from '../../src/store/postgres-pool';
import { createPostgresServers } from '../../src/store/postgres-servers';
import { StoreUnavailable, type StoredPlant } from '../../src/store/plant-store';
import { fetchPatiently } from '../fetch-patiently';
import { postPlant } from '../post-plant';
import { startApp } from '../start-app';
import { startPostgres, type RunningPostgres } from '../start-postgres';
import { startProcess } from '../start-process';

const ROSE: StoredPlant = { id: 1n, name: 'Rose', tag: 'flower' };

let postgres: RunningPostgres;
let databases = 0;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

async function createDatabase(options = ''): Promise<string> {
  const name = `plants${String(++databases)}`;
  await postgres.query(`CREATE DATABASE ${name} ${options}`);
  return new URL(name, postgres.url).href;
}

function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return postgres.query(sql, new URL(url).pathname.slice(1));
}

test('ten servers that start at once make one table', async () => {
  const url = await createDatabase();
  const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresStore([url])));
  await Promise.all(stores.map((store) => store.add(ROSE)));
  await Promise.all(stores.map((store) => store.close()));
  await expect(query(url, 'SELECT id, name, tag FROM plants')).resolves.toEqual([{ ...ROSE, id: '1' }]);
  await expect(query(url, 'SELECT version FROM plants_version')).resolves.toEqual([{ version: 1 }]);
});

test('a digest that another program makes is the same', async () => {
  const url = await createDatabase();
  const store = await openPostgresStore([url]);
  await Promise.all([ROSE, { id: 1n, name: 'é:1' }, { id: 1n, name: '', tag: '' }].map((plant) => store.add(plant)));
  const digest = `sha256(convert_to(octet_length(name) || ':' || name || coalesce(':' || tag, ''), 'UTF8'))`;
  await expect(query(url, `SELECT name FROM plants WHERE digest <> ${digest}`)).resolves.toEqual([]);
  await store.close();
});

test('the key can be spread by id: it begins with it, and nothing else is unique, counts or triggers', async () => {
  const url = await createDatabase();
  await (await openPostgresStore([url])).close();
  await expect(query(url, `SELECT indexdef FROM pg_indexes WHERE tablename = 'plants'`)).resolves.toEqual([
    { indexdef: expect.stringMatching(/UNIQUE INDEX \w+ ON public\.plants USING btree \(id, digest\)/) as string },
  ]);
  await expect(query(url, `SELECT relname FROM pg_class WHERE relkind = 'S'`)).resolves.toEqual([]);
  await expect(query(url, 'SELECT tgname FROM pg_trigger')).resolves.toEqual([]);
});

const FUNCTION = 'CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$';
const EACH = 'FOR EACH ROW EXECUTE FUNCTION forget()';
const PARTITIONED = `ALTER TABLE plants RENAME TO kept;
  CREATE TABLE plants (LIKE kept INCLUDING DEFAULTS, PRIMARY KEY (id, digest)) PARTITION BY HASH (id);
  CREATE TABLE part PARTITION OF plants FOR VALUES WITH (MODULUS 1, REMAINDER 0)`;

describe('a database that is not used', () => {
  async function expectRefusal(url: string, message: string | RegExp): Promise<void> {
    const opening = openPostgresStore([url]);
    await expect(opening).rejects.toThrow(StoreUnavailable);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/secret/);
  }

  test.each([
    ['UPDATE plants_version SET version = 2', 'its table was made by a newer version (its format is 2)'],
    ['UPDATE plants_version SET version = 0', 'its table was made by another version (its format is 0)'],
    ['DELETE FROM plants_version', 'its table was made by another version (its format is 0)'],
    ['ALTER TABLE plants DROP COLUMN tag', 'column "tag" does not exist'],
    ['DROP TABLE plants', 'relation "plants" does not exist'],
    [
      'ALTER TABLE plants RENAME TO kept; CREATE VIEW plants AS SELECT * FROM kept',
      'plants is no table: what is acknowledged might not be kept',
    ],
    [
      'CREATE RULE forget AS ON INSERT TO plants DO INSTEAD NOTHING',
      'plants has the rule forget: what is acknowledged might not be kept',
    ],
    [`${FUNCTION}; CREATE TRIGGER forget BEFORE INSERT ON plants ${EACH}`, 'plants has the trigger forget: what is'],
    ['ALTER TABLE plants SET UNLOGGED', 'plants is not logged: what is'],
    [
      `${FUNCTION}; ${PARTITIONED}; CREATE TRIGGER forget BEFORE INSERT ON part ${EACH}`,
      'part has the trigger forget: what is acknowledged might not be kept',
    ],
  ])('%s', async (sql, message) => {
    const url = await createDatabase();
    await (await openPostgresStore([url])).close();
    await query(url, sql);
    await expectRefusal(url, message);
  });

  test.each([
    [`${FUNCTION}; CREATE TRIGGER other BEFORE UPDATE ON plants ${EACH}`],
    [`${FUNCTION}; CREATE TRIGGER off AFTER INSERT ON plants ${EACH}; ALTER TABLE plants DISABLE TRIGGER off`],
    [PARTITIONED],
  ])('but this one is: %s', async (sql) => {
    const url = await createDatabase();
    await (await openPostgresStore([url])).close();
    await query(url, sql);
    const store = await openPostgresStore([url]);
    await store.add(ROSE);
    await store.close();
    await expect(query(url, 'SELECT name FROM plants')).resolves.toHaveLength(1);
  });

  test('one that has another table of this name is left as it is', async () => {
    const url = await createDatabase();
    await query(url, 'CREATE TABLE plants (a text)');
    await expectRefusal(url, 'relation "plants" already exists');
    await expect(query(url, 'SELECT a FROM plants')).resolves.toEqual([]);
  });

  test('one that acknowledges before the disk', async () => {
    const url = await createDatabase();
    await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    await expectRefusal(url, 'synchronous_commit is off: it would acknowledge before the plant is on disk');
  });

  test('one that does not take all text', async () => {
    const url = await createDatabase(`ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await expectRefusal(url, 'its encoding is LATIN1, which not all text fits');
  });

  test('a wrong password, an unknown database, nobody there', async () => {
    const url = new URL(postgres.url);
    url.password = 'secret2';
    await expectRefusal(url.href, 'password authentication failed');
    await expectRefusal(new URL('/nowhere', postgres.url).href, 'database "nowhere" does not exist');
    await expectRefusal(
      'postgres://a:secret@127.0.0.1:1/b',
      'no server takes writes: connect ECONNREFUSED 127.0.0.1:1',
    );
    await expectRefusal('postgres://a:secret@localhost:1/b', /no server takes writes: connect ECONNREFUSED .*:1/);
  });

  test('one that does not sync its disk', async () => {
    await using careless = await startPostgres(['fsync=off']);
    await expectRefusal(careless.url, 'fsync is off: it would acknowledge before the plant is on disk');
  });
});

test('of several servers the one that takes writes is used', async () => {
  await using other = await startPostgres(['default_transaction_read_only=on']);
  const url = await createDatabase();
  const store = await openPostgresStore(['postgres://a@127.0.0.1:1/b', other.url, url]);
  await store.add(ROSE);
  await store.close();
  await expect(query(url, 'SELECT name FROM plants')).resolves.toHaveLength(1);
  await expect(openPostgresStore([other.url])).rejects.toThrow('no server takes writes: it is read-only');
});

test('no other index makes another plant the same', async () => {
  const url = await createDatabase();
  const store = await openPostgresStore([url]);
  await query(url, 'CREATE UNIQUE INDEX one_id ON plants (id)');
  await store.add(ROSE);
  await store.add(ROSE);
  await expect(store.add({ id: 1n, name: 'Fern' })).rejects.toThrow('duplicate key value');
  await store.close();
});

test('of uses that fail at once none undoes what was found after another', async () => {
  const servers = createPostgresServers([postgres.url], 2, TIMES);
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  const results = await Promise.allSettled([servers.use(fail), servers.use(fail)]);
  expect(results).toMatchObject([{ reason: { message: 'no' } }, { reason: { message: 'no' } }]);
  await expect(servers.use(() => Promise.resolve(1))).resolves.toBe(1);
  await servers.close();
});

test('503 while the database is away, 200 when it is back', async () => {
  await using server = await startPostgres();
  const store = await openPostgresStore([server.url]);
  await using app = await startApp({ store });
  await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
  await server.stop('SIGKILL');
  for (let time = 0; time < 3; time++) {
    const reply = await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(503);
    expect(reply.body).toMatchObject({ error: 50300 });
    expect(reply.text).not.toMatch(/ECONN|postgres|database|127/i);
  }
  await expect(store.check()).rejects.toThrow(/^no server takes writes: /);
  await server.start();
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(200);
  await expect(server.query('SELECT id FROM plants')).resolves.toHaveLength(2);
});

test('503 when it becomes read-only under the service, 200 when it is not any more', async () => {
  const url = await createDatabase();
  const store = await openPostgresStore([url]);
  await using app = await startApp({ store });
  const name = new URL(url).pathname.slice(1);
  await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(200);
  await query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(503);
  await postgres.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await postPlant(app.server, '{"id":2,"name":"Rose"}').expect(200);
});

test('500 for a failure that is the store’s own fault', async () => {
  const url = await createDatabase();
  await using app = await startApp({ store: await openPostgresStore([url]) });
  await query(url, 'DROP TABLE plants');
  const reply = await postPlant(app.server, '{"id":1,"name":"Rose"}').expect(500);
  expect(reply.text).not.toMatch(/table|plants|sql|relation/i);
});

test('a commit that another one rolled back is tried again', async () => {
  const url = await createDatabase();
  const store = await openPostgresStore([url]);
  await query(
    url,
    `CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('tries') < 3 OR NEW.name = 'Weed' THEN RAISE serialization_failure; END IF; RETURN NEW; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fail()`,
  );
  await store.add(ROSE);
  await expect(query(url, 'SELECT name FROM plants')).resolves.toHaveLength(1);
  await expect(store.add({ id: 1n, name: 'Weed' })).rejects.toMatchObject({
    constructor: StoreUnavailable,
    message: 'the database cannot be written',
  });
  await store.close();
});

test('the service uses it, and logs no password', async () => {
  const url = await createDatabase();
  using service = startProcess({ DATABASE_URL: url, API_TOKENS: 'a-token-for-the-tests' });
  const [, address = ''] = await service.waitFor(/"url":"([^"]+)"/);
  const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
  const body = '{"id":1,"name":"Rose"}';
  await expect(fetchPatiently(`${address}/plants`, { method: 'POST', headers, body })).resolves.toMatchObject({
    status: 200,
  });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toContain(`"database":"${url.replace('postgres:secret@', '')}"`);
  expect(service.output.stdout + service.output.stderr).not.toContain('secret');
  await expect(query(url, 'SELECT name FROM plants')).resolves.toHaveLength(1);
});
