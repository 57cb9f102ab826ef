import { Registry } from 'prom-client';
import { listScopes, loadContract } from '@contract-kit/contract';
import { createRenderer } from './errors/create-renderer';
import { parseConfig } from './runtime/config';
import type { Verifier } from './auth/authenticate';
import { createServer, listen } from './runtime/create-server';
import { createLog } from './runtime/log';
import type { AppOptions, ServedContract, Service } from './runtime/service';
import { createSituations, type Situation } from './runtime/situations';

export { createSituations };

/** A service that listens on loopback. */
export interface StartedService extends AsyncDisposable {
  readonly base: URL;
  /** The same service, broken in several ways. */
  readonly situations: Readonly<Record<Situation, URL>>;
}

/**
 * The credentials that a security scheme accepts: one secret with all scopes, or the scopes of each secret, where `*` stands for
 * all scopes.
 *
 * @example const account: TestSecrets = { 'a-gardener': ['plants:write'], 'a-guest': [] };
 */
export type TestSecrets = string | Readonly<Record<string, readonly string[] | '*'>>;

/** The error that handlers throw in the situation `away`. */
class SimulatedOutage extends Error {}

/**
 * Starts a service inside a test's process, and once more for each situation in which it is broken. Each listens on a free loopback
 * port. They share everything that the service opened, such as a store. The URLs include the path of `servers` in the contract.
 *
 * @param secrets the accepted credentials, by security scheme
 * @example await using started = await startService(service, { file: 'openapi.yaml', sha256 }, { bearerAuth: 'a-token' });
 */
export async function startService<Settings>(
  service: Service<Settings>,
  { file, sha256 }: ServedContract,
  secrets: Readonly<Record<string, TestSecrets>>,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedService> {
  const { own } = parseConfig(service.readSettings, env);
  const log = createLog('silent');
  const { handlers, close } = await service.open(own, new Registry(), log);
  const contract = loadContract(file, sha256);
  const allScopes = listScopes(contract.operations);
  const options: AppOptions = {
    ...service,
    contract,
    handlers,
    verifiers: Object.fromEntries(
      Object.entries(secrets).map(([scheme, accepted]) => [scheme, createTestVerifier(accepted, allScopes)]),
    ),
    isUnavailable: (cause) => cause instanceof SimulatedOutage || service.isUnavailable(cause),
    render: createRenderer({ ...service, contract }),
    docs: true,
    corsOrigins: [],
    log,
    report: () => undefined,
  };
  const stops: (() => Promise<unknown>)[] = [];

  async function start(changes: Partial<AppOptions>): Promise<URL> {
    const changed = { ...options, ...changes };
    const server = createServer(await service.createApp(changed, own), changed);
    const url = await listen(server, 'a free port', '127.0.0.1', 0);
    stops.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return new URL(url + contract.serverPath);
  }

  const { broken, away, impatient } = createSituations(new SimulatedOutage());
  return {
    base: await start({}),
    situations: {
      broken: await start(broken),
      away: await start(away),
      impatient: await start(impatient),
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()));
      await close();
    },
  };
}

function createTestVerifier(accepted: TestSecrets, allScopes: readonly string[]): Verifier {
  const scopesBySecret = typeof accepted === 'string' ? { [accepted]: '*' as const } : accepted;
  const granted = new Map(Object.entries(scopesBySecret));
  return (secret) => {
    const scopes = granted.get(secret);
    return scopes && { scopes: scopes === '*' ? allScopes : scopes };
  };
}
