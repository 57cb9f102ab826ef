import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../generated/contract';
import { readRows } from './start-app';
import { startProcess, type ServiceProcess } from './start-process';

const README = readFileSync('README.md', 'utf8');
const LISTENING = /"url":"(http:[^"]+)".*"msg":"listening"/;
const BODY = '{"id":9007199254740993,"name":"Rose","tag":"flower"}';

async function create(url: string, token: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/plants`, { method: 'POST', headers, body: BODY });
}

describe('without a token source', () => {
  test('the curl line that is printed works when it is pasted, and the plant survives a restart', async () => {
    using service = startProcess();
    await service.waitFor(LISTENING);
    const [line] = await service.waitFor(/^curl .*$/m);
    const reply = execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reply).toMatch(/\r\n\r\n\{"name":"Rose","tag":"flower"\}$/);
    const shown = reply
      .replaceAll('\r', '')
      .replace(/Date: .*/, 'Date: Sat, 21 Nov 2026 12:00:00 GMT')
      .replace(/X-Request-Id: .*/, 'X-Request-Id: 8c0f9f5e-6c0b-4d3e-9a55-0d8a5e1f7a11');
    expect(README).toContain(shown);
    service.child.kill('SIGKILL');
    await service.ended;

    const database = join(service.folder, 'data/plants.db');
    using again = startProcess({ DATABASE_URL: `file:${database}`, API_TOKENS: 'one' });
    const [, url = ''] = await again.waitFor(LISTENING);
    await expect(create(url, 'one')).resolves.toMatchObject({ status: 200 });
    await again.waitFor(/"operation":"createPlant","status":200/);
    expect(readRows(database)).toEqual([
      { id: 1n, name: 'Rose', tag: 'flower' },
      { id: 9007199254740993n, name: 'Rose', tag: 'flower' },
    ]);
  });

  test('the token is new each time, and in no log line', async () => {
    const tokens = new Set<string | undefined>();
    for (let time = 0; time < 2; time++) {
      using service = startProcess();
      const [, token] = await service.waitFor(/Bearer ([A-Za-z0-9_-]{43})'/);
      tokens.add(token);
      service.child.kill('SIGTERM');
      await expect(service.ended).resolves.toBe(0);
      expect(service.output.stdout).not.toContain(token);
      expect(service.output.stdout).toContain('"tokens":"made at start, printed on standard error","msg":"listening"');
    }
    expect(tokens.size).toBe(2);
  });

  test('it does not listen where others can reach it', async () => {
    using service = startProcess({ HOST: '0.0.0.0' });
    await expect(service.ended).resolves.toBe(1);
    expect(service.output.stderr).toContain('HOST 0.0.0.0 can be reached from elsewhere: set API_TOKENS');
  });
});

test('the line at the start tells the URL, the store, where the tokens come from and which contract it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  writeFileSync(join(folder, 'tokens'), 'two');
  const jwt = { JWT_ISSUER: 'http://127.0.0.1:9', JWT_AUDIENCE: 'plants' };
  const sources = { API_TOKENS: 'one', API_TOKENS_FILE: join(folder, 'tokens'), ...jwt };
  using service = startProcess({ ...sources, BASE_URL: 'https://plants.example/v1', HOST: '::1' });
  const [line, url] = await service.waitFor(LISTENING);
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/v1$/);
  expect(JSON.parse(line.replace(/^.*?"url"/, '{"url"').concat('}'))).toEqual({
    url,
    docs: `${String(url)}/docs`,
    admin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    database: join(service.folder, 'data/plants.db'),
    tokens: 'API_TOKENS and API_TOKENS_FILE and JWT_ISSUER',
    contract: { version: '1.0.0', sha256 },
    msg: 'listening',
  });
  rmSync(folder, { recursive: true });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stderr).toBe('');
});

test('--check tries the start and ends', () => {
  const check = spawnSync(process.execPath, ['dist/main.js', '--check'], {
    env: {
      ...process.env,
      DATABASE_URL: `file:${join(mkdtempSync(join(tmpdir(), 'check-')), 'plants.db')}`,
      NODE_V8_COVERAGE: 'coverage/process',
    },
    encoding: 'utf8',
  });
  expect(check).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('it would start') as string });
});

test('the oldest Node that counts is enough', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'old-'));
  writeFileSync(join(folder, 'old.js'), `Object.defineProperty(process.versions, 'node', { value: '24.0.0' });`);
  using service = startProcess({}, ['--require', join(folder, 'old.js')]);
  await expect(service.waitFor(LISTENING)).resolves.toHaveLength(2);
  rmSync(folder, { recursive: true });
});

describe('what stops the start', () => {
  async function refusal(service: ServiceProcess): Promise<string> {
    await expect(service.ended).resolves.toBe(1);
    expect(service.output.stdout).toBe('');
    expect(service.output.stderr).not.toMatch(/^\s+at /m);
    return service.output.stderr;
  }

  test('settings, all at once', async () => {
    using service = startProcess({ PORT: 'x', BODY_LIMIT: '-1', API_TOKENS: '' });
    await expect(refusal(service)).resolves.toMatch(
      /^The plant store cannot start:\n- PORT .*\n- API_TOKENS .*\n- BODY_LIMIT .*\n$/,
    );
  });

  test('a port that is taken', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    using service = startProcess({ PORT: String((other.address() as AddressInfo).port) });
    await expect(refusal(service)).resolves.toMatch(
      /^The plant store cannot start:\n- HOST and PORT .* EADDRINUSE.*\n$/,
    );
    other.close();
  });

  test('a database that cannot be used', async () => {
    using service = startProcess({ DATABASE_URL: 'file:/proc/plants.db' });
    await expect(refusal(service)).resolves.toMatch(
      /^The plant store cannot start:\nthe database \/proc\/plants\.db cannot .*\n$/,
    );
  });

  test('an old Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'old-'));
    writeFileSync(join(folder, 'old.js'), `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`);
    using service = startProcess({}, ['--require', join(folder, 'old.js')]);
    await expect(refusal(service)).resolves.toMatch(
      /^The plant store needs Node 24 or newer, this is 20\.20\.2: .*\n$/,
    );
    expect(existsSync(join(service.folder, 'data'))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  test('a bug is told with its stack', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bug-'));
    writeFileSync(
      join(folder, 'bug.js'),
      `require('node:crypto').randomBytes = () => { throw new TypeError('a bug'); };`,
    );
    using service = startProcess({}, ['--require', join(folder, 'bug.js')]);
    await expect(service.ended).resolves.toBe(1);
    expect(service.output.stderr).toMatch(/TypeError: a bug\n\s+at /);
    rmSync(folder, { recursive: true });
  });
});

describe('the end', () => {
  /** A request whose body is not complete yet. */
  async function hold(url: string): Promise<{ finish: () => void; reply: Promise<Response> }> {
    let finish = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(BODY.slice(0, 5)));
        finish = () => {
          controller.enqueue(Buffer.from(BODY.slice(5)));
          controller.close();
        };
      },
    });
    const headers = { Authorization: 'Bearer one', 'Content-Type': 'application/json' };
    const reply = fetch(`${url}/plants`, { method: 'POST', headers, body, duplex: 'half' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { finish, reply };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: what is in flight is answered, then it ends with status 0',
    async (signal) => {
      using service = startProcess({ API_TOKENS: 'one' });
      const [, url = ''] = await service.waitFor(LISTENING);
      const { finish, reply } = await hold(url);
      service.child.kill(signal);
      await service.waitFor(new RegExp(`"signal":"${signal}","msg":"stopping"`));
      await expect(create(url, 'one')).rejects.toThrow('fetch failed');
      finish();
      const { status, headers } = await reply;
      expect([status, headers.get('connection')]).toEqual([200, 'close']);
      await expect(service.ended).resolves.toBe(0);
      expect(service.output.stdout).toContain('"msg":"stopped"');
      expect(readRows(join(service.folder, 'data/plants.db'))).toHaveLength(1);
    },
  );

  test('what takes longer than SHUTDOWN_TIMEOUT is cut', async () => {
    using service = startProcess({ API_TOKENS: 'one', SHUTDOWN_TIMEOUT: '50ms' });
    const [, url = ''] = await service.waitFor(LISTENING);
    const { reply } = await hold(url);
    const failed = reply.catch(String);
    service.child.kill('SIGTERM');
    await expect(service.ended).resolves.toBe(0);
    await expect(failed).resolves.toContain('fetch failed');
    expect(service.output.stdout).toMatch(/"level":40.*longer than SHUTDOWN_TIMEOUT/);
  });

  test.each([
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('a second signal ends it at once: %s, %s', async (first, second) => {
    using service = startProcess({ API_TOKENS: 'one' });
    const [, url = ''] = await service.waitFor(LISTENING);
    const { reply } = await hold(url);
    const failed = reply.catch(String);
    service.child.kill(first);
    await service.waitFor(/"msg":"stopping"/);
    service.child.kill(second);
    await expect(service.ended).resolves.toBe(second);
    await expect(failed).resolves.toContain('fetch failed');
  });
});
