import { createTokenVerifier, parseTokens, type Service } from '@contract-kit/server';
import {
  createStoreMetrics,
  describeLocation,
  parseLocation,
  StoreUnavailable,
  type StoreLocation,
} from '@contract-kit/store';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { createHandlers } from './handlers';
import { parseUrl, createSoldOut } from './sold-out';
import { openNurseryStore } from './store/open-nursery-store';

interface NurserySettings {
  readonly database: StoreLocation;
  readonly tillKeys: ReturnType<typeof parseTokens>;
  readonly soldOutUrl: URL | undefined;
}

/** The parts of the service that the contract does not describe. */
export const service: Service<NurserySettings> = {
  title: 'Wildwood Nursery',
  example: {
    purpose: 'add a plant to the catalogue',
    path: '/plants',
    options: `-H 'Content-Type: application/json' -d '{"name":"Lavender","light":"sun","cents":450,"stock":120}'`,
  },
  readSettings: (setting) => ({
    database: setting('DATABASE_URL', parseLocation('file:data/nursery.db'), parseLocation),
    tillKeys: setting('TILL_KEYS', [], parseTokens),
    soldOutUrl: setting('SOLD_OUT_URL', undefined, parseUrl),
  }),
  describe: ({ database, tillKeys }) => ({ database: describeLocation(database), tills: String(tillKeys.length) }),
  createVerifiers: (bearer, { tillKeys }): Verifiers => ({ account: bearer, till: createTokenVerifier(tillKeys) }),
  createApp,
  isUnavailable: (cause) => cause instanceof StoreUnavailable,
  async open({ database, soldOutUrl }, registry, log) {
    const warn = (message: string): void => {
      log.warn(message);
    };
    const store = await openNurseryStore(database, { ...createStoreMetrics(registry), warn });
    const soldOut = createSoldOut(soldOutUrl, warn);
    return {
      handlers: createHandlers(store, soldOut.send),
      check: () => store.check(),
      async close() {
        await soldOut.close();
        await store.close();
      },
    };
  },
};
