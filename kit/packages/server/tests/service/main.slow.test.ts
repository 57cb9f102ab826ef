import { execFileSync, spawnSync, type SpawnSyncReturns, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { sha256 } from '@contract-kit/test-support/plants/generated/contract';
import { fetchPatiently, LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { text, buffer } from 'node:stream/consumers';
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { ContractIdentity } from '@contract-kit/contract';
import { loadText } from '@contract-kit/test-support/load-text';
import { NOTES } from '@contract-kit/test-support/serve-text';

const folder = useFolder();

describe('without a token source', () => {
  test('a curl line is printed, with the token that counts', async () => {
    using service = startProcess();
    const [, url = ''] = await service.waitFor(LISTENING);
    const [line] = await service.waitFor(/^curl .*$/m);
    expect(line).toMatch(/^curl -i http:[^ ]+ -H /);
    expect(line).toContain(url);
    expect(line).toContain('"Authorization: Bearer $TOKEN"');
  });

  test('with DOCS=off no page is named', async () => {
    using service = startProcess({ DOCS: 'off' });
    await service.waitFor(/^curl .*\n/m);
    service.child.kill('SIGTERM');
    await expect(service.ended).resolves.toBe(0);
    expect(service.output.stdout).toContain('"msg":"listening"');
    expect(service.output.stdout + service.output.stderr).not.toMatch(/docs|documentation/);
  });

  test('the token is new each time, and in no log line', async () => {
    const tokens = new Set<string | undefined>();
    for (let time = 0; time < 2; time++) {
      using service = startProcess();
      const [, token] = await service.waitFor(/^TOKEN=([\w-]{43})$/m);
      tokens.add(token);
      service.child.kill('SIGTERM');
      await expect(service.ended).resolves.toBe(0);
      expect(service.output.stdout).not.toContain(token);
      expect(service.output.stdout).toContain('"tokens":"a random one, printed on standard error","msg":"listening"');
    }
    expect(tokens.size).toBe(2);
  });

  test('it does not listen where others can reach it', async () => {
    using service = startProcess({ HOST: '0.0.0.0' });
    await expect(service.ended).resolves.toBe(1);
    expect(service.output.stderr).toContain('HOST 0.0.0.0 can be reached from other machines: set API_TOKENS');
  });
});

test('the line at the start tells the URL, where the tokens come from and which contract it is', async () => {
  writeFileSync(join(folder, 'tokens'), 'another-token-for-the-tests');
  const jwt = { JWT_ISSUER: 'http://127.0.0.1:9', JWT_AUDIENCE: 'api' };
  const sources = { API_TOKENS: 'a-token-for-the-tests', API_TOKENS_FILE: join(folder, 'tokens'), ...jwt };
  using service = startProcess({ ...sources, BASE_URL: 'https://api.example/v1', HOST: '::1' });
  const [line, url] = await service.waitFor(LISTENING);
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/v1$/);
  expect(JSON.parse(line.replace(/^.*?"url"/, '{"url"').concat('}'))).toMatchObject({
    url,
    docs: `${String(url)}/docs`,
    admin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    tokens: 'API_TOKENS and API_TOKENS_FILE and JWT_ISSUER',
    contract: { sha256 },
    msg: 'listening',
  });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stderr).toBe('');
});

test('CORS_ORIGINS lets a page of another origin ask what it may send', async () => {
  using service = startProcess({ CORS_ORIGINS: 'https://app.example' });
  const [, url = ''] = await service.waitFor(LISTENING);
  const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
  const reply = await fetch(`${url}/plants`, { method: 'OPTIONS', headers });
  expect(reply.status).toBe(204);
  expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
  await service.waitFor(/"method":"OPTIONS","status":204,.*"msg":"request"/);
});

