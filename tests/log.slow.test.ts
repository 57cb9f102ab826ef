import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempDisposableSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { Refusal, toFaultRefusal } from '../packages/server/src/errors/refusal';
import type { Outcome } from '../packages/server/src/http/report';
import { createLog, createBackgroundDestination, logOutcome, type Log } from '../packages/server/src/runtime/log';
import { findPort } from './support/find-port';
import { postThing, startThings, TOKEN } from './support/start-things';
import { startProcess } from './support/start-process';
import { until } from './support/until';

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

test('a request is one line of the log', async () => {
  const outcome = { method: 'POST', operation: 'createThing', status: 200, milliseconds: 1.23456, isAborted: false };
  const line = await lineOf(outcome);
  expect(line).toEqual({
    level: 30,
    time: expect.any(String) as string,
    method: 'POST',
    operation: 'createThing',
    status: 200,
    ms: 1.235,
    msg: 'request',
  });
});

test('a refusal has its kind, and no message', async () => {
  const line = await lineOf({ status: 400, refusal: new Refusal('INVALID_BODY', 'what the client sent') });
  expect(line).toMatchObject({ level: 30, status: 400, refusal: 'INVALID_BODY' });
  expect(JSON.stringify(line)).not.toContain('what the client sent');
});

test('a refusal has the rule that the request broke, and where the contract has it', async () => {
  const fault = { pointer: '/body/sent', place: '/body/*', rule: 'maxLength', message: 'request/body/sent must be' };
  const line = await lineOf({ status: 400, refusal: toFaultRefusal([fault, { ...fault, rule: 'type' }]) });
  expect(line).toMatchObject({ refusal: 'INVALID_BODY', rule: 'maxLength', place: '/body/*' });
  expect(JSON.stringify(line)).not.toContain('sent');
});

test('a failure beside a good reply is an error all the same', async () => {
  const line = await lineOf({
    status: 200,
    refusal: new Refusal('INTERNAL_ERROR', undefined, { cause: new Error('a bug') }),
  });
  expect(line).toMatchObject({ level: 50, status: 200, cause: expect.stringContaining('a bug') as string });
});

test('what is not known of a request is not in its line', async () => {
  for (const status of [400, 500]) {
    const line = await lineOf({ status });
    expect(Object.keys(line ?? {})).toEqual(['level', 'time', 'status', 'msg']);
  }
});

test('a client that went away is marked', async () => {
  await expect(lineOf({ status: 200, isAborted: true })).resolves.toMatchObject({ aborted: true });
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

test('nothing of a token, a body or a query is ever logged, and a path only where no operation has it', async () => {
  const lines = await linesOf(async (log) => {
    await using app = await startThings({
      report: (outcome) => {
        logOutcome(log, outcome);
      },
    });
    for (const body of [
      '{"id":1,"name":"hidden"}',
      '{"id":1,"name":"hidden\\u0000"}',
      '{"hidden',
      '["hidden"]',
      'hidden',
    ]) {
      await postThing(app.server, body, { 'User-Agent': 'hidden', 'X-Request-Id': 'hidden' });
      await postThing(app.server, body, { Authorization: 'Bearer hidden' });
      await postThing(app.server, body, { 'Content-Type': 'hidden/hidden' });
      await request(app.server).post('/things/unknown?hidden').set('Authorization', `Bearer ${TOKEN}`);
      await request(app.server).post('/things?hidden=hidden').set('Authorization', `Bearer ${TOKEN}`);
    }
  });
  expect(lines).toHaveLength(25);
  expect(lines.filter(({ requestedPath }) => requestedPath === '/things/unknown')).toHaveLength(5);
  expect(JSON.stringify(lines)).not.toMatch(new RegExp(`hidden|${TOKEN}`));
});

test('a silent log has no lines', () => {
  expect(createLog('silent').isLevelEnabled('fatal')).toBe(false);
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
  while ((await ask().catch(() => 0)) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  // Each has a line of some 130 bytes; the system keeps 64 kB.
  for (let time = 0; time < 1_000; time++) expect(await ask()).toBe(200);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe('SIGTERM');
  closeSync(unread);
});
