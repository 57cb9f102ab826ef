import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXTURE_ERRORS } from '../../../tests/support/fixture-errors';
import { createAppBehind } from '../../../tests/support/serve-app';
import { sendRaw } from '../../../tests/support/send-raw';
import type { UntypedHandler } from '../src/pipeline/pipeline';
import type { Service } from '../src/runtime/service';
import { startService } from '../src/testing';

const FILE = 'tests/fixtures/things.yaml';
const digest = (source: string): string => createHash('sha256').update(source).digest('hex');
const served = { file: FILE, sha256: digest(readFileSync(FILE, 'utf8')), errors: FIXTURE_ERRORS };
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
  const folder = mkdtempSync(join(tmpdir(), 'scopes-'));
  const file = join(folder, 'openapi.yaml');
  const source = readFileSync(FILE, 'utf8').replace('bearerAuth: []', 'bearerAuth: [things]');
  writeFileSync(file, source);
  const secrets = { bearerAuth: { all: '*', right: ['others', 'things'], wrong: ['others'] } } as const;
  const renderError: Service<object>['renderError'] = ({ status }) => ({ error: status, message: '' });
  await using started = await startService(
    { ...service, renderError },
    { file, sha256: digest(source), errors: {} },
    secrets,
  );
  const statuses = ['all', 'right', 'wrong', 'unknown'].map(async (token) => (await post(started.base, token))[0]);
  await expect(Promise.all(statuses)).resolves.toEqual([200, 200, 403, 401]);
  rmSync(folder, { recursive: true });
});

test('its settings are the defaults unless they are given', async () => {
  await using started = await startService(service, served, { bearerAuth: 'a-token' });
  await expect(post(started.base, 'a-token')).resolves.toEqual([200, 'hello']);
});

test('its errors are what it says: those of a path, of a handler, and of HTTP', async () => {
  const renderError: Service<object>['renderError'] = ({ kind, operation }) => {
    return { error: 1, message: `${kind} ${String(operation)}` };
  };
  const statuses = { MALFORMED_REQUEST: 422 } as const;
  const changed = { ...service, renderError, statuses };
  await using started = await startService(changed, { ...served, errors: {} }, { bearerAuth: 'a-token' });
  const messageOf = async (path: string, options: RequestInit = {}): Promise<unknown> => {
    const reply = await fetch(new URL(path, started.base), options);
    return [reply.status, ((await reply.json()) as { message?: unknown }).message];
  };
  await expect(messageOf('/nothing')).resolves.toEqual([404, 'UNKNOWN_PATH undefined']);
  await expect(messageOf('/things', { method: 'POST' })).resolves.toEqual([401, 'CREDENTIALS_MISSING createThing']);
  const [raw] = await sendRaw(Number(started.base.port), 'nonsense\r\n\r\n');
  expect([raw?.status, raw?.body]).toEqual([422, '{"error":1,"message":"MALFORMED_REQUEST undefined"}']);
});
