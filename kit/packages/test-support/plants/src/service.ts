// The plant service: its settings, its store and its verifiers.
import type { Service } from '@contract-kit/server';
import { createStoreMetrics, describeLocation, parseLocation, StoreUnavailable } from '@contract-kit/store';
import type { StoreLocation } from '@contract-kit/store';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { renderError, statuses } from './errors';
import { createHandlers } from './handlers';
import { openPlantStore } from './store/plant-store';

interface PlantSettings {
  readonly database: StoreLocation;
}

/** What main.ts runs: all that is about plants. */
export const service: Service<PlantSettings> = {
  title: 'The plant store',
  example: {
    purpose: 'create a plant',
    path: '/plants',
    options: `-H 'Content-Type: application/json' -d '{"id":1,"name":"Rose","tag":"flower"}'`,
  },
  readSettings: (setting) => ({
    database: setting('DATABASE_URL', parseLocation('file:data/plants.db'), parseLocation),
  }),
  describe: ({ database }) => ({ database: describeLocation(database) }),
  createVerifiers: (bearer): Verifiers => ({ bearerAuth: bearer }),
  createApp,
  renderError,
  statuses,
  isUnavailable: (cause) => cause instanceof StoreUnavailable,
  async open({ database }, registry, log) {
    const observer = { ...createStoreMetrics(registry), warn: log.warn.bind(log) };
    const store = await openPlantStore(database, observer);
    return { handlers: createHandlers(store), check: () => store.check(), close: () => store.close() };
  },
};
