import { setTimeout } from 'node:timers/promises';

const TIMEOUT_MS = 3_000;

/** Rejected with why the service cannot do its work now. */
export type Check = () => Promise<void>;

/** Whether requests should be sent to the service. */
export interface Readiness {
  /** Why it takes none, whatever the checks say; undefined lets them decide. */
  phase: 'starting' | 'draining' | undefined;
  readonly checks: Check[];
}

/** @returns why no requests should be sent; nothing when all is well */
export async function findProblems({ phase, checks }: Readiness): Promise<string[]> {
  if (phase !== undefined) return [phase];
  const results = await Promise.allSettled(checks.map((check) => Promise.race([check(), failInTime()])));
  return results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
}

async function failInTime(): Promise<never> {
  await setTimeout(TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`a check takes longer than ${String(TIMEOUT_MS)} ms`);
}
