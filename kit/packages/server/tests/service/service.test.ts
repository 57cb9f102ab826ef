import { chmodSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StoreUnavailable } from '@contract-kit/store';
import { Registry } from 'prom-client';
import type { RequestView } from '../../src/auth/request-view';
import { parseConfig } from '../../src/runtime/config';
import { createLog } from '../../src/runtime/log';
import { service } from '@contract-kit/test-support/plants/src/service';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const file = join(folder, 'plants.db');

const { own: defaults } = parseConfig(service.readSettings, {});
const settings = { ...defaults, database: { file } };

test('plants are in a file unless it is said otherwise', () => {
  for (const env of [{}, { DATABASE_URL: '' }]) {
    expect(parseConfig(service.readSettings, env).own).toMatchObject({ database: { file: resolve('data/plants.db') } });
  }
  const { own } = parseConfig(service.readSettings, { DATABASE_URL: 'postgres://u:secret@a/d' });
  expect(own).toMatchObject({ database: { servers: ['postgres://u:secret@a/d'] } });
  expect(service.describe(own)).toMatchObject({ database: 'postgres://a/d' });
});

test('a location of a database that is not valid is told with all other mistakes', () => {
  expect(() => parseConfig(service.readSettings, { BASE_URL: 'x', DATABASE_URL: 'x', API_TOKENS: '' })).toThrow(
    /^- BASE_URL .*\n- DATABASE_URL must be .*\n- API_TOKENS .*$/,
  );
});

test('open, it works with the database and its metrics are in the registry, until it is closed', async () => {
  const registry = new Registry();
  const { handlers, check, close } = await service.open(settings, registry, createLog('silent'));
  await expect(check()).resolves.toBeUndefined();
  const create = handlers['createPlant'] as unknown as (request: object, reply: unknown) => Promise<unknown>;
  const reply = await create({ body: { id: 1n, name: 'Rose' } }, (status: number, body: unknown) => ({ status, body }));
  expect(reply).toEqual({ status: 200, body: { name: 'Rose' } });
  const text = await registry.metrics();
  expect(text).toContain('\nstore_commit_rows_sum 1\n');
  expect(text).toContain('\nstore_waiting_rows 0\n');
  await close();
  expect(existsSync(file)).toBe(true);
});

test('what the store warns of is a line of the log', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  const { close } = await service.open(settings, new Registry(), log);
  await close();
  expect(lines).toEqual([expect.stringContaining(`"msg":"other users of this machine can read or write ${file}"`)]);
});

test('what cannot be opened is unavailable, and nothing else is', async () => {
  const failure: unknown = await service
    .open({ ...defaults, database: { file: '/proc/plants.db' } }, new Registry(), createLog('silent'))
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(service.isUnavailable(failure)).toBe(true);
  expect(service.isUnavailable(new Error('a bug'))).toBe(false);
});

test('the token that counts is for its scheme', async () => {
  const { bearerAuth = () => undefined } = service.createVerifiers(
    (token) => (token === 'a' ? { subject: 'b' } : undefined),
    settings,
  );
  const req = {} as RequestView;
  expect([await bearerAuth('a', req), await bearerAuth('b', req)]).toEqual([{ subject: 'b' }, undefined]);
});
