import { installPacked, ok, run } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';

// The package as others get it: packed, and installed in a folder with nothing else. Node strips no types there.

const folder = useFolder();

const USE = `
  import { createStoreMetrics, openStore, parseLocation } from '@contract-kit/store';
  import { Registry } from 'prom-client';
  const rows = { columns: ['number'], key: ['number'], toRow: (number) => [number] };
  const schema = {
    name: 'counts', id: 1, versionTable: 'counts_version',
    migrations: [{ sqlite: 'CREATE TABLE counts (number INTEGER PRIMARY KEY)', postgres: '' }],
    tables: { counts: rows },
  };
  const registry = new Registry();
  const store = await openStore(parseLocation('file:counts.db'), schema, createStoreMetrics(registry));
  await Promise.all([1, 2, 2, 3].map((number) => store.add.counts(number)));
  await store.close();
  console.log((await registry.metrics()).match(/^store_commit_rows_sum .*$/m)[0]);`;

test('it is installed in an empty folder, and stores rows there', async () => {
  await expect(installPacked(folder, ['store'])).resolves.toEqual(ok('added'));
  await expect(run(folder, process.execPath, '--input-type=module', '-e', USE)).resolves.toEqual({
    status: 0,
    output: 'store_commit_rows_sum 4\n',
  });
  const required = `console.log(typeof require('@contract-kit/store').openStore)`;
  await expect(run(folder, process.execPath, '-e', required)).resolves.toEqual({ status: 0, output: 'function\n' });
});
