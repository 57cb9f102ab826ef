import { StoreUnavailable, type PlantStore } from '../../src/store/plant-store';
import { startApp, TOKEN, type RunningApp } from '../start-app';
import type { Model } from './contract/model';
import type { Target } from './run-case';

/** The app of this repository in this process, whole and with what is wrong in each situation. */
export async function startTarget(model: Model): Promise<Target & AsyncDisposable> {
  const app = await startApp();
  const broken = await startApp({ store: storeThatFails(new Error('a bug')) });
  const away = await startApp({ store: storeThatFails(new StoreUnavailable('away')) });
  const impatient = await startApp({
    http: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 },
  });
  const schemes = model.operations.flatMap(({ alternatives }) => alternatives.flat());
  return {
    base: baseOf(app),
    secrets: Object.fromEntries(schemes.map(({ name }) => [name, TOKEN])),
    timeout: 10_000,
    situations: { broken: baseOf(broken), away: baseOf(away), impatient: baseOf(impatient) },
    keeps: app.keeps,
    version: app.version,
    async [Symbol.asyncDispose]() {
      for (const one of [app, broken, away, impatient]) await one[Symbol.asyncDispose]();
    },
  };
}

function baseOf({ port }: RunningApp): URL {
  return new URL(`http://127.0.0.1:${String(port)}`);
}

// Whatever is asked of it.
function storeThatFails(cause: Error): PlantStore {
  const methods = {
    get: (_store: object, name: string) => () => (name === 'close' ? Promise.resolve() : Promise.reject(cause)),
  };
  return new Proxy({}, methods) as PlantStore;
}
