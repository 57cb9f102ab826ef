import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { AuthLog } from './auth-log';
import { discoverKeys } from './discover-keys';

/** In milliseconds. */
export interface KeyTiming {
  /** For discovery and keys together. */
  readonly timeout: number;
  /** How often the keys are fetched anyway. */
  readonly refresh: number;
  /** After the first failure; it doubles with each further one, up to `retryMost`. */
  readonly retry: number;
  readonly retryMost: number;
  /** The shortest time between two fetches because of unknown keys. */
  readonly cooldown: number;
  /** How long keys count while no others can be fetched. */
  readonly lifetime: number;
}

export interface IssuerKeys {
  /** For jose. Rejects with KeysUnavailable where it cannot be told which key it is. */
  readonly find: JWTVerifyGetKey;
  /** Why there are no keys; undefined when there are. */
  readonly problem: () => string | undefined;
  /** Ends what goes on in the background. */
  readonly close: () => void;
}

/** It cannot be told now whether a token counts. */
export class KeysUnavailable extends Error {}

const TIMING: KeyTiming = {
  timeout: 3_000,
  refresh: 5 * 60_000,
  retry: 1_000,
  retryMost: 30_000,
  cooldown: 30_000,
  lifetime: 60 * 60_000,
};

/** The keys of an issuer, fetched and kept up to date in the background, whatever becomes of the issuer. */
export function createIssuerKeys(issuer: string, log: AuthLog, timing: Partial<KeyTiming> = {}): IssuerKeys {
  const { timeout, refresh, retry, retryMost, cooldown, lifetime } = { ...TIMING, ...timing };
  const closing = new AbortController();
  let lookUp: ReturnType<typeof createLocalJWKSet> | undefined;
  let failure: string | undefined = 'its keys are not fetched yet';
  let failures = 0;
  let fetchedAt = -Infinity;
  let askedAt = -Infinity;
  let loading: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  // Whoever asks while it goes on shares it.
  function load(): Promise<void> {
    clearTimeout(timer);
    return (loading ??= reload().finally(() => {
      loading = undefined;
      if (closing.signal.aborted) return;
      const delay = failures === 0 ? refresh : Math.min(retry * 2 ** (failures - 1), retryMost);
      timer = setTimeout(() => void load(), delay).unref();
    }));
  }

  async function reload(): Promise<void> {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeout)]);
      lookUp = createLocalJWKSet({ keys: await discoverKeys(issuer, signal) });
      fetchedAt = performance.now();
      if (failure !== undefined) log.info('the keys of JWT_ISSUER are there');
      failure = undefined;
      failures = 0;
    } catch (error) {
      const { message } = error as Error;
      if (failure !== message && !closing.signal.aborted) log.warn(`no keys of JWT_ISSUER: ${message}`);
      failure = message;
      failures++;
    }
  }

  function problem(): string | undefined {
    return performance.now() - fetchedAt < lifetime ? undefined : failure;
  }

  // An unknown key may be a new one; but whoever makes up keys does not make us call the issuer without end.
  const find: JWTVerifyGetKey = async (...token) => {
    if (problem() !== undefined) await loading;
    const isUnavailable = problem();
    if (lookUp === undefined || isUnavailable !== undefined) throw new KeysUnavailable(isUnavailable);
    try {
      return await lookUp(...token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    if (performance.now() - askedAt >= cooldown) {
      askedAt = performance.now();
      void load();
    }
    await loading;
    if (failure !== undefined) throw new KeysUnavailable(failure);
    return lookUp(...token);
  };

  function close(): void {
    closing.abort();
    clearTimeout(timer);
  }

  void load();
  return { find, problem, close };
}
