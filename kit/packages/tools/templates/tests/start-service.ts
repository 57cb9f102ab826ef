import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unscopedNameOf } from '@contract-kit/conformance';
import { startService, type StartedService } from '@contract-kit/server/testing';
import { file, sha256 } from '../generated/contract';
import { service } from '../src/service';

/** The credentials that are valid in the tests, by security scheme. */
const SECRETS: Readonly<Record<string, string>> = { account: 'a-secret', till: 'a-secret' };

const SCHEMES = Object.keys(SECRETS);
const withoutScopes = (scheme: string): string => `${String(SECRETS[scheme])}-without-scopes`;
/** The credentials that the service accepts. Each scheme has one with all scopes, and one without any. */
const ACCEPTED = Object.fromEntries(
  SCHEMES.map((scheme) => [scheme, { [String(SECRETS[scheme])]: '*' as const, [withoutScopes(scheme)]: [] }]),
);
/** The credentials that the conformance suite sends. */
export const SENT = {
  ...SECRETS,
  ...Object.fromEntries(SCHEMES.map((scheme) => [unscopedNameOf(scheme), withoutScopes(scheme)])),
};

/** Starts the service on a free port, with an empty store of its own in a temporary folder. */
export async function startTestService(): Promise<StartedService> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'tests-')), (path) => {
    rmSync(path, { recursive: true });
  });
  const settings = { DATABASE_URL: `file:${join(folder, 'tests.db')}` };
  const started = stack.use(await startService(service, { file, sha256 }, ACCEPTED, settings));
  const resources = stack.move();
  return { ...started, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
