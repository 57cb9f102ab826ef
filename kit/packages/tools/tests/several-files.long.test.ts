import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeSeveralFiles } from './several-files';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { fetchPatiently } from '@contract-kit/test-support/start-process';
import { makeProject, CONTRACT_KIT, runNode } from './make-project';
import { startDev } from './start-dev';

// A project whose contract has several files.

const CONTRACT = writeSeveralFiles(join(useFolder(), 'given'));
const CONFORMANCE = [...CONTRACT_KIT.slice(0, -1), resolve('packages/conformance/src/cli.ts')];

test('dev serves a contract of several files, and regenerates after each change to one of them', async () => {
  await using dev = await startDev({ contract: CONTRACT, prepare: writeSeveralFiles });
  const url = await dev.url();
  const served = await fetchPatiently(`${url}/openapi.yaml`);
  await expect(served.text()).resolves.toBe(readFileSync(join(dev.folder, 'generated/openapi.yaml'), 'utf8'));
  const refusal = await fetchPatiently(`${url}/animals?limit=200`);
  await expect(refusal.json()).resolves.toMatchObject({ detail: 'request/query/limit must be <= 100' });
  const judged = runNode(dev.folder, ...CONFORMANCE, '--url', url, '--only', 'method');
  expect(judged).toEqual({ status: 0, output: expect.stringMatching(/^Sending \d+ cases/) as string });

  dev.save('parameters.yaml', (text) => text.replace('maximum: 100', 'maximum: 250'));
  await dev.swapped();
  expect((await fetchPatiently(`${url}/animals?limit=200`)).status).toBe(200);

  dev.save('schemas/shop/place.yaml', (text) => text.replace('type: integer', '$ref: money.yaml'));
  await dev.waitFor(
    /^schemas\/shop\/place\.yaml:5:11: error: ("money.yaml" does not exist)\n[^\n]*\n[^\n]*\ndev: the previous server keeps running\n/m,
  );
  dev.save('schemas/shop/money.yaml', () => 'type: number\n');
  await dev.swapped();
});

test('check reads all files of a contract, and a contract with a single file is served unchanged', async () => {
  using project = await makeProject(CONTRACT);
  const { folder } = project;
  writeSeveralFiles(folder);
  const kit = (...args: string[]): ReturnType<typeof runNode> => runNode(folder, ...CONTRACT_KIT, ...args);
  expect(kit('generate')).toMatchObject({ status: 0 });
  expect(kit('generate', '--check')).toEqual({ status: 0, output: 'generated/ matches openapi.yaml\n' });
  expect(kit('check')).toMatchObject({ status: 0 });

  writeFileSync(join(folder, 'schemas/shop/place.yaml'), 'type: object\n');
  const stale =
    'error: generated/ is out of date (openapi.yaml, api.d.ts, contract.js, schemas.d.ts); run npm run generate\n';
  expect(kit('generate', '--check')).toEqual({ status: 1, output: stale });

  // As Git checks it out on Windows.
  const files = globSync(['generated/*', '*.yaml', 'schemas/**/*.yaml'], { cwd: folder });
  for (const file of files) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
  }
  expect(kit('generate', '--check')).toEqual({ status: 1, output: stale });
  expect(kit('generate')).toMatchObject({ status: 0, output: expect.not.stringContaining('handlers.d.ts') as string });
  expect(kit('generate', '--check')).toMatchObject({ status: 0 });

  const { output } = kit('bundle');
  expect(output).toMatch(/^openapi: /);
  writeFileSync(join(folder, 'openapi.yaml'), output);
  expect(kit('generate')).toMatchObject({ status: 0, output: expect.stringContaining('openapi.yaml') as string });
  expect(existsSync(join(folder, 'generated/openapi.yaml'))).toBe(false);
  expect(kit('generate', '--check')).toMatchObject({ status: 0 });
});
