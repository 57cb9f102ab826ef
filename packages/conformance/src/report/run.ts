import type { CaseResult, Target } from '../run-case';
import type { Suite } from '../suite';
import type { Cause } from './causes';

/** What came of a run, for a report. */
export interface Run {
  readonly suite: Suite;
  readonly target: Target;
  /** The environment variable with the secret of each security scheme. */
  readonly variables: Readonly<Record<string, string>>;
  readonly results: readonly CaseResult[];
  readonly failed: readonly CaseResult[];
  readonly causes: readonly Cause[];
  /** What was not tried, and why, in a line each. */
  readonly notes: readonly string[];
}

/** How it ended, in one line. */
export function summarize({ suite: { level }, results, failed, causes }: Run): string {
  const found =
    failed.length === 0 ? 'nothing is wrong in' : `${String(causes.length)} causes, in ${String(failed.length)} of`;
  return `Level ${level}: ${found} ${String(results.length)} cases`;
}
