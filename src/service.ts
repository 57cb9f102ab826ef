import type { Service } from '@contract-kit/server';
import {
  createStoreMetrics,
  describeLocation,
  openStore,
  parseLocation,
  StoreUnavailable,
  type StoreLocation,
} from '@contract-kit/store';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { createHandlers } from './handlers';
import * as renderErrors from './render-error';
import { schema } from './store';

interface Settings {
  readonly database: StoreLocation;
}

/** The parts of the service that the contract does not describe. */
export const service: Service<Settings> = {
  title: 'The plant store',
  example: {
    purpose: 'create a plant',
    path: '/plants',
    options: '-H \'Content-Type: application/json\' -d \'{"id":1,"name":"Rose","tag":"flower"}\'',
  },
  // Add settings like limit: setting('LIMIT', 10, parseLimit), where parseLimit throws an Error for invalid text.
  readSettings: (setting) => ({
    database: setting('DATABASE_URL', parseLocation('file:data/plants.db'), parseLocation),
  }),
  describe: ({ database }) => ({ database: describeLocation(database) }),
  // `bearer` accepts the tokens from the settings, for one scheme. `() => undefined` accepts nobody; replace it with a
  // verifier such as createTokenVerifier(['a-key-of-16-or-more']).
  createVerifiers: (bearer): Verifiers => ({ bearerAuth: bearer }),
  createApp,
  ...renderErrors,
  isUnavailable: (cause) => cause instanceof StoreUnavailable,
  async open({ database }, registry, log) {
    const observer = { ...createStoreMetrics(registry), warn: log.warn.bind(log) };
    const store = await openStore(database, schema, observer);
    return { handlers: createHandlers(store), check: () => store.check(), close: () => store.close() };
  },
};
