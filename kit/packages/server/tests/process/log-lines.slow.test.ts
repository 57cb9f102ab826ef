import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempDisposableSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Refusal } from '../../src/errors/refusal';
import type { Outcome } from '../../src/http/report';
import { logOutcome, type Log } from '../../src/http/request-log';
import { createLog, createBackgroundDestination } from '../../src/runtime/log';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { TOKEN } from '@contract-kit/test-support/start-things';
import { startProcess, fetchPatiently } from '@contract-kit/test-support/start-process';
import { until } from '@contract-kit/test-support/until';
import { setImmediate, setTimeout } from 'node:timers/promises';

async function linesOf(use: (log: Log) => Promise<void> | void): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  await use(createLog('info', { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) }));
  return lines;
}

async function lineOf(outcome: Outcome): Promise<Record<string, unknown> | undefined> {
  const lines = await linesOf((log) => {
    logOutcome(log, outcome);
  });
  return lines[0];
}

test('a failure beside a good reply is an error all the same', async () => {
  const line = await lineOf({
    status: 200,
    refusal: new Refusal('INTERNAL_ERROR', undefined, { cause: new Error('a bug') }),
  });
  expect(line).toMatchObject({ level: 50, status: 200, cause: expect.stringContaining('a bug') as string });
});

test('a failure has the stacks of its causes, and none of their other properties', async () => {
  const root = Object.assign(new TypeError('root'), { body: 'what the client sent' });
  const cause = new Error('outer', { cause: root });
  const line = await lineOf({ status: 500, refusal: new Refusal('INTERNAL_ERROR', undefined, { cause }) });
  expect(line).toMatchObject({ level: 50, refusal: 'INTERNAL_ERROR', msg: 'request' });
  expect(line?.['cause']).toMatch(/^Error: outer\n.*\ncaused by TypeError: root\n/s);
  expect(line?.['cause']).not.toContain('undefined');
  expect(JSON.stringify(line)).not.toContain('what the client sent');
});

test('a failure that is no error has no cause', async () => {
  const line = await lineOf({ status: 500, refusal: new Refusal('INTERNAL_ERROR', undefined, { cause: 'secret' }) });
  expect(line).not.toHaveProperty('cause');
});

test('a reader that is behind costs lines, not memory', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'log-'));
  const destination = createBackgroundDestination(join(folder.path, 'log'), 1_000);
  const log = createLog('info', destination);
  for (let line = 0; line < 1_000; line++) log.info({ line }, 'request');
  // What was kept is written by then.
  const closed = once(destination, 'close');
  destination.end();
  await closed;
  const written = readFileSync(join(folder.path, 'log'), 'utf8');
  expect(written).toContain('request');
  expect(written.length).toBeLessThan(3_000);
});

test('the end of the process does not wait for a disk that is full', async () => {
  const destination = createBackgroundDestination('/dev/full');
  const failed = new Promise((resolve) => destination.once('error', resolve));
  createLog('info', destination).info('request');
  await failed;
  expect(() => {
    destination.flushSync();
  }).not.toThrow();
  destination.destroy();
});

test('a disk that is full costs lines, not the service', async () => {
  const port = await findPort();
  const full = openSync('/dev/full', 'w');
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests', PORT: String(port) }, [], { stdout: full });
  const ask = (): Promise<number> =>
    fetch(`http://127.0.0.1:${String(port)}/no/such/path`).then(({ status }) => status);
  // Its output is lost: it can only be asked whether it listens.
  const listening = until(async () => (await ask().catch(() => 0)) !== 0);
  await expect(Promise.race([service.ended, listening])).resolves.toBeUndefined();
  for (let time = 0; time < 50; time++) expect(await ask()).toBe(404);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  closeSync(full);
});

