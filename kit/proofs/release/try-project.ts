// Makes a project for a contract of another team, and has clients call its service.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject } from '@contract-kit/tools/new';
import { findAjvs, runNpm } from '@contract-kit/test-support/run-as-others';
import { LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { followBlocks, readPage } from '@contract-kit/test-support/walk-page';

const MODULES = resolve('proofs/release/node_modules');
const CONTRACT = join(MODULES, '@readme/oas-examples/3.1/json/petstore.json');

const HANDLER = `import type { Handler } from '../../generated/handlers';

export const placeOrder: Handler<'placeOrder'> = ({ body }, reply) =>
  reply(200, body, { 'Content-Type': 'application/json' });
`;

/** Uses a new project as its owner would, up to a service with one handler. */
export async function tryProject(folder: string): Promise<void> {
  await createProject({ contract: CONTRACT, folder, name: undefined });
  await runNpm(folder, ['ci'], 'added');
  const forks = findAjvs(folder).filter((name) => !name.startsWith('ajv@'));
  if (forks.length > 0) throw new Error(`the validator runs with a fork of Ajv: ${forks.join(', ')}`);
  await runNpm(folder, ['test'], '20 of 20 operations have no handler yet');
  await runNpm(folder, ['run', 'lint'], 'Found 0 warnings and 0 errors');
  writeFileSync(join(folder, 'src/handlers/place-order.ts'), HANDLER);
  await runNpm(folder, ['run', 'build']);
  using service = startProcess({}, [], { main: join(folder, 'dist/main.js') });
  const [, url = ''] = await service.waitFor(LISTENING);

  const order = '{"petId":9007199254740993,"quantity":1,"complete":true}';
  expectSame('curl', [curl(`${url}/store/order`, order)], [`${order} 200`]);
  expectSame('curl, with a wrong order', [curl(`${url}/store/order`, '{"petId":"1"}').slice(-3)], ['400']);
  tryClients(join(folder, '..', 'clients'), folder, url);
}

/** Posts JSON. @returns the body of the response and its status */
function curl(url: string, body: string): string {
  const args = ['--silent', '--show-error', '--write-out', ' %{http_code}', '--json', body, url];
  return execFileSync('curl', args, { encoding: 'utf8' });
}

/** Follows docs/clients.md: makes its clients, compiles its programs, and runs them. @param project that of the service */
function tryClients(folder: string, project: string, url: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync(join(project, 'openapi.yaml'), join(folder, 'openapi.yaml'));
  for (const name of ['api.d.ts', 'schemas.d.ts'])
    cpSync(join(project, 'generated', name), join(folder, 'src/generated', name));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  const withPath = (name: string): string => join(MODULES, '.bin', name);
  const blocks = readPage('docs/clients.md').map(({ file, language, text }) => {
    const own = text.replaceAll('http://127.0.0.1:3000/v2', url);
    // Each command has to succeed.
    if (language === 'sh')
      return { file, language, text: `set -e\n${own.replaceAll(/npx (\S+)/g, (_, name: string) => withPath(name))}` };
    return { file, language, text: own };
  });
  const faults = followBlocks(blocks, folder);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** @throws Error when they are not the same */
export function expectSame(what: string, lines: readonly string[], expected: readonly string[]): void {
  console.log(`${what}: ${lines.join(', ')}`);
  if (lines.join() !== expected.join()) throw new Error(`${what}: expected ${expected.join(', ') || 'none'}`);
}
