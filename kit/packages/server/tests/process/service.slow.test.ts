import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { createOverloadGuard } from '../../src/runtime/create-server';
import { postThing, startThings } from '@contract-kit/test-support/start-things';

const folder = useFolder();
const CONTRACT = `openapi: 3.1.0
info: { title: A, version: '1' }
servers: [{ url: /v1 }]
security: []
paths:
  /a: { post: { operationId: takeA, responses: { '204': { description: Done. } } } }
  /b: { servers: [{ url: /v2 }], post: { operationId: takeB, responses: { '204': { description: Done. } } } }
`;

function start(env: Readonly<Record<string, string>>): ServiceProcess {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, CONTRACT);
  return startProcess({ CONTRACT: file, ...env }, [], { main: 'proofs/attack/stand-in.js' });
}

test('a service whose close fails logs why, and stops as any other', async () => {
  using service = start({ FAILS: 'close' });
  await service.waitFor(LISTENING);
  service.child.kill('SIGTERM');
  await service.ended;
  expect(service.output.stdout).toMatch(/a bug in close.*what the service opened could not be closed[^]*"stopped"/);
  expect(service.output.stderr).not.toContain('a bug in close');
});

test('a service whose description fails says so and ends, before it listens', async () => {
  using service = start({ FAILS: 'describe' });
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stderr).toContain('a bug in describe');
});

test.each([
  ['no BASE_URL', {}, '/v1', ['/v1/a', '/v2/b']],
  ["the path of the contract's server", { BASE_URL: 'https://api.example/v1/' }, '/v1', ['/v1/a', '/v2/b']],
  ['another path', { BASE_URL: 'https://api.example/v3' }, '/v3', ['/v3/a', '/v3/b']],
  ['no path', { BASE_URL: 'https://api.example' }, '', ['/a', '/b']],
])('with %s, the operations are below their own servers or all below it', async (_, env, prefix, served) => {
  using service = start({ API_TOKENS: 'a-token-for-the-tests', ...env });
  const url = new URL(String((await service.waitFor(LISTENING))[1]));
  expect(url.pathname).toBe(prefix === '' ? '/' : prefix);
  const paths = ['', '/v1', '/v2', '/v3'].flatMap((start) => [`${start}/a`, `${start}/b`]);
  const statuses = paths.map(async (path) => (await fetch(new URL(path, url), { method: 'POST' })).status);
  expect(await Promise.all(statuses)).toEqual(paths.map((path) => (served.includes(path) ? 204 : 404)));
});

const INTERVAL = 20;

test('a loop that is late again and again is overloaded, until it is not; one pause is not an overload', () => {
  const delays = createHistogram();
  const guard = createOverloadGuard(Object.assign(delays, { enable: () => true, disable: () => true }));
  /** Records ticks of the event loop, each so many milliseconds late. */
  function isOverloadedAfter(...late: readonly number[]): boolean {
    for (const milliseconds of late) delays.record((INTERVAL + milliseconds) * 1e6);
    return guard.isOverloaded();
  }
  expect(isOverloadedAfter(0, 0, 0, 0, 0)).toBe(false);
  expect(isOverloadedAfter(99, 99, 99, 99, 99)).toBe(false);
  expect(isOverloadedAfter(0, 0, 10_000, 0, 0)).toBe(false);
  expect(isOverloadedAfter(250, 250, 250, 250)).toBe(false);
  expect(isOverloadedAfter(250)).toBe(true);
  expect(isOverloadedAfter(0, 0, 0, 0)).toBe(true);
  expect(isOverloadedAfter(0)).toBe(false);
});

test('the guard against overload sees a loop that is busy', async () => {
  const guard = createOverloadGuard();
  while (!guard.isOverloaded()) {
    for (const end = performance.now() + 250; performance.now() < end;);
    await setTimeout(0);
  }
  expect(guard.isOverloaded()).toBe(true);
  guard.close();
});

test('an overloaded service refuses at once, with 503 and when to come again', async () => {
  let isOverloaded = true;
  await using app = await startThings({ isOverloaded: () => isOverloaded });
  const reply = await postThing(app.server, '{"id":1,"name":"Rose"}').expect(503);
  expect(reply.body).toMatchObject({ error: 50300 });
  expect(reply.headers['retry-after']).toBe('1');
  isOverloaded = false;
  await postThing(app.server, '{"id":1,"name":"Rose"}').expect(200);
});
