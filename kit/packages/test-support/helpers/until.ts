import { performance } from 'node:perf_hooks';
// Not the global one, which a test may hold (hold-clock.ts).
import { setTimeout } from 'node:timers/promises';

// As testTimeout of jest-preset.js: then the test is over, and the loop would go on beside the next ones.
const TIMEOUT = 600_000;

/** Waits for something, as long as a test may take. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`This did not become true: ${String(isSo)}`);
    await setTimeout(5);
  }
}
