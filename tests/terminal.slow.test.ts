import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fetchPatiently } from './support/fetch-patiently';
import { startProcess } from './support/start-process';

const INTERRUPT = '\u0003';
const TOKEN = 'a-token-for-the-tests';
const LINE = String.raw`\d\d:\d\d:\d\d\.\d{3} (?:info |error)`;

/** A service whose standard streams are a terminal. */
interface Session extends Disposable {
  readonly shell: ChildProcess;
  /** What the terminal got so far, as it would be read. */
  readonly read: () => string;
  readonly waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Starts the compiled service in a pseudo terminal, which `script` of util-linux makes. */
function startInTerminal(env: Readonly<Record<string, string>> = {}): Session {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  const command = `exec '${process.execPath}' '${resolve('dist/main.js')}'`;
  const coverage = { NODE_V8_COVERAGE: resolve('coverage/process') };
  const shell = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', PORT: '0', ADMIN_PORT: '0', ...coverage, ...env },
  });
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  // The terminal shows the key, too.
  const read = (): string => text.replaceAll('\r\n', '\n').replaceAll('^C', '');
  return {
    shell,
    read,
    async waitFor(pattern) {
      for (;;) {
        const found = pattern.exec(read());
        if (found) return found;
        if (shell.exitCode !== null) throw new Error(`it ended: ${read()}`);
        await setTimeout(5);
      }
    },
    [Symbol.dispose]() {
      // Without its terminal the service gets SIGHUP.
      shell.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

function post(url: string, token: string, body: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetchPatiently(`${url}/plants`, { method: 'POST', headers, body });
}

test('on a terminal each line is for people, from the start to the end', async () => {
  using session = startInTerminal({ NO_COLOR: '1' });
  const [, url = '', docs] = await session.waitFor(/ listening\n {4}url: (.*)\n {4}docs: (.*)\n/);
  expect(docs).toBe(`${url}/docs`);
  const [, token = '', page] = await session.waitFor(/Bearer ([^']+)'.*\n+The documentation page: (.*)\n/);
  expect(page).toBe(docs);
  await post(url, token, '{"id":1,"name":"Rose"}');
  await post(url, token, '{"id":"\\u001b[2J"}');
  await fetch(`${url}/no\u001b/such`);
  await fetch(url, { headers: { Accept: 'text/html' } });
  await session.waitFor(/ GET \/docs 200 /);
  const ended = once(session.shell, 'close');
  session.shell.stdin?.write(INTERRUPT);
  await expect(ended).resolves.toEqual([0, null]);
  const lines = session.read().split('\n');
  const told = lines
    .filter((line) => new RegExp(`^${LINE} `).test(line))
    // On a busy machine it may be overloaded.
    .filter((line) => !line.includes(' 503 '))
    .map((line) => line.slice('00:00:00.000 '.length));
  expect(told.map((line) => line.replace(/ \d+(?:\.\d+)? ms/, ' N ms').replace(/ [\da-f-]{36}$/, ' ID'))).toEqual([
    'info  listening',
    'info  request POST /plants createPlant 200 N ms ID',
    'info  request POST /plants createPlant 400 N ms INVALID_BODY ID',
    'info  request GET /no%1B/such 404 N ms UNKNOWN_PATH ID',
    'info  request GET / 302 N ms ID',
    'info  request GET /docs 200 N ms ID',
    'info  stopping SIGINT',
    'info  stopped',
  ]);
  expect(session.read()).not.toMatch(/\u001b|"level"/);
});

test('the log on a terminal has colours', async () => {
  using session = startInTerminal();
  await expect(session.waitFor(/\u001b\[32minfo \u001b\[39m listening\n/)).resolves.toHaveLength(1);
});

test('where tokens are set, the page is named all the same', async () => {
  using session = startInTerminal({ API_TOKENS: TOKEN });
  const [, url = '', docs] = await session.waitFor(/ listening\n {4}url: (.*)\n {4}docs: (.*)\n/);
  expect(docs).toBe(`${url}/docs`);
  expect(session.read()).not.toContain(TOKEN);
});

test('LOG_FORMAT=json counts on a terminal, too', async () => {
  using session = startInTerminal({ LOG_FORMAT: 'json' });
  const [line] = await session.waitFor(/^\{.*"msg":"listening"\}$/m);
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'listening' });
});

test('LOG_FORMAT=text counts in a pipe, without colours', async () => {
  using service = startProcess({ LOG_FORMAT: 'text', API_TOKENS: TOKEN });
  const [, url = ''] = await service.waitFor(/ listening\n {4}url: (.*)\n/);
  await post(url, TOKEN, '{"id":1,"name":"Rose"}');
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toMatch(/ POST \/plants createPlant 200 .* stopping SIGTERM\n.* stopped\n$/s);
  expect(service.output.stdout).not.toMatch(/\u001b|"level"/);
});

test('any other LOG_FORMAT stops the start', async () => {
  using service = startProcess({ LOG_FORMAT: 'pretty' });
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stderr).toMatch(/ cannot start:\n- LOG_FORMAT must be text or json\n$/);
});
