import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CONTRACT_KIT, makeProject, runNode } from './make-project';

// A project of ES modules, with a store.

const CONTRACT = 'tests/fixtures/lending.yaml';

test('a project of ES modules compiles, starts, and gets handlers of ES modules', async () => {
  using project = await makeProject(CONTRACT, { isModule: true, hasStore: true });
  const { folder } = project;
  const contract = join(folder, 'openapi.yaml');
  const reply = `{ get: { operationId: ping, security: [], responses: { '204': { description: Pong. } } } }`;
  writeFileSync(contract, readFileSync(contract, 'utf8').replace('paths:\n', `paths:\n  /ping: ${reply}\n`));
  const generated = runNode(folder, ...CONTRACT_KIT, 'generate');
  expect(generated).toEqual({ status: 0, output: expect.stringContaining('index.ts: added ping\n') as string });
  const table = readFileSync(join(folder, 'src/handlers/index.ts'), 'utf8');
  expect(table).toContain(`import { ping } from './ping.js';\n`);
  expect(runNode(folder, ...CONTRACT_KIT, 'generate', '--check').status).toBe(0);
  const tsc = resolve('node_modules/typescript/bin/tsc');
  expect(runNode(folder, tsc, '-p', 'src', '--module', 'nodenext')).toEqual({ status: 0, output: '' });
  expect(readFileSync(join(folder, 'dist/main.js'), 'utf8')).toContain(`from '../generated/contract.js'`);
  const started = runNode(folder, 'dist/main.js', '--check');
  expect(started).toEqual({ status: 0, output: expect.stringContaining('it would start') as string });
  expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toContain('ENV DATABASE_URL=');
  const prettier = resolve('node_modules/prettier/bin/prettier.cjs');
  expect(runNode(folder, prettier, '--check', 'src', 'tests')).toMatchObject({ status: 0 });
  const eslint = resolve('node_modules/eslint/bin/eslint.js');
  expect(runNode(folder, eslint, '--max-warnings', '0', 'src')).toEqual({ status: 0, output: '' });
});
