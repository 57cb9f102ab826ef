import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StoreUnavailable } from '../src';
import type { EngineStore } from '../src/queue';
import type { SqliteValue } from '../src/schema';
import { openSqlite } from '../src/sqlite/open-sqlite';
import { anySchema } from './notes';

// A store whose thread has crashed.

const INSERT = { text: `INSERT INTO notes VALUES (1, 'Milk')`, values: [], isOptional: false };
const READ = { ...INSERT, text: 'SELECT number FROM notes' };

const run: Record<string, (store: EngineStore<SqliteValue>) => Promise<unknown>> = {
  add: (store) => store.add([0, [1n, 'Milk']], 0),
  write: (store) => store.write([INSERT], 0),
  transaction: (store) => store.transaction(() => Promise.resolve(true)),
  check: (store) => store.check(),
  read: (store) => store.read(READ, 0),
};

test.each([
  ['at load', `throw new Error('no memory');`],
  [
    'at the first question',
    `require('worker_threads').parentPort.on('message', () => { throw new Error('no memory'); });`,
  ],
])('a crash of the thread %s refuses what waits and what comes, and the store can be closed', async (_, code) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'thread-'));
  const threadFile = join(folder.path, 'thread.cjs');
  writeFileSync(threadFile, code);
  const warn = jest.fn();
  const store = await openSqlite(join(folder.path, 'notes.db'), anySchema, { warn }, threadFile);
  for (const time of ['waiting', 'coming']) {
    const results = Object.entries(run).map(async ([name, call]) => {
      const action = name === 'read' ? 'read' : 'written';
      const error = new StoreUnavailable(`the database cannot be ${action}: its thread ended: no memory`);
      await expect(call(store)).rejects.toStrictEqual(error);
      return time;
    });
    await expect(Promise.all(results)).resolves.toHaveLength(5);
  }
  expect(warn.mock.calls).toEqual([['the database cannot be written until a restart: its thread ended: no memory']]);
  // Each reading thread is new.
  writeFileSync(threadFile, `require(${JSON.stringify(resolve(__dirname, '../src/sqlite/thread.ts'))})`);
  await expect(store.read(READ, 0)).resolves.toEqual([]);
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
  await store.close();
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
});
