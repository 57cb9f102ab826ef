// Not the global one, which a test may hold (hold-clock.ts).
import { setTimeout } from 'node:timers/promises';

/** Waits for something however long it takes; only Jest's testTimeout ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(5);
}
