// Whether the service is ready, and why not.
import { setTimeout } from 'node:timers/promises';

const CHECK_TIMEOUT_MS = 3_000;

/** Rejects with the reason why the service cannot work now. */
export type Check = () => Promise<void>;

/** Whether clients should send requests to the service. */
export interface Readiness {
  /** The reason for not being ready, independent of the checks; undefined lets the checks decide. */
  phase: 'starting' | 'draining' | undefined;
  readonly checks: Check[];
}

/**
 * Finds why the service is not ready: it starts or stops (`phase`), or checks fail or take too long.
 *
 * @returns the reasons; none when ready
 */
export async function findProblems({ phase, checks }: Readiness): Promise<string[]> {
  if (phase !== undefined) return [phase];
  const results = await Promise.allSettled(checks.map((check) => Promise.race([check(), failAfterTimeout()])));
  return results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
}

// Rejects after CHECK_TIMEOUT_MS: in a race with a check, it limits how long the check may take. The timer does not keep the
// process alive (`ref`).
async function failAfterTimeout(): Promise<never> {
  await setTimeout(CHECK_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`a check takes longer than ${String(CHECK_TIMEOUT_MS)} ms`);
}
