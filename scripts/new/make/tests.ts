import type { NewContract } from '../read-contract';
import { schemesOf, toKey } from './service';

/** How the tests start the service of a new project. */
export function makeStartApp({ suite }: NewContract): string {
  const secrets = schemesOf(suite).map(
    ({ name, kind }, index) =>
      `  ${toKey(name)}: '${kind === 'basic' ? 'tests:' : ''}a-secret-for-the-tests-${String(index + 1)}',\n`,
  );
  return `import { Registry } from 'prom-client';
import type { AppParts } from '../src/app';
import { parseConfig } from '../src/process/config';
import type { Handlers } from '../generated/handlers';
import { createLog } from '../src/process/log';
import { service } from '../src/service';
import { serveApp, type ServedApp } from './serve-app';

/** What counts in the tests, by security scheme. */
export const SECRETS: Readonly<Record<string, string>> = {
${secrets.join('')}};

const VERIFIERS = Object.fromEntries(
  Object.entries(SECRETS).map(([scheme, secret]) => [scheme, (sent: string) => (sent === secret ? {} : undefined)]),
);

const AWAY = new Error('away');

/** What is wrong with the service where it fails by itself: it is broken, or what it needs is away. */
export const FAILING: Readonly<Record<'broken' | 'away', Partial<AppParts>>> = {
  broken: { handlers: handlersThatFail(new Error('a bug')) },
  away: { handlers: handlersThatFail(AWAY), isUnavailable: (cause) => cause === AWAY },
};

/** The whole application on a socket. */
export async function startApp(parts: Partial<AppParts> = {}): Promise<ServedApp> {
  const { handlers, close } = await service.open(parseConfig(service.readSettings, {}).own, new Registry(), createLog('silent'));
  const app = await serveApp({ handlers, verifiers: VERIFIERS, isUnavailable: service.isUnavailable, ...parts });
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await close();
    },
  };
}

// Whatever is asked of them.
function handlersThatFail(cause: Error): Handlers {
  return new Proxy({} as Handlers, { get: () => () => Promise.reject(cause) });
}
`;
}

/** What is known of the service of a new project before anybody has written it. */
export function makeServiceTest({ suite }: NewContract): string {
  const names = schemesOf(suite).map(({ name }) => JSON.stringify(name));
  return `import { Registry } from 'prom-client';
import { parseConfig } from '../src/process/config';
import { createLog } from '../src/process/log';
import { service } from '../src/service';

test('with nothing set it opens, is well and closes', async () => {
  const { own } = parseConfig(service.readSettings, {});
  expect(JSON.stringify(service.describe(own))).not.toContain('secret');
  const { check, close } = await service.open(own, new Registry(), createLog('silent'));
  await expect(check()).resolves.toBeUndefined();
  await expect(close()).resolves.toBeUndefined();
});

test('a bug is nothing to try again', () => {
  expect(service.isUnavailable(new Error('a bug'))).toBe(false);
});

test('of each security scheme it is said whose credentials count, and nobody else does', async () => {
  const { own } = parseConfig(service.readSettings, {});
  const verifiers: Readonly<Record<string, (credentials: string) => unknown>> = service.createVerifiers(() => undefined, own);
  expect(Object.keys(verifiers)).toEqual([${names.join(', ')}]);
  for (const verify of Object.values(verifiers)) expect(await verify('nobody')).toBeUndefined();
});
`;
}
