import { once } from 'node:events';
import { connect } from 'node:net';
import { createAdminServer, findProblems, type Readiness } from '../../src/admin/admin-server';
import { Gauge } from 'prom-client';
import { createMetrics } from '../../src/admin/metrics';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { isLoopback } from '../../src/auth/loopback';

let server: ListeningServer;
let url: string;
const readiness: Readiness = { phase: undefined, checks: [] };
let isIssuerFailing = false;
const metrics = createMetrics(readiness, { version: '1.0.0', sha256: 'a59c' }, () => isIssuerFailing);

beforeAll(async () => {
  server = await listenOnLoopback(createAdminServer(readiness, metrics.registry));
  url = server.base.origin;
});
afterAll(() => server[Symbol.asyncDispose]());

async function read(path: string, method = 'GET'): Promise<[number, string]> {
  const reply = await fetch(url + path, { method });
  expect(reply.headers.get('connection')).toBe('close');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  return [reply.status, await reply.text()];
}

test('it tells that the service lives and is ready, and nothing else', async () => {
  await expect(read('/livez')).resolves.toEqual([200, 'alive\n']);
  await expect(read('/readyz?verbose')).resolves.toEqual([200, 'ready\n']);
  for (const path of ['/', '/livez/', '/LIVEZ', '/toString', '/__proto__']) {
    await expect(read(path)).resolves.toEqual([
      404,
      'This path does not exist. The server has /livez, /readyz and /metrics.\n',
    ]);
  }
  await expect(read('/livez', 'HEAD')).resolves.toEqual([200, '']);
  await expect(read('/livez', 'POST')).resolves.toEqual([405, 'Only GET and HEAD are allowed.\n']);
  const { headers } = await fetch(`${url}/livez`, { method: 'DELETE' });
  expect(headers.get('allow')).toBe('GET, HEAD');
});

