// Ways in which a service under test can be broken, for the conformance suite.
import type { ServerOptions } from 'node:http';
import type { AnyHandlers } from './contract/handler/handlers';
import type { AppParts } from './service';

/** What can be wrong with a service: its handlers have a bug, its database is away, or its patience is short. */
export type Situation = 'broken' | 'away' | 'impatient';

/** Of node:http, for a server that soon gives up a slow client. */
export const IMPATIENT: ServerOptions = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };

/**
 * The parts of a service that are different in each situation.
 *
 * @param away an error for which `isUnavailable` is true
 */
export function createSituations(away: Error): Readonly<Record<Situation, Partial<AppParts>>> {
  return {
    broken: { handlers: createFailingHandlers(new Error('a bug')) },
    away: { handlers: createFailingHandlers(away) },
    impatient: { http: IMPATIENT },
  };
}

// For any operation.
function createFailingHandlers(cause: Error): AnyHandlers {
  return new Proxy<AnyHandlers>({}, { get: () => () => Promise.reject(cause) });
}
