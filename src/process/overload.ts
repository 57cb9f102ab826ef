const INTERVAL_MS = 20;
const SMOOTHING = 8;
// Less than half of what a request may take under overload; the rest is for what was accepted before.
const MAX_DELAY_MS = 100;

/** Watches how late the event loop is, which is what every request waits for first. */
export interface OverloadGuard {
  readonly isOverloaded: () => boolean;
  close(): void;
}

/**
 * It does not keep the process.
 *
 * @param now the clock that it looks at, in milliseconds
 */
export function createOverloadGuard(now: () => number = () => performance.now()): OverloadGuard {
  let delay = 0;
  // Whatever happened before the first tick, such as the rest of a start, does not count.
  let last: number | undefined;
  const timer = setInterval(() => {
    const time = now();
    // Smoothed: one pause, or a burst, is not an overload.
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
