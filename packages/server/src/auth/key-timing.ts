// When the keys of an issuer are fetched, and how long they are used.

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

export const DEFAULT_TIMING: KeyTiming = {
  timeout: 3_000,
  refresh: 5 * 60_000,
  retry: 1_000,
  retryMost: 30_000,
  // With one second for the issuer's response, a new key is known within 5.
  cooldown: 4_000,
  lifetime: 60 * 60_000,
  now: () => performance.now(),
};
