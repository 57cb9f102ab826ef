// Detects overload by the delay of the event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const INTERVAL_MS = 20;
// Less than half of the time that a request may take under overload. The rest is for requests accepted before.
const MAX_DELAY_NS = (INTERVAL_MS + 100) * 1e6;
// The median is used, so that a single pause does not count as overload.
const TICKS = 5;

type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'count' | 'percentile' | 'reset' | 'disable'>;

/**
 * Watches the delay of the event loop, which delays every request.
 *
 * @param delays from tick to tick of the event loop, in nanoseconds; tests give their own
 */
export function createOverloadGuard(delays: Delays = monitorEventLoopDelay({ resolution: INTERVAL_MS })) {
  let isLate = false;
  delays.enable();
  return {
    isOverloaded: (): boolean => {
      if (delays.count >= TICKS) {
        isLate = delays.percentile(50) > MAX_DELAY_NS;
        delays.reset();
      }
      return isLate;
    },
    close: (): void => {
      delays.disable();
    },
  };
}
