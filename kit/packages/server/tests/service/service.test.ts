import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
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

test('what the store warns of is a line of the log', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  chmodSync(folder, 0o755);
  writeFileSync(file, '', { mode: 0o644 });
  const { close } = await service.open(settings, new Registry(), log);
  await close();
  expect(lines).toEqual([expect.stringContaining(`"msg":"other users of this machine can read or write ${file}"`)]);
});