test('a reader that stalls does not keep the process, which the signal then ends', async () => {
  const port = await findPort();
  using folder = mkdtempDisposableSync(join(tmpdir(), 'log-'));
  execFileSync('mkfifo', [join(folder.path, 'log')]);
  const unread = openSync(join(folder.path, 'log'), 'r+');
  using service = startProcess({ API_TOKENS: TOKEN, PORT: String(port) }, [], { stdout: unread });
  const ask = (): Promise<number> => fetch(`http://127.0.0.1:${String(port)}/docs`).then(({ status }) => status);
  while ((await ask().catch(() => 0)) === 0) await setTimeout(20);
  // Each has a line of some 130 bytes; the system keeps 64 kB.
  for (let time = 0; time < 1_000; time++) expect(await ask()).toBe(200);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe('SIGTERM');
  closeSync(unread);
});

test('no line is torn where processes share a pipe that is read slowly', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'log-'));
  const [pipe, main] = [join(folder.path, 'pipe'), join(folder.path, 'main.cjs')];
  execFileSync('mkfifo', [pipe]);
  const log = JSON.stringify(resolve('packages/server/dist/runtime/log.js'));
  // Some characters have more bytes than others.
  writeFileSync(
    main,
    `const log = require(${log}).createLog('info');
    for (let line = 0; line < 20_000; line++) log.info({ line, text: 'é'.repeat(line % 100) }, 'request');
    console.error('logged');`,
  );
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  using first = startProcess({}, [], { stdout: writer, main });
  using second = startProcess({}, [], { stdout: writer, main });
  closeSync(writer);
  // The pipe is full then, and both wait for it.
  for (const service of [first, second]) await service.waitFor(/logged/);
  const lines = (await readSlowly(reader)).split('\n');
  closeSync(reader);
  await expect(Promise.all([first.ended, second.ended])).resolves.toEqual([0, 0]);
  const torn = lines.slice(0, -1).filter((line) => !isJson(line));
  expect([lines.length, torn]).toEqual([40_001, []]);
});

/** Reads what others write to a pipe, in small pieces, until all of them have closed it. */
async function readSlowly(pipe: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.alloc(5_000);
    try {
      const bytes = readSync(pipe, piece);
      if (bytes === 0) return Buffer.concat(pieces).toString();
      pieces.push(piece.subarray(0, bytes));
      await setImmediate();
    } catch (error) {
      // Nothing was written yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await setTimeout(1);
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const INTERRUPT = '\u0003';
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
  const command = `exec '${process.execPath}' '${resolve('packages/test-support/plants/dist/main.js')}'`;
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
      // Which ends the service, too; without its terminal, it would go on.
      shell.kill('SIGTERM');
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
  // One block, with the token last.
  const [, token = ''] = await session.waitFor(
    / listening\n {4}url: .*\n(?: {4}\w+: .*\n)* {4}tokens: This token .*\n {4}TOKEN=(.*)\n {4}curl -i .* -H "Authorization: Bearer \$TOKEN" \\\n {6}-H .*\n/,
  );
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
  expect(
    told.map((line) => line.replace(/ [\d.]+ ms/, ' N ms').replace(/( [\da-f]{8})? [\da-f-]{36}$/, ' ID')),
  ).toEqual([
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

test('where tokens are set, the page is named all the same', async () => {
  using session = startInTerminal({ API_TOKENS: TOKEN });
  const [, url = '', docs] = await session.waitFor(/ listening\n {4}url: (.*)\n {4}docs: (.*)\n/);
  expect(docs).toBe(`${url}/docs`);
  expect(session.read()).not.toContain(TOKEN);
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

test('Node no longer looks on the stack for who calls url.parse, and still warns of what else is deprecated', async () => {
  // What is called here is not in node_modules. The process is asked when it listens.
  const script = `import { parse } from 'node:url';
process.on('SIGUSR2', () => {
  parse('/');
  process.emitWarning('asked', 'DeprecationWarning', 'DEP_OTHER');
});`;
  using service = startProcess({}, ['--import', `data:text/javascript,${encodeURIComponent(script)}`]);
  await service.waitFor(/"msg":"listening"/);
  service.child.kill('SIGUSR2');
  await service.waitFor(/DEP_OTHER/);
  expect(service.output.stderr).not.toContain('DEP0169');
});
