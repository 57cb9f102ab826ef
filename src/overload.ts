import { performance } from 'node:perf_hooks';

const INTERVAL_MS = 20;
const SMOOTHING = 8;
// Less than half of what a request may take under overload; the rest is for what was accepted before.
const MAX_DELAY_MS = 100;

/** Watches how late the event loop is, which is what every request waits for first. */
export interface OverloadGuard {
  readonly isOverloaded: () => boolean;
  close(): void;
}

/** It does not keep the process. */
export function createOverloadGuard(): OverloadGuard {
  let delay = 0;
  // Whatever happened before the first tick, such as the rest of a start, does not count.
  let last: number | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    // Smoothed: one pause, or a burst, is not an overload.
    if (last !== undefined) delay += (now - last - INTERVAL_MS - delay) / SMOOTHING;
    last = now;
  }, INTERVAL_MS).unref();
  return {
    isOverloaded: () => delay > MAX_DELAY_MS,
    close() {
      clearInterval(timer);
    },
  };
}