test.each([
  [400, 'is malformed', 'HEAD /livez HTTP/1.1\r\nX-A : 1\r\n'],
  [400, 'has no Host', 'GET /livez HTTP/1.1\r\n'],
  [417, 'has an unknown Expect', 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: b\r\n'],
])('%i without content on the admin port for a request that %s', async (status, _, head) => {
  const [reply] = await sendRaw(server.port, `${head}Connection: close\r\n\r\n`);
  expect(reply).toMatchObject({ status, body: '' });
});

test('/readyz has the reason of a check that throws, or rejects with something else than an error', async () => {
  const throwReason = (): never => {
    throw new Error('a bug');
  };
  const { promise, reject } = Promise.withResolvers<undefined>();
  reject('no reason');
  const checks = [throwReason, () => promise];
  await expect(findProblems({ phase: undefined, checks })).resolves.toEqual(['a bug', 'no reason']);
});

test('/readyz says why the service is not ready, and a metric that it is not', async () => {
  readiness.checks.push(() => Promise.resolve());
  expect((await read('/metrics'))[1]).toContain('\nservice_ready 1\n');
  for (const problem of ['no store', 'no keys']) readiness.checks.push(() => Promise.reject(new Error(problem)));
  await expect(read('/readyz')).resolves.toEqual([503, 'not ready: no store; no keys\n']);
  readiness.phase = 'draining';
  await expect(read('/readyz')).resolves.toEqual([503, 'not ready: draining\n']);
  await expect(read('/livez')).resolves.toEqual([200, 'alive\n']);
  expect((await read('/metrics'))[1]).toContain('\nservice_ready 0\n');
});

test('a check that takes too long is a problem', async () => {
  using clock = holdClock('setTimeout', 'clearTimeout');
  const problems = findProblems({ phase: undefined, checks: [() => new Promise(() => undefined)] });
  clock.pass(3_000);
  await expect(problems).resolves.toEqual(['a check took longer than 3000 ms']);
});

test('the metrics are what was observed', async () => {
  metrics.observeRequest({ operation: 'createThing', status: 200, milliseconds: 30 });
  metrics.observeRequest({ status: 400 });
  metrics.observeDrop();
  metrics.watchBudget('memory', { bytes: 3, limit: 10, dropped: 1 });
  metrics.watchBudget('memory', { bytes: 4, limit: 10, dropped: 0 });
  metrics.observeOverflow();
  expect((await read('/metrics'))[1]).toContain('\njwt_issuer_failing 0\n');
  isIssuerFailing = true;
  const [, text] = await read('/metrics');
  for (const line of [
    'contract_info{version="1.0.0",sha256="a59c"} 1',
    'http_requests_total{operation="createThing",status="200"} 1',
    'http_requests_total{operation="",status="400"} 1',
    'http_request_duration_seconds_bucket{le="0.025",operation="createThing",status="200"} 0',
    'http_request_duration_seconds_bucket{le="0.05",operation="createThing",status="200"} 1',
    'http_request_duration_seconds_sum{operation="createThing",status="200"} 0.03',
    'http_connections_dropped_total 1',
    'http_body_bytes{place="memory"} 7',
    'http_body_limit_bytes{place="memory"} 20',
    'http_bodies_dropped_total{place="memory"} 1',
    'http_pipelines_cut_total 1',
    'jwt_issuer_failing 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  const reply = await fetch(`${url}/metrics`);
  expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
});

test('each request is counted once, however many there are before, between and after two scrapes', async () => {
  const { registry, observeRequest } = createMetrics(readiness, { version: '1.0.0', sha256: 'a59c' }, () => false);
  for (const requests of [2500, 1, 0]) {
    for (let index = 0; index < requests; index += 1)
      observeRequest({ operation: 'createThing', status: index % 5 === 0 ? 400 : 200, milliseconds: 0.25 });
    await registry.metrics();
  }
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('http_requests_total{operation="createThing",status="200"} 2000');
  expect(lines).toContain('http_requests_total{operation="createThing",status="400"} 501');
  const labels = 'operation="createThing",status="400"';
  expect(lines).toContain(`http_request_duration_seconds_bucket{le="0.0005",${labels}} 501`);
  expect(lines).toContain(`http_request_duration_seconds_count{${labels}} 501`);
});

test('a metric that cannot be collected is a 500 for the scraper, and ends no process', async () => {
  const { registry } = createMetrics(readiness, { version: '1.0.0', sha256: 'a59c' }, () => false);
  const collect = (): Promise<void> => Promise.reject(new Error('no database'));
  new Gauge({ name: 'rows', help: 'Rows', registers: [registry], collect });
  await using other = await listenOnLoopback(createAdminServer(readiness, registry));
  const reply = await fetch(new URL('/metrics', other.base));
  expect([reply.status, await reply.text()]).toEqual([500, 'Error: no database\n']);
});

test('of a connection one request is answered, and the oldest silent one makes room', async () => {
  const request = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
  await expect(sendRaw(server.port, request.repeat(100))).resolves.toHaveLength(1);
  // As many as wait to be accepted may be silent.
  expect(server.server.maxConnections).toBeGreaterThan(511);
  server.server.maxConnections = 100;
  const silent = Array.from({ length: 150 }, () => connect(server.port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  await expect(read('/livez')).resolves.toEqual([200, 'alive\n']);
  for (const socket of silent) socket.destroy();
});

describe('the names that it answers to', () => {
  async function statusOf({ port }: ListeningServer, head: string): Promise<number | undefined> {
    const [reply] = await sendRaw(port, `GET /livez ${head}\r\n\r\n`);
    return reply?.status;
  }
  let named: ListeningServer;
  beforeAll(async () => {
    const names = ['localhost', '[::1]', '127.0.0.1'];
    const isOwn = (name: string): boolean => names.includes(name);
    named = await listenOnLoopback(createAdminServer({ phase: undefined, checks: [] }, metrics.registry, isOwn));
  });
  afterAll(() => named[Symbol.asyncDispose]());

  test.each(['LocalHost:3001', 'localhost:', '127.0.0.1:3001', '[::1]'])('200 for its own name: %s', async (host) => {
    await expect(statusOf(named, `HTTP/1.1\r\nHost: ${host}`)).resolves.toBe(200);
  });

  const OTHER_NAMES = ['a.example:3001', 'localhost.a.example', '::1', '[::1]a', '', 'localhost:3001:3001'];

  test.each(OTHER_NAMES)('421 for another name: %j', async (host) => {
    await expect(statusOf(named, `HTTP/1.1\r\nHost: ${host}`)).resolves.toBe(421);
    await expect(statusOf(server, `HTTP/1.1\r\nHost: ${host}`)).resolves.toBe(200);
  });

  test('none at all', async () => {
    await expect(statusOf(named, 'HTTP/1.0')).resolves.toBe(421);
    await expect(statusOf(server, 'HTTP/1.0')).resolves.toBe(200);
  });
});

test('what only this machine can reach', () => {
  expect(['localhost', '127.0.0.1', '127.255.255.255', '::1', '[::1]'].map(isLoopback)).not.toContain(false);
  const others = ['localhost.example', '128.0.0.1', '0.0.0.0', '::', '[::2]', '', '[localhost'];
  expect(others.filter(isLoopback)).toEqual([]);
});
