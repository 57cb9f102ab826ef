// Ways in which a service under test can be broken, for the conformance suite.
import type { ServerOptions } from 'node:http';
import type { AnyHandlers } from '../pipeline/handler';
import type { AppOptions } from './service';

/** In these, a service is broken (handlers throw), away (its database is unavailable) or impatient (its timeouts are short). */
export type Situation = 'broken' | 'away' | 'impatient';

/** Options of node:http for a server that soon gives up on a slow client. */
export const IMPATIENT: ServerOptions = { headersTimeout: 400, requestTimeout: 400, connectionsCheckingInterval: 20 };

/**
 * Creates the options that break a service in each situation. `startService` uses them, and an application that starts its own
 * server passes them to `serveContract` and `createServer`. `unavailable` is an error for which `isUnavailable` returns true.
 *
 * @example const { away } = createSituations(new StoreUnavailable('a test took the database away'));
 */
export function createSituations(unavailable: Error): Readonly<Record<Situation, Partial<AppOptions>>> {
  return {
    broken: { handlers: createFailingHandlers(new Error('a bug')) },
    away: { handlers: createFailingHandlers(unavailable) },
    impatient: { http: IMPATIENT },
  };
}

// Returns a handler that rejects, for any operationId.
function createFailingHandlers(cause: Error): AnyHandlers {
  return new Proxy<AnyHandlers>({}, { get: () => () => Promise.reject(cause) });
}
