// Whether the service is ready, and why not.
import { setTimeout } from 'node:timers/promises';

const CHECK_TIMEOUT_MS = 3_000;

/** Rejects with the reason why the service cannot work now. */
export type Check = () => Promise<void>;

export interface Readiness {
  /** The reason for not being ready, independent of the checks; undefined lets the checks decide. */
  phase: 'starting' | 'draining' | undefined;
  readonly checks: Check[];
}

/** The reasons for not being ready: the phase, or checks that fail or take too long. */
export async function findProblems({ phase, checks }: Readiness): Promise<string[]> {
  if (phase !== undefined) return [phase];
  const results = await Promise.allSettled(checks.map((check) => Promise.race([check(), failAfterTimeout()])));
  return results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
}

// Limits how long a check may take. The timer does not keep the process alive (`ref`).
async function failAfterTimeout(): Promise<never> {
  await setTimeout(CHECK_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`a check takes longer than ${String(CHECK_TIMEOUT_MS)} ms`);
}
