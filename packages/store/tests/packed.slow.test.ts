import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

// The package as others get it: packed, and installed in a folder with nothing else. Node strips no types there.

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-')));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

// As on another machine: without what npm tells its scripts, and without the packages that are installed here.
const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_)/.test(name));
const path = String(process.env['PATH']).split(delimiter);
const env = {
  ...Object.fromEntries(inherited),
  PATH: path.filter((entry) => !entry.includes('node_modules/.bin')).join(delimiter),
};

function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    execFile(command, args, { cwd, env }, (error, stdout, stderr) => {
      done(`${stdout}${stderr}${error?.message ?? ''}`);
    });
  });
}

const USE = `
  import { createStoreMetrics, openStore, parseLocation } from '@contract-kit/store';
  import { Registry } from 'prom-client';
  const rows = { columns: ['number'], key: ['number'], toRow: (number) => [number] };
  const schema = {
    name: 'counts', id: 1, versionTable: 'counts_version',
    migrations: [{ sqlite: 'CREATE TABLE counts (number INTEGER PRIMARY KEY)', postgres: '' }],
    tables: { counts: { sqlite: rows, postgres: rows, bytesOf: () => 0 } },
  };
  const registry = new Registry();
  const store = await openStore(parseLocation('file:counts.db'), schema, createStoreMetrics(registry));
  await Promise.all([1, 2, 2, 3].map((number) => store.add.counts(number)));
  await store.close();
  console.log((await registry.metrics()).match(/^store_commit_rows_sum .*$/m)[0]);`;

test('it is installed in an empty folder, and stores rows there', async () => {
  await expect(run('packages/store', 'npm', 'pack', '--pack-destination', folder)).resolves.toContain('.tgz');
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarball = String(readdirSync(folder).find((name) => name.endsWith('.tgz')));
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  await expect(run(folder, 'npm', 'install', ...options, `./${tarball}`)).resolves.toContain('added');
  await expect(run(folder, process.execPath, '--input-type=module', '-e', USE)).resolves.toBe(
    'store_commit_rows_sum 4\n',
  );
  const required = `console.log(typeof require('@contract-kit/store').openStore)`;
  await expect(run(folder, process.execPath, '-e', required)).resolves.toBe('function\n');
});
