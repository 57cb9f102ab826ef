// What a run has found, and in words what it left out.
import type { CaseResult } from '../oracle/checks';
import { isLimited, type Target } from '../exchange/exchange';
import type { Suite } from '../suite';
import type { Cause } from './causes';
import { countUncovered, type CheckedCoverage } from './uncovered';
import type { Skipped } from '../contract/skipped';
import { chooseCases, type RunOptions } from '../runner/run-suite';

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
  readonly coverage: CheckedCoverage | undefined;
}

/** Whether a run fails: it has no cases, failed ones, or uncovered parts that the file of --coverage does not accept. */
export function hasFailed({ results, failed, coverage }: Run): boolean {
  return results.length === 0 || failed.length > 0 || (coverage?.file !== undefined && coverage.groups.length > 0);
}

/** Summarizes a run in one line, such as `Level strict: 2 causes, in 5 of 800 cases`. */
export function summarize(run: Run): string {
  const { suite, results, failed, causes, coverage } = run;
  if (results.length === 0) return `Level ${suite.level}: nothing was judged, in 0 cases`;
  const outcome =
    failed.length === 0
      ? 'nothing is wrong in'
      : `${String(causes.length)} cause${causes.length === 1 ? '' : 's'}, in ${String(failed.length)} of`;
  const coverageNote =
    coverage?.file !== undefined && coverage.groups.length > 0
      ? `, and ${String(countUncovered(coverage))} uncovered parts that ${coverage.file} does not accept`
      : '';
  return `Level ${suite.level}: ${outcome} ${String(results.length)} cases${coverageNote}`;
}

/** Describes how many cases of a run were not sent or not judged, in a line for each reason. */
export function describeSkippedCases(
  suite: Suite,
  target: Target,
  options: Pick<RunOptions, 'isWanted'>,
  results: readonly CaseResult[],
): string[] {
  const wanted = chooseCases(suite, target, options).length;
  // With 429 the server limits the rate: its reply does not depend on the case.
  const rateLimited = results.filter(({ replies }) => isLimited(target, replies)).length;
  const reasons: readonly (readonly [count: number, why: string])[] = [
    [
      suite.cases.length - wanted,
      'were not tried: of other classes, of what would change or delete what is there (--destructive), and of failures that nobody outside can bring about',
    ],
    [rateLimited, 'were answered 429 to the end, and say nothing; fewer --workers may help'],
  ];
  return reasons.filter(([count]) => count > 0).map(([count, why]) => `${String(count)} cases ${why}.`);
}

/** Such as `Skipped: the format iban, at #/components/schemas/Account and 2 more`. */
export function describeSkipped(skipped: readonly Skipped[]): string[] {
  return skipped.map(({ reason, places: [firstPointer, ...otherPointers] }) => {
    const more = otherPointers.length > 0 ? ` and ${String(otherPointers.length)} more` : '';
    return `Skipped: ${reason}, at ${String(firstPointer)}${more}`;
  });
}
