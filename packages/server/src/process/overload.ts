// Detects overload by the delay of the event loop.

const INTERVAL_MS = 20;
const AVERAGED_TICKS = 8;
// Less than half of the time that a request may take under overload. The rest is for requests accepted before.
const MAX_DELAY_MS = 100;

/** Watches the delay of the event loop, which delays every request. */
export interface OverloadGuard {
  readonly isOverloaded: () => boolean;
  close(): void;
}

/** A timer ticks, and is late by the delay of the event loop. It does not keep the process alive. */
export function createOverloadGuard(now: () => number = () => performance.now()): OverloadGuard {
  // An exponential moving average: a single pause or burst is not an overload.
  let averageDelay = 0;
  // Ignore the delay before the first tick, such as that of the start.
  let lastTick: number | undefined;
  const timer = setInterval(() => {
    const tick = now();
    if (lastTick !== undefined) {
      const delay = tick - lastTick - INTERVAL_MS;
      averageDelay += (delay - averageDelay) / AVERAGED_TICKS;
    }
    lastTick = tick;
  }, INTERVAL_MS).unref();
  return {
    isOverloaded: () => averageDelay > MAX_DELAY_MS,
    close() {
      clearInterval(timer);
    },
  };
}
