// Keeps the keys of an issuer up to date, and finds the key of a token.
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { AuthLog } from './auth-log';
import { discoverKeys } from './discover-keys';
import { DEFAULT_TIMING, type KeyTiming } from './key-timing';

export interface IssuerKeys {
  /**
   * The function by which jose finds a key. It rejects with KeysUnavailable if the key may exist but cannot be fetched now.
   *
   * @param leastAge the least possible age of the token, in milliseconds
   */
  readonly createKeyFinder: (leastAge: number) => JWTVerifyGetKey;
  /** Why there are no keys; undefined when there are. */
  readonly findProblem: () => string | undefined;
  readonly close: () => void;
}

/** A token cannot be verified now, for lack of keys. */
export class KeysUnavailable extends Error {}

export function createIssuerKeys(issuer: string, log: AuthLog, timing: Partial<KeyTiming> = {}): IssuerKeys {
  const { timeout, refresh, retry, retryMost, cooldown, lifetime, now } = { ...DEFAULT_TIMING, ...timing };
  const closing = new AbortController();
  let findFetchedKey = createLocalJWKSet({ keys: [] });
  // Why the latest fetch failed; undefined if it succeeded.
  let failure: string | undefined = 'its keys are not fetched yet';
  let failuresInARow = 0;
  let fetchBegunAt = -Infinity;
  let lastSuccessAt = -Infinity;
  let fetching: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  // Its end sets the timer for the next one: soon after the first failure, then after twice the time with each further one.
  function startFetch(): void {
    clearTimeout(timer);
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
      if (closing.signal.aborted) return;
      const delay = failuresInARow === 0 ? refresh : Math.min(retry * 2 ** (failuresInARow - 1), retryMost);
      timer = setTimeout(startFetch, delay).unref();
    });
  }

  // Never rejects: on a failure it keeps the keys it has, and logs the reason if it is new.
  async function fetchKeys(): Promise<void> {
    fetchBegunAt = now();
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeout)]);
      findFetchedKey = createLocalJWKSet({ keys: await discoverKeys(issuer, signal) });
      lastSuccessAt = now();
      if (failure !== undefined) log.info('the keys of JWT_ISSUER are there');
      failure = undefined;
      failuresInARow = 0;
    } catch (error) {
      const { message } = error as Error;
      if (failure !== message && !closing.signal.aborted) log.warn(`no keys of JWT_ISSUER: ${message}`);
      failure = message;
      failuresInARow++;
    }
  }

  // Fetched keys are used for `lifetime`, even if later fetches fail.
  function findProblem(): string | undefined {
    return now() - lastSuccessAt < lifetime ? undefined : failure;
  }

  async function findKnownKey(...headerAndToken: Parameters<JWTVerifyGetKey>): Promise<CryptoKey | undefined> {
    try {
      return await findFetchedKey(...headerAndToken);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  // OpenID Connect Core 1.0 section 10.1.1: an unknown key may be new, so fetch the keys again. The cooldown limits fetches for
  // made-up keys. An issuer publishes a key before it signs with it: only a token that may have been issued since the last
  // fetch began can have a key that is not known yet.
  function createKeyFinder(leastAge: number): JWTVerifyGetKey {
    return async (...headerAndToken) => {
      // Without keys, such as at the start, wait for the fetch that is under way.
      if (findProblem() !== undefined) await fetching;
      const problem = findProblem();
      if (problem !== undefined) throw new KeysUnavailable(problem);
      const knownKey = await findKnownKey(...headerAndToken);
      if (knownKey !== undefined) return knownKey;
      const isCooledDown = now() - fetchBegunAt >= cooldown;
      if (isCooledDown) startFetch();
      await fetching;
      if (failure !== undefined) throw new KeysUnavailable(failure);
      const newKey = await findKnownKey(...headerAndToken);
      if (newKey !== undefined) return newKey;
      // During the cooldown, this call has begun no fetch.
      const mayHaveNewerKey = leastAge <= now() - fetchBegunAt;
      if (!isCooledDown && mayHaveNewerKey) {
        throw new KeysUnavailable('its key may be newer than those that are known');
      }
      throw new errors.JWKSNoMatchingKey();
    };
  }

  function close(): void {
    closing.abort();
    clearTimeout(timer);
  }

  startFetch();
  return { createKeyFinder, findProblem, close };
}
