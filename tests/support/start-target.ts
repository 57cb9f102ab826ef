import { SECRETS, SITUATIONS, startApp } from './start-app';
import { watchStore } from './watch';
import { findUnbuilt, type Suite, type Target } from '@contract-kit/conformance';

type Start = typeof startApp;

/** The app of this repository in this process, whole and with what is wrong in each situation. */
export async function startTarget(suite: Suite, start: Start = startApp): Promise<Target & AsyncDisposable> {
  const whole = await startWhole(start);
  const { situations, ...others } = await startSituations(start);
  return {
    ...whole,
    situations,
    unbuilt: await findUnbuilt(suite, whole),
    async [Symbol.asyncDispose]() {
      for (const one of [whole, others]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The app with nothing wrong. @param timeout how long one reply may take: no limit that a busy machine comes near */
export async function startWhole(start: Start = startApp, timeout = 60_000): Promise<Target & AsyncDisposable> {
  const app = await start();
  return {
    base: app.base,
    secrets: SECRETS,
    timeout,
    watch: watchStore(app),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The app in each situation. */
export async function startSituations(
  start: Start = startApp,
): Promise<Required<Pick<Target, 'situations'>> & AsyncDisposable> {
  const broken = await start(SITUATIONS.broken);
  const away = await start(SITUATIONS.away);
  const impatient = await start(SITUATIONS.impatient);
  return {
    situations: { broken: broken.base, away: away.base, impatient: impatient.base },
    async [Symbol.asyncDispose]() {
      for (const one of [broken, away, impatient]) await one[Symbol.asyncDispose]();
    },
  };
}
