import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';
import { fetchPatiently, LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { startPostgres } from '@contract-kit/test-support/start-postgres';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';

// What docs/stores.md has for those who back up and move a database, carried out.

const folder = useFolder();
const file = join(folder, 'data/plants.db');
const page = readFileSync(join(SERVICE_FOLDER, 'docs/stores.md'), 'utf8');
const TOKEN = 'a-token-for-the-tests';

function readSqlite(): Record<string, unknown>[] {
  using database = new DatabaseSync(file);
  const statement = database.prepare('SELECT id, name, tag FROM plants ORDER BY id, name, tag');
  statement.setReadBigInts(true);
  return statement.all();
}

test('a backup of SQLite that is made while plants come has all that were acknowledged', async () => {
  const [, sql] = /^sqlite3 data\/plants\.db "(.*)"$/m.exec(page) ?? [];
  const [command = ''] = /(?<=^docker exec NAME )node -e ".*"$/m.exec(page) ?? [];
  expect(command.replaceAll('/data/', '')).toContain(sql?.replace('/data/', ''));
  using service = startProcess({ API_TOKENS: TOKEN, DATABASE_URL: `file:${file}` });
  const [, url = ''] = await service.waitFor(LISTENING);
  const acknowledged: bigint[] = [];
  let isOver = false;
  async function createPlants(): Promise<void> {
    for (let id = 0n; !isOver; id++) {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
      const body = `{"id":${String(id)},"name":"Rose"}`;
      const { status } = await fetchPatiently(`${url}/plants`, { method: 'POST', headers, body });
      if (status === 200) acknowledged.push(id);
    }
  }
  const creation = createPlants();
  await until(() => acknowledged.length >= 20);
  const before = [...acknowledged];
  execFileSync('sh', ['-c', command.replaceAll('/data/', '')], { cwd: join(folder, 'data') });
  await until(() => acknowledged.length >= before.length + 20);
  isOver = true;
  await creation;
  service.child.kill('SIGKILL');
  await service.ended;

  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix);
  renameSync(join(folder, 'data/backup.db'), file);
  using restored = startProcess({ API_TOKENS: TOKEN, DATABASE_URL: `file:${file}` });
  await restored.waitFor(LISTENING);
  const ids = readSqlite().map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(before));
  expect(ids.length).toBeLessThan(acknowledged.length);
});

const [, path = ''] = /^URL=\S+ TOKEN=\S+ npx node (\S+) data\/plants\.db$/m.exec(page) ?? [];
const script = join(SERVICE_FOLDER, path);

test('the script moves each plant as it is from SQLite to PostgreSQL, also when it is run again', async () => {
  rmSync(join(folder, 'data'), { recursive: true, force: true });
  mkdirSync(join(folder, 'data'));
  using made = startProcess({ API_TOKENS: TOKEN, DATABASE_URL: `file:${file}` });
  await made.waitFor(LISTENING);
  made.child.kill('SIGTERM');
  await made.ended;
  using database = new DatabaseSync(file);
  const insertion = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  insertion.run(2n ** 63n - 1n, '', '');
  insertion.run(-(2n ** 63n), 'Line\n"two" \\ \u2028 \u{1f331}', null);
  for (const tag of ['tree', '', null]) insertion.run(0n, "Alder's", tag);

  await using postgres = await startPostgres();
  using service = startProcess({ API_TOKENS: TOKEN, DATABASE_URL: postgres.url });
  const [, url = ''] = await service.waitFor(LISTENING);
  const env = { URL: url, TOKEN };
  for (let times = 0; times < 2; times++) execFileSync(process.execPath, [script, file], { env });
  const rows = await postgres.query('SELECT id, name, tag FROM plants ORDER BY id, name, tag NULLS FIRST');
  expect(rows.map(({ id, ...rest }) => ({ id: BigInt(String(id)), ...rest }))).toEqual(readSqlite());
});

describe('the script', () => {
  const source = join(folder, 'source.db');
  const copy = (env: Record<string, string>) => promisify(execFile)(process.execPath, [script, source], { env });
  beforeAll(() => {
    using database = new DatabaseSync(source);
    database.exec(`CREATE TABLE plants (id, name, tag); WITH RECURSIVE ids (id) AS (VALUES (1) UNION ALL
      SELECT id + 1 FROM ids WHERE id < 250) INSERT INTO plants SELECT id, 'Rose', NULL FROM ids`);
  });

  test('tries again when a busy service says so, and goes on after the row that it names when it stops', async () => {
    const refusals = new Map([
      [1, 503],
      [70, 429],
      [150, 400],
    ]);
    const created: number[] = [];
    const server = createServer((req, res) => {
      void text(req).then((body) => {
        const { id } = JSON.parse(body) as { id: number };
        const status = refusals.get(id) ?? 200;
        if (!refusals.delete(id)) created.push(id);
        res.writeHead(status, { 'Retry-After': '1' }).end('{"name":"Rose"}');
      });
    });
    await using service = await listenOnLoopback(server);
    const stderr = expect.stringMatching(/\nTo go on, add AFTER=100\n$/) as string;
    await expect(copy({ URL: service.base.origin })).rejects.toMatchObject({ code: 1, stderr });
    expect(created.filter((id) => id <= 100)).toHaveLength(100);
    created.length = 0;
    const { stdout } = await copy({ URL: service.base.origin, AFTER: '100' });
    expect(stdout).toMatch(/^150 of 150 plants, up to row 250, 0 s left$/m);
    expect(created.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, index) => 101 + index));
    await expect(copy({ AFTER: '250' })).resolves.toMatchObject({ stdout: 'No plant is left to copy after row 250\n' });
  });

  test.each([
    [200, '<html>'],
    [202, '{"name":"Rose"}'],
  ])('does not take %i %s for the reply to a plant', async (status, body) => {
    await using service = await listenOnLoopback(createServer((_req, res) => res.writeHead(status).end(body)));
    const stderr = `Not every plant was copied: the service answered ${String(status)} ${body}\nTo go on, add AFTER=0\n`;
    await expect(copy({ URL: service.base.origin })).rejects.toMatchObject({ code: 1, stderr });
  });

  test.each(['abc', 'NaN', '1.5', ''])('refuses AFTER=%s, which is not the number of a row', async (after) => {
    const stderr = `AFTER=${after} is not the number of a row\n`;
    await expect(copy({ AFTER: after })).rejects.toMatchObject({ code: 1, stderr });
  });

  test('says why it stopped, and does not wait for an hour', async () => {
    const server = createServer((_req, res) => res.writeHead(503, { 'Retry-After': '3600' }).end('It is busy.'));
    await using service = await listenOnLoopback(server);
    const stderr = 'Not every plant was copied: the service answered 503 It is busy.\nTo go on, add AFTER=0\n';
    await expect(copy({ URL: service.base.origin })).rejects.toMatchObject({ code: 1, stderr });
  });
});
