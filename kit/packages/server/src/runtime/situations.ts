// Breaks a service in several ways for the conformance suite.
import type { ServerOptions } from 'node:http';
import type { AnyHandlers } from '../pipeline/handler';
import type { AppOptions } from './service';

/** A service is broken if its handlers throw, away if its database is unavailable, and impatient if its timeouts are short. */
export type Situation = 'broken' | 'away' | 'impatient';

/** Options of node:http for a server that quickly gives up on slow clients. */
export const IMPATIENT: ServerOptions = { headersTimeout: 400, requestTimeout: 400, connectionsCheckingInterval: 20 };

/**
 * Creates the options that break a service in each situation. `startService` uses them. An application that starts its own
 * server passes them to `serveContract` and `createServer`. `isUnavailable` must return true for the error `unavailable`.
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

function createFailingHandlers(cause: Error): AnyHandlers {
  return new Proxy<AnyHandlers>({}, { get: () => () => Promise.reject(cause) });
}
