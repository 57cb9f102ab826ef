import { StoreUnavailable, type PlantStore } from '../../src/store/plant-store';
import { startApp, TOKEN, type RunningApp } from '../start-app';
import type { Model } from './contract/model';
import type { Target } from './run-case';

type Start = typeof startApp;

/** The app of this repository in this process, whole and with what is wrong in each situation. */
export async function startTarget(model: Model, start?: Start): Promise<Target & AsyncDisposable> {
  const whole = await startWhole(model, start);
  const { situations, ...others } = await startSituations(start);
  return {
    ...whole,
    situations,
    async [Symbol.asyncDispose]() {
      for (const one of [whole, others]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The app with nothing wrong. */
export async function startWhole(model: Model, start: Start = startApp): Promise<Target & AsyncDisposable> {
  const app = await start();
  const schemes = model.operations.flatMap(({ alternatives }) => alternatives.flat());
  return {
    base: baseOf(app),
    secrets: Object.fromEntries(schemes.map(({ name }) => [name, TOKEN])),
    timeout: 10_000,
    keeps: app.keeps,
    version: app.version,
    count: app.count,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The app in each situation. */
export async function startSituations(
  start: Start = startApp,
): Promise<Required<Pick<Target, 'situations'>> & AsyncDisposable> {
  const broken = await start({ store: storeThatFails(new Error('a bug')) });
  const away = await start({ store: storeThatFails(new StoreUnavailable('away')) });
  const impatient = await start({
    http: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 },
  });
  return {
    situations: { broken: baseOf(broken), away: baseOf(away), impatient: baseOf(impatient) },
    async [Symbol.asyncDispose]() {
      for (const one of [broken, away, impatient]) await one[Symbol.asyncDispose]();
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
