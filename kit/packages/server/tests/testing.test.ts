import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAppBehind } from '@contract-kit/test-support/serve-app';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';
import type { UntypedHandler } from '../src/pipeline/pipeline';
import { createLog } from '../src/runtime/log';
import type { Service } from '../src/runtime/service';
import { startJob } from '../src/runtime/start-job';
import { startService } from '../src/testing';

const folder = useFolder();
const FILE = 'packages/test-support/fixtures/things.yaml';
const digest = (source: string): string => createHash('sha256').update(source).digest('hex');
const served = { file: FILE, sha256: digest(readFileSync(FILE, 'utf8')) };
const closed: string[] = [];
const createHandlers = (name: string): Readonly<Record<string, UntypedHandler>> => ({
  createThing: (_, reply) => reply(200, { name }),
});
const service: Service<{ readonly greeting: string }> = {
  title: 'Things',
  example: { purpose: 'create a thing', path: '/things', options: '' },
  readSettings: (setting) => ({ greeting: setting('GREETING', 'hello', (text) => text) }),
  describe: () => ({}),
  createVerifiers: () => ({}),
  createApp: (parts) => createAppBehind([], parts),
  isUnavailable: () => false,
  renderError: ({ status }) => ({ error: status, message: '' }),
  open: ({ greeting }) =>
    Promise.resolve({
      handlers: createHandlers(greeting),
      check: () => Promise.resolve(),
      close: () => Promise.resolve(void closed.push(greeting)),
    }),
};

/** The status of a right request, and the name in the reply. */
async function post(base: URL, token: string): Promise<[status: number, name: unknown]> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const reply = await fetch(new URL('/things', base), { method: 'POST', headers, body: '{"id":1,"name":"a"}' });
  return [reply.status, ((await reply.json()) as { name?: unknown }).name];
}

test('a service starts whole, with what can be wrong with it, and is closed at the end', async () => {
  {
    await using started = await startService(service, served, { bearerAuth: 'a-token' }, { GREETING: 'hi' });
    await expect(post(started.base, 'a-token')).resolves.toEqual([200, 'hi']);
    await expect(post(started.base, 'another')).resolves.toEqual([401, undefined]);
    await expect(post(started.situations.broken, 'a-token')).resolves.toEqual([500, undefined]);
    await expect(post(started.situations.away, 'a-token')).resolves.toEqual([503, undefined]);
    await expect(post(started.situations.impatient, 'a-token')).resolves.toEqual([200, 'hi']);
    expect(closed).toEqual([]);
  }
  expect(closed).toEqual(['hi']);
});

test('a scheme may have several credentials, with the scopes of each', async () => {
  const file = join(folder, 'openapi.yaml');
  const source = readFileSync(FILE, 'utf8').replace('bearerAuth: []', 'bearerAuth: [things]');
  writeFileSync(file, source);
  const secrets = { bearerAuth: { all: '*', right: ['others', 'things'], wrong: ['others'] } } as const;
  await using started = await startService(service, { file, sha256: digest(source) }, secrets);
  const statuses = ['all', 'right', 'wrong', 'unknown'].map(async (token) => (await post(started.base, token))[0]);
  await expect(Promise.all(statuses)).resolves.toEqual([200, 200, 403, 401]);
});

test('its errors are what it says: those of a path, of a handler, and of HTTP', async () => {
  const renderError: Service<object>['renderError'] = ({ kind, operation }) => {
    return { error: 1, message: `${kind} ${String(operation)}` };
  };
  const statuses = { MALFORMED_REQUEST: 422 } as const;
  const changed = { ...service, renderError, statuses };
  await using started = await startService(changed, served, { bearerAuth: 'a-token' });
  const messageOf = async (path: string, options: RequestInit = {}): Promise<unknown> => {
    const reply = await fetch(new URL(path, started.base), options);
    return [reply.status, ((await reply.json()) as { message?: unknown }).message];
  };
  await expect(messageOf('/nothing')).resolves.toEqual([404, 'UNKNOWN_PATH undefined']);
  await expect(messageOf('/things', { method: 'POST' })).resolves.toEqual([401, 'CREDENTIALS_MISSING createThing']);
  const [raw] = await sendRaw(Number(started.base.port), 'nonsense\r\n\r\n');
  expect([raw?.status, raw?.body]).toEqual([422, '{"error":1,"message":"MALFORMED_REQUEST undefined"}']);
});

/** The service with a job, and what the job logs. */
function createService(run: Parameters<typeof startJob>[2], pause = 1) {
  const lines: object[] = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as object) }).child({ job: 'clean up' });
  const open: typeof service.open = () => {
    const stopJob = startJob(log, pause, run);
    return Promise.resolve({ handlers: createHandlers('a'), check: () => Promise.resolve(), close: stopJob });
  };
  return { lines, start: () => startService({ ...service, open }, served, { bearerAuth: 'a-token' }) };
}

test('a job that is started in open runs again and again, also after a run that failed, until close', async () => {
  let runs = 0;
  const { lines, start } = createService(() => {
    runs++;
    return runs === 1 ? Promise.reject(new Error('a bug')) : Promise.resolve();
  });
  {
    await using started = await start();
    expect(started.base.hostname).toBe('127.0.0.1');
    await until(() => runs >= 3);
  }
  const runsAtClose = runs;
  await sleep(20);
  expect(runs).toBe(runsAtClose);
  const err = expect.stringContaining('a bug') as string;
  expect(lines).toMatchObject([{ level: 50, job: 'clean up', msg: 'the job failed', err }]);
});

test('close aborts the signal of a run, and waits for its end', async () => {
  const steps: string[] = [];
  const { lines, start } = createService(async (signal) => {
    steps.push('run');
    await sleep(2 ** 30, undefined, { signal }).catch(() => steps.push(`aborted: ${String(signal.aborted)}`));
    await sleep(20);
    steps.push('over');
    throw new Error('a run that was stopped may fail');
  });
  {
    await using started = await start();
    expect(started.base.hostname).toBe('127.0.0.1');
    await until(() => steps.length > 0);
  }
  expect(steps).toEqual(['run', 'aborted: true', 'over']);
  expect(lines).toEqual([]);
});

test('close ends the pause of a job', async () => {
  const { start } = createService(() => Promise.reject(new Error('not asked for')), 2 ** 30);
  await using started = await start();
  expect(started.base.hostname).toBe('127.0.0.1');
});
