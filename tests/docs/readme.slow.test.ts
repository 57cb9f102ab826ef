import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LISTENING, startProcess } from '../support/start-process';
import { readPage } from '../support/walk-page';

const run = promisify(execFile);

test('the session in the README is what the service replies', async () => {
  using service = startProcess();
  const [, url = ''] = await service.waitFor(LISTENING);
  const [, token = ''] = await service.waitFor(/Bearer ([^']+)/);
  const session = readPage('README.md').find(({ language }) => language === 'console');
  const [, started = '', ...commands] = String(session?.text).split(/^\$ /m);
  expect(service.output.stderr).toContain(started.replace('npm start\n', ''));
  expect(commands).toHaveLength(3);
  for (const [command = '', ...lines] of commands.map((text) => text.trimEnd().split('\n'))) {
    const script = command.replace('http://127.0.0.1:3000', url);
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } });
    expect(stdout).toBe(lines.join('\n'));
  }
});
