// Makes a project for a contract of another team, and has clients call its service.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createProject } from '@contract-kit/tools/new';
import { readBlocks } from '../../tests/support/read-blocks';
import { findAjvs, run, runNpm } from '../../tests/support/run-as-others';
import { LISTENING, startProcess } from '../../tests/support/start-process';

const MODULES = resolve('proofs/release/node_modules');
const CONTRACT = join(MODULES, '@readme/oas-examples/3.1/json/petstore.json');
const PAGE = 'docs/clients.md';

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
  await runNpm(folder, ['run', 'lint'], 'All matched files use Prettier code style');
  writeFileSync(join(folder, 'src/handlers/place-order.ts'), HANDLER);
  await runNpm(folder, ['run', 'build']);
  using service = startProcess({}, [], { main: join(folder, 'dist/main.js') });
  const [, url = ''] = await service.waitFor(LISTENING);

  const order = '{"petId":9007199254740993,"quantity":1,"complete":true}';
  expectSame('curl', curl(`${url}/store/order`, order), `${order} 200`);
  expectSame('curl, with a wrong order', curl(`${url}/store/order`, '{"petId":"1"}').slice(-3), '400');
  await tryClients(join(folder, '..', 'clients'), join(folder, 'openapi.yaml'), url);
}

/** Posts JSON. @returns the body of the response and its status */
function curl(url: string, body: string): string {
  const args = ['--silent', '--show-error', '--write-out', ' %{http_code}', '--json', body, url];
  return execFileSync('curl', args, { encoding: 'utf8' });
}

/** Follows docs/clients.md: makes its clients, compiles its programs, and runs them. */
async function tryClients(folder: string, contract: string, base: string): Promise<void> {
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', '{ "type": "module" }');
  write('openapi.yaml', readFileSync(contract, 'utf8'));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  const blocks = [...readBlocks(PAGE, 'ts'), ...readBlocks(PAGE, 'js')].map((code) => {
    const [, file = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
    write(file, code.replaceAll('http://127.0.0.1:3000/v2', base));
    return { file, code };
  });
  // openapi-typescript is a package of this repository.
  const setup = `export DO_NOT_TRACK=1 PATH="${join(MODULES, '.bin')}:${resolve('node_modules/.bin')}:$PATH"`;
  const strict = '--strict --skipLibCheck --module nodenext --target es2024 --outDir out src/*.ts';
  const commands = [...readBlocks(PAGE, 'sh').map((line) => line.replaceAll('npx ', '')), `tsc ${strict}`];
  for (const command of commands) {
    const { status, output } = await run(folder, 'sh', '-c', `${setup}\n${command}`);
    if (status !== 0) throw new Error(`${command}: ${output}`);
  }
  for (const { file, code } of blocks.filter((block) => block.file.startsWith('src/with-'))) {
    const { output } = await run(folder, process.execPath, file.replace(/^src(.*)ts$/, 'out$1js'));
    const expected = [...code.matchAll(/\/\/ prints (.*)/g)].map(([, line]) => line);
    expectSame(file, output.trimEnd(), expected.join('\n'));
  }
}

/** @throws Error when they are not the same */
function expectSame(what: string, text: string, expected: string): void {
  console.log(`${what}: ${text.replaceAll('\n', ', ')}`);
  if (text !== expected) throw new Error(`${what}: expected ${expected}`);
}
