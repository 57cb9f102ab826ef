import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { installPacked, ok, run } from '../../../tests/support/run-as-others';
import { startThings } from '../../server/tests/start-things';
import { useFolder } from '../../../tests/support/use-folder';

// The package as others get it: packed, and installed in a folder with nothing but a contract.

const folder = useFolder();

test('it is installed in an empty folder, judges a server there, and is imported and required', async () => {
  await expect(installPacked(folder, ['conformance'])).resolves.toEqual(ok('added'));
  cpSync('tests/fixtures/things.yaml', join(folder, 'openapi.yaml'));

  await using service = await startThings({});
  const url = `http://127.0.0.1:${String(service.port)}`;
  const command = join(folder, 'node_modules/.bin/conformance');
  const judged = await run(folder, process.execPath, command, '--url', url, '--token-env', 'TOKEN', '--runs', '5');
  expect(judged).toEqual({ status: 0, output: expect.stringMatching(/ all +(\d+)\/\1\n/) as string });

  const required = `console.log(typeof require('@contract-kit/conformance').createSuite)`;
  await expect(run(folder, process.execPath, '-e', required)).resolves.toEqual(ok('function'));
  const imported = `import { createSuite } from '@contract-kit/conformance'; console.log(typeof createSuite);`;
  await expect(run(folder, process.execPath, '--input-type=module', '-e', imported)).resolves.toEqual(ok('function'));
});
