import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { AuthLog } from './auth-log';
import { discoverKeys } from './discover-keys';

/** In milliseconds. */
export interface KeyTiming {
  /** For discovery and keys together. */
  readonly timeout: number;
  /** The interval of regular fetches. */
  readonly refresh: number;
  /** After the first failure; it doubles with each further one, up to `retryMost`. */
  readonly retry: number;
  readonly retryMost: number;
  /** The least time between the start of a fetch and the next one for an unknown key. */
  readonly cooldown: number;
  /** How long keys are used while no fetch succeeds. */
  readonly lifetime: number;
  /** A monotonic clock. */
  readonly now: () => number;
}

export interface IssuerKeys {
  /**
   * For jose. Rejects with KeysUnavailable if the key may exist but cannot be fetched now.
   *
   * @param age the least possible age of the token, in milliseconds
   */
  readonly findFor: (age: number) => JWTVerifyGetKey;
  /** Why there are no keys; undefined when there are. */
  readonly problem: () => string | undefined;
  /** Stops the background work. */
  readonly close: () => void;
}

/** A token cannot be verified now, for lack of keys. */
export class KeysUnavailable extends Error {}

const TIMING: KeyTiming = {
  timeout: 3_000,
  refresh: 5 * 60_000,
  retry: 1_000,
  retryMost: 30_000,
  // With one second for the issuer's response, a new key is known within 5.
  cooldown: 4_000,
  lifetime: 60 * 60_000,
  now: () => performance.now(),
};

/** Fetches the keys of an issuer in the background, and keeps them up to date. Retries while the issuer fails. */
export function createIssuerKeys(issuer: string, log: AuthLog, timing: Partial<KeyTiming> = {}): IssuerKeys {
  const { timeout, refresh, retry, retryMost, cooldown, lifetime, now } = { ...TIMING, ...timing };
  const closing = new AbortController();
  let lookUp = createLocalJWKSet({ keys: [] });
  let failure: string | undefined = 'its keys are not fetched yet';
  let failures = 0;
  let begunAt = -Infinity;
  let fetchedAt = -Infinity;
  let loading: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  // Fetches the keys, and sets the timer for the next fetch. Concurrent calls share one fetch.
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
    begunAt = now();
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeout)]);
      lookUp = createLocalJWKSet({ keys: await discoverKeys(issuer, signal) });
      fetchedAt = now();
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
    return now() - fetchedAt < lifetime ? undefined : failure;
  }

  async function search(...token: Parameters<JWTVerifyGetKey>): Promise<CryptoKey | undefined> {
    try {
      return await lookUp(...token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  // OpenID Connect Core 1.0 section 10.1.1: an unknown key may be new, so fetch the keys again. The cooldown limits
  // fetches for made-up keys. An issuer publishes a key before it signs with it: only a token that may have been issued
  // since the last fetch began can have a key that is not known yet.
  function findFor(age: number): JWTVerifyGetKey {
    return async (...token) => {
      if (problem() !== undefined) await loading;
      const isUnavailable = problem();
      if (isUnavailable !== undefined) throw new KeysUnavailable(isUnavailable);
      const known = await search(...token);
      if (known !== undefined) return known;
      const isDue = now() - begunAt >= cooldown;
      if (isDue) void load();
      await loading;
      if (failure !== undefined) throw new KeysUnavailable(failure);
      const found = await search(...token);
      if (found !== undefined) return found;
      if (!isDue && age <= now() - begunAt) throw new KeysUnavailable('its key may be newer than those that are known');
      throw new errors.JWKSNoMatchingKey();
    };
  }

  function close(): void {
    closing.abort();
    clearTimeout(timer);
  }

  void load();
  return { findFor, problem, close };
}
