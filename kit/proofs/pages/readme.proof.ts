import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';
import { LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { followBlocks, readPage, type Block } from '@contract-kit/test-support/walk-page';

const run = promisify(execFile);
const folder = useFolder();
const blocks = readPage(join(SERVICE_FOLDER, 'README.md'));
// A command may go on in the next line.
const session = blocks.find(({ language }) => language === 'console')?.text.replaceAll(/\\\n */g, '');
const changes = blocks.filter(({ file }) => file !== undefined);
const generate = toCommand('node node_modules/@contract-kit/tools/dist/cli.js generate');

function toCommand(text: string): Block {
  return { file: undefined, language: 'sh', text };
}

/** A copy of what the README changes, with the packages of this repository. */
function copyService(): string {
  const copy = mkdtempSync(join(folder, 'service-'));
  for (const name of ['generated', 'openapi.yaml', 'package.json', 'src', 'tsconfig.json']) {
    cpSync(join(SERVICE_FOLDER, name), join(copy, name), { recursive: true });
  }
  for (const name of ['node_modules', 'kit']) symlinkSync(join(SERVICE_FOLDER, name), join(copy, name));
  return copy;
}

/** Waits until a service listens, and returns how to run a command of the README in a shell. */
async function useService(service: ServiceProcess): Promise<(command: string) => Promise<string>> {
  const [, url = ''] = await service.waitFor(LISTENING);
  const [, token = ''] = await service.waitFor(/^TOKEN=(.+)$/m);
  return async (command) => {
    const script = command.replace('http://127.0.0.1:3000', url);
    return (await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } })).stdout;
  };
}

test('the session in the README is what the service replies', async () => {
  using service = startProcess();
  const type = await useService(service);
  const [, started = '', ...commands] = String(session).split(/^\$ /m);
  expect(service.output.stderr).toContain(started.replace('npm start\n', ''));
  expect(commands).toHaveLength(3);
  for (const [command = '', ...lines] of commands.map((text) => text.trimEnd().split('\n'))) {
    const reply = await type(command);
    const [shown = '', rest] = lines.join('\n').split(' ...');
    expect(rest === undefined ? reply : reply.slice(0, shown.length)).toBe(shown);
  }
});

test('the compiler says what the README shows when the contract changes', () => {
  const [edit, shown] = [changes[0], blocks.find(({ language }) => language === 'text')];
  if (!edit || !shown) throw new Error('the README has no edit, or no error');
  const commands = [edit, generate, toCommand('npx tsc -p src --noEmit'), shown];
  expect(followBlocks(commands, copyService())).toEqual([]);
});

test('an operation that is added as the README says finds a plant', async () => {
  const copy = copyService();
  const [contract, ...code] = changes.slice(1);
  if (!contract) throw new Error('the README adds no operation');
  expect(followBlocks([contract, generate, ...code, toCommand('npx tsc -p src')], copy)).toEqual([]);
  using service = startProcess({}, [], { main: join(copy, 'dist/main.js') });
  const type = await useService(service);
  await type(String(session?.match(/^\$ (curl .*)/m)?.[1]));
  const find = `curl http://127.0.0.1:3000/plants/1 -H "Authorization: Bearer $TOKEN"`;
  await expect(type(find)).resolves.toBe('[{"name":"Rose","tag":"flower"}]');
});
