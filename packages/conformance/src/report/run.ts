import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import type { Suite } from '../suite';
import type { Cause } from './causes';
import { countGaps, type CheckedGaps } from './gaps';

/** The results of a run, for a report. */
export interface Run {
  readonly suite: Suite;
  readonly target: Target;
  /** The environment variable with the secret of each security scheme. */
  readonly variables: Readonly<Record<string, string>>;
  readonly results: readonly CaseResult[];
  readonly failed: readonly CaseResult[];
  readonly causes: readonly Cause[];
  /** Lines about what was not tried, and why. */
  readonly notes: readonly string[];
  /** What no case produced of the contract; undefined when not all cases were sent. */
  readonly gaps: CheckedGaps | undefined;
}

/** Whether a run fails: it has failed cases, or gaps that the file of --gate does not accept. */
export function hasFailed({ failed, gaps }: Run): boolean {
  return failed.length > 0 || (gaps?.file !== undefined && gaps.groups.length > 0);
}

/** Summarizes a run in one line, such as `Level strict: 2 causes, in 5 of 800 cases`. */
export function summarize(run: Run): string {
  const { suite, results, failed, causes, gaps } = run;
  const outcome =
    failed.length === 0 ? 'nothing is wrong in' : `${String(causes.length)} causes, in ${String(failed.length)} of`;
  const gapNote =
    gaps?.file !== undefined && gaps.groups.length > 0
      ? `, and ${String(countGaps(gaps))} gaps that ${gaps.file} does not accept`
      : '';
  return `Level ${suite.level}: ${outcome} ${String(results.length)} cases${gapNote}`;
}
