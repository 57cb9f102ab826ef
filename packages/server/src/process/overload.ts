// Detects overload by the delay of the event loop.

const INTERVAL_MS = 20;
const SMOOTHING = 8;
// Less than half of the time that a request may take under overload. The rest is for requests accepted before.
const MAX_DELAY_MS = 100;

/** Watches the delay of the event loop, which delays every request. */
export interface OverloadGuard {
  readonly isOverloaded: () => boolean;
  close(): void;
}

/**
 * Creates the guard. Its timer does not keep the process alive.
 *
 * @param now the clock, in milliseconds
 */
export function createOverloadGuard(now: () => number = () => performance.now()): OverloadGuard {
  let delay = 0;
  // Ignore the delay before the first tick, such as that of the start.
  let last: number | undefined;
  const timer = setInterval(() => {
    const time = now();
    // An exponential moving average: a single pause or burst is not an overload.
    if (last !== undefined) delay += (time - last - INTERVAL_MS - delay) / SMOOTHING;
    last = time;
  }, INTERVAL_MS).unref();
  return {
    isOverloaded: () => delay > MAX_DELAY_MS,
    close() {
      clearInterval(timer);
    },
  };
}