test.each<[string, string, RegExp]>([
  ['on', 'names', /"caller":"ci","method":"POST","path":"\/plants","operation":"createPlant","status":200,/],
  ['off', 'does not name', /"id":"[^"]+","method":"POST","path":"\/plants","operation":"createPlant","status":200,/],
])('with LOG_CALLER=%s, the log %s the caller', async (LOG_CALLER, _, line) => {
  using service = startProcess({ API_TOKENS: 'ci:a-token-for-the-tests', LOG_CALLER });
  const [, url = ''] = await service.waitFor(LISTENING);
  const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
  await fetchPatiently(`${url}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Rose"}' });
  const [request] = await service.waitFor(/.*"msg":"request"/);
  expect(request).toMatch(line);
});

test('TRUST_PROXY believes the address of the client, KEEP_ALIVE_TIMEOUT keeps its connection', async () => {
  using service = startProcess({ TRUST_PROXY: 'loopback', KEEP_ALIVE_TIMEOUT: '620s' });
  const [, url = ''] = await service.waitFor(LISTENING);
  const reply = await fetch(`${url}/plants`, { method: 'POST', headers: { 'X-Forwarded-For': '2001:db8::1' } });
  expect(reply.headers.get('Keep-Alive')).toBe('timeout=620');
  await service.waitFor(/"client":"2001:db8::1","method":"POST",.*"msg":"request"/);
});

describe('--check', () => {
  function check(ports: Record<string, string>, option = '--check'): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [resolve('packages/test-support/plants/dist/main.js'), option], {
      cwd: folder,
      env: { ...process.env, NODE_V8_COVERAGE: resolve('coverage/process'), PORT: '0', ADMIN_PORT: '0', ...ports },
      encoding: 'utf8',
    });
  }

  test('tries the start and ends, while the old release has the database and the ports', async () => {
    const database = { DATABASE_URL: `file:${join(folder, 'checked.db')}` };
    using service = startProcess(database);
    const [line] = await service.waitFor(LISTENING);
    const portOf = (name: string): string => String(new RegExp(`"${name}":"http://[^"]*:(\\d+)`).exec(line)?.[1]);
    const ports = { PORT: portOf('url'), ADMIN_PORT: portOf('admin') };
    const stdout = expect.stringMatching(/^[^\n]*the check passed: the service would start[^\n]*\n$/) as string;
    expect(check({ ...database, ...ports })).toMatchObject({ status: 0, stderr: '', stdout });
  });

  test('an option other than --check is refused before anything is opened', () => {
    const stderr = 'The plant store cannot start:\n- unknown option --chek: the only option is --check\n';
    // Without this port, a service that ignores the option ends, too.
    expect(check({ PORT: 'none' }, '--chek')).toMatchObject({ status: 1, stdout: '', stderr });
  });
});

test('the oldest Node that counts is enough', async () => {
  writeFileSync(join(folder, 'old.js'), `Object.defineProperty(process.versions, 'node', { value: '24.0.0' });`);
  using service = startProcess({}, ['--require', join(folder, 'old.js')]);
  await expect(service.waitFor(LISTENING)).resolves.toHaveLength(2);
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
      /^.+ cannot start:\n- PORT .*\n- API_TOKENS .*\n- BODY_LIMIT .*\n$/,
    );
  });

  test('a pipe as the file of tokens, for which a reader would wait', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    using service = startProcess({ API_TOKENS_FILE: join(folder, 'pipe') });
    await expect(refusal(service)).resolves.toMatch(/^.+ cannot start:\n- API_TOKENS_FILE is not a file\n$/);
  });

  test.each(['PORT', 'ADMIN_PORT'])('a port that is taken: %s', async (name) => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    using service = startProcess({ [name]: String((other.address() as AddressInfo).port) });
    await expect(refusal(service)).resolves.toMatch(
      new RegExp(`^.+ cannot start:\\n- cannot listen on \\w+ and ${name}: .* EADDRINUSE.*\\n$`),
    );
    other.close();
  });

  test('an old Node', async () => {
    writeFileSync(join(folder, 'old.js'), `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`);
    using service = startProcess({}, ['--require', join(folder, 'old.js')]);
    await expect(refusal(service)).resolves.toMatch(
      /^This program needs Node 24 or newer, but this is Node 20\.20\.2\. .*\n$/,
    );
    expect(readdirSync(service.folder)).toEqual([]);
  });

  test('a bug is told with its stack', async () => {
    writeFileSync(
      join(folder, 'bug.js'),
      `require('node:crypto').randomBytes = () => { throw new TypeError('a bug'); };`,
    );
    using service = startProcess({}, ['--require', join(folder, 'bug.js')]);
    await expect(service.ended).resolves.toBe(1);
    expect(service.output.stderr).toMatch(/TypeError: a bug\n\s+at /);
  });
});

describe('the end', () => {
  // A client that still sends is waited for, for a second; here without end.
  const held = `const { setTimeout: set } = globalThis;
    globalThis.setTimeout = (act, time, ...args) => set(act, time === 1000 ? 2 ** 31 - 1 : time, ...args);`;

  function start(timeout = '60m'): ServiceProcess {
    const preload = `data:text/javascript,${encodeURIComponent(held)}`;
    return startProcess({ API_TOKENS: 'a-token-for-the-tests', SHUTDOWN_TIMEOUT: timeout }, ['--import', preload]);
  }

  /** Sends a request whose reply is not over, since not all of its body has come, though the server wants none. */
  async function hold(url: string): Promise<void> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write('POST /no/such/path HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
    await once(socket, 'data');
  }

  test('what takes longer than SHUTDOWN_TIMEOUT is cut', async () => {
    using service = start('50ms');
    const [, url = ''] = await service.waitFor(LISTENING);
    await hold(url);
    service.child.kill('SIGTERM');
    await expect(service.ended).resolves.toBe(0);
    expect(service.output.stdout).toMatch(/"level":40.*longer than SHUTDOWN_TIMEOUT/);
  });

  test.each([
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('a second signal ends it at once: %s, %s', async (first, second) => {
    using service = start();
    const [, url = ''] = await service.waitFor(LISTENING);
    await hold(url);
    service.child.kill(first);
    await service.waitFor(/"msg":"stopping"/);
    service.child.kill(second);
    await expect(service.ended).resolves.toBe(second);
  });
});

test('what V8 has compiled is kept beside the package for the next start, but not where coverage is counted', () => {
  const modules = ['runtime/node-version.js', 'index.js'].map((name) => resolve('packages/server/dist', name));
  const program = 'process.argv.slice(1).forEach(require), require("module").getCompileCacheDir()';
  const [kept, counted] = ['', resolve('coverage/process')].map((coverage) =>
    execFileSync(process.execPath, ['-p', program, ...modules], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
      encoding: 'utf8',
    }).trim(),
  );
  expect(kept).toContain(resolve('packages/server/.compile-cache'));
  expect(readdirSync(String(kept))).not.toEqual([]);
  expect(counted).toBe('undefined');
});

describe('the child of a process that talks to it, such as `npm run dev`', () => {
  const TOKEN = 'the-token_of-a-session'.padEnd(43, '0');

  function forkService(env: Record<string, string>): { child: ChildProcess; stderr: Promise<string> } {
    const settings = { PORT: '0', ADMIN_PORT: '0', DEV_TOKEN: TOKEN, ...env };
    const child = fork(resolve('packages/test-support/plants/dist/main.js'), {
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
    await expect(stderr).resolves.toContain(`\nTOKEN=${TOKEN}\n`);
  });

  test.each([
    ['HOST 0.0.0.0 can be reached from other machines', { HOST: '0.0.0.0' }],
    ['cannot be used', { DATABASE_URL: 'file:/proc/plants.db' }],
  ])('it ends when it cannot start: %s', async (reason, env) => {
    const { child, stderr } = forkService(env);
    await expect(once(child, 'exit')).resolves.toEqual([1, null]);
    await expect(stderr).resolves.toContain(reason);
  });

  test('without a parent that talks to it, it has a token of its own', async () => {
    using service = startProcess({ DEV_TOKEN: TOKEN });
    const [, token] = await service.waitFor(/^TOKEN=([\w-]{43})$/m);
    expect(token).not.toBe(TOKEN);
  });
});

const SHA256 = createHash('sha256').update(readFileSync('packages/test-support/plants/openapi.yaml')).digest('hex');

/** As a client does that says nothing of codings. */
async function read(url: string, headers: Record<string, string> = {}): Promise<[IncomingMessage, Buffer]> {
  const [reply] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  return [reply, await buffer(reply)];
}

test('a contract is told by its version and by its bytes', () => {
  const { identity } = loadText(NOTES);
  expect(identity).toEqual({ version: '2.0.0', sha256: createHash('sha256').update(NOTES).digest('hex') });
  expect(loadText(`${NOTES}# a comment\n`).identity.sha256).not.toBe(identity.sha256);
});

test('the log, the metrics, the ETag of the contract and generated/ tell of the same one', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  const [line] = await service.waitFor(/^.*"msg":"listening".*$/m);
  const { url, admin, contract } = JSON.parse(line) as { url: string; admin: string; contract: ContractIdentity };
  expect(contract.sha256).toBe(SHA256);
  expect(sha256).toBe(SHA256);

  const [, metrics] = await read(`${admin}/metrics`);
  expect(metrics.toString().split('\n')).toContain(`contract_info{version="${contract.version}",sha256="${SHA256}"} 1`);

  const [{ headers }, bytes] = await read(`${url}/openapi.yaml`);
  expect(headers.etag).toBe(`"${SHA256}"`);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(SHA256);
  const [known, nothing] = await read(`${url}/openapi.yaml`, { 'If-None-Match': `"${SHA256}"` });
  expect([known.statusCode, known.headers.etag, nothing.length]).toEqual([304, `"${SHA256}"`, 0]);
  const [other] = await read(`${url}/openapi.yaml`, { 'If-None-Match': `"${SHA256.replace(/./g, '0')}"` });
  expect(other.statusCode).toBe(200);
});
