import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { startProcess } from './support/start-process';
import { useFolder } from './support/use-folder';

// The service as the child of a process that talks to it, such as `npm run dev`.

const TOKEN = 'the-token_of-a-session'.padEnd(43, '0');
const folder = useFolder();

function forkService(env: Record<string, string>): { child: ChildProcess; stderr: Promise<string> } {
  const settings = { PORT: '0', ADMIN_PORT: '0', DEV_TOKEN: TOKEN, ...env };
  const child = fork(resolve('dist/main.js'), {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: resolve('coverage/process'), ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return { child, stderr: child.stderr ? text(child.stderr) : Promise.resolve('') };
}

test('it says when it is ready, has the token that it was given, and ends although the parent could go on', async () => {
  const { child, stderr } = forkService({});
  await expect(once(child, 'message')).resolves.toEqual(['ready', undefined]);
  child.kill('SIGTERM');
  await expect(once(child, 'exit')).resolves.toEqual([0, null]);
  await expect(stderr).resolves.toContain(`Bearer ${TOKEN}'`);
});

test.each([
  ['HOST 0.0.0.0 can be reached from elsewhere', { HOST: '0.0.0.0' }],
  ['cannot be used', { DATABASE_URL: 'file:/proc/plants.db' }],
])('it ends when it cannot start: %s', async (reason, env) => {
  const { child, stderr } = forkService(env);
  await expect(once(child, 'exit')).resolves.toEqual([1, null]);
  await expect(stderr).resolves.toContain(reason);
});

test('without a parent that talks to it, it has a token of its own', async () => {
  using service = startProcess({ DEV_TOKEN: TOKEN });
  const [, token] = await service.waitFor(/Bearer ([\w-]{43})'/);
  expect(token).not.toBe(TOKEN);
});
