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
  /** URLs of the same service, broken in a different way in each situation. */
  readonly situations: Readonly<Record<Situation, URL>>;
}

/**
 * The credentials that a security scheme accepts: either a secret with all scopes, or scopes keyed by secret, where `*` stands
 * for all scopes.
 *
 * @example const account: TestSecrets = { 'a-gardener': ['plants:write'], 'a-guest': [] };
 */
export type TestSecrets = string | Readonly<Record<string, readonly string[] | '*'>>;

class SimulatedOutage extends Error {}

/**
 * Starts a service in the test's own process, and once more for each situation in which it is broken. Each instance listens on
 * a free loopback port, and all share what the service opened, such as a store. URLs include the path of the contract's server.
 *
 * @param secrets the accepted credentials, keyed by security scheme
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
    const changedOptions = { ...options, ...changes };
    const server = createServer(await service.createApp(changedOptions, own), changedOptions);
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
  const grantedScopes = new Map(Object.entries(scopesBySecret));
  return (secret) => {
    const scopes = grantedScopes.get(secret);
    return scopes && { scopes: scopes === '*' ? allScopes : scopes };
  };
}
