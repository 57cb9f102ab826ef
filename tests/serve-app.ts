import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, sha256 } from '../generated/contract';
import { createApp, type AppParts } from '../src/app';
import { createCatalogueRenderer } from '../src/contract/refusal/catalogue-renderer';
import { loadContract } from '../src/contract/operation/load-contract';
import type { Outcome } from '../src/contract/http/outcome';

/** The application on a socket. */
export interface ServedApp extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  /** What became of each request. */
  readonly outcomes: readonly Outcome[];
  /** Whether what an operation created is kept, by its properties; where somebody can look behind the service. */
  readonly keeps?: (operation: string, created: Readonly<Record<string, unknown>>) => boolean;
  /** Changes whenever something is kept. */
  readonly version?: () => unknown;
  /** How much is kept. */
  readonly count?: () => number;
}

/** What stands behind the contract. All other parts are as good as any. */
export type ServeParts = Pick<AppParts, 'handlers' | 'verifiers' | 'isUnavailable'> & Partial<AppParts>;

/** Serves the contract of this project, unless the parts have another one. */
export async function serveApp(parts: ServeParts): Promise<ServedApp> {
  const outcomes: Outcome[] = [];
  const server = await createApp({
    contract: loadContract('openapi.yaml', sha256),
    prefix: '',
    bodyLimit: 1024 ** 2,
    docs: true,
    render: createCatalogueRenderer(errors),
    ...parts,
    report: (outcome) => {
      outcomes.push(outcome);
      parts.report?.(outcome);
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    outcomes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
