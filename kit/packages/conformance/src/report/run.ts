import type { CaseResult } from '../oracle/checks';
import { describePointer } from '../contract/pointer';
import { toSafeText } from '../terminal';
import type { Target } from '../exchange/exchange';
import type { Unproven } from '../exchange/proof';
import type { Suite } from '../suite';
import type { Cause } from './causes';
import { countUncovered, type CheckedCoverage } from './uncovered';
import { isMistake, type Skipped } from '../contract/skipped';
import { chooseCases, type RunOptions } from '../runner/run-suite';

export interface Run {
  readonly suite: Suite;
  readonly target: Target;
  /** The environment variable with the secret of each security scheme. */
  readonly variables: Readonly<Record<string, string>>;
  readonly results: readonly CaseResult[];
  readonly failed: readonly CaseResult[];
  readonly causes: readonly Cause[];
  readonly unproven: readonly Unproven[];
  /** Sentences about cases that the run left out, and why. */
  readonly notes: readonly string[];
  /** Why cases are missing, as a sentence. Undefined if all were sent. */
  readonly stopReason?: string | undefined;
  /** Undefined if not all cases were sent. */
  readonly coverage: CheckedCoverage | undefined;
}

/** A run also fails if it had no cases, or if the --coverage file does not accept all uncovered parts. */
export function hasFailed({ results, failed, coverage }: Run): boolean {
  return results.length === 0 || failed.length > 0 || (coverage?.file !== undefined && coverage.groups.length > 0);
}

/** Returns one line, such as `5 of 800 cases failed at level robust, for 2 reasons`. */
export function summarize(run: Run): string {
  const { suite, results, failed, causes, unproven, coverage, stopReason } = run;
  const knownCount = results.filter(({ findings, known = [] }) => findings.length === 0 && known.length > 0).length;
  const provenCount = results.length - failed.length - unproven.length - knownCount;
  if (results.length === 0) return `Level ${suite.level}: there were no cases, so nothing was judged`;
  const outcome =
    failed.length > 0
      ? `${String(failed.length)} of ${String(results.length)} cases failed at level ${suite.level}, for ${countOf(causes.length, 'reason')}`
      : `${provenCount < results.length ? `${String(provenCount)} of` : stopReason === undefined ? 'All' : 'The first'} ${String(results.length)} cases passed at level ${suite.level}`;
  const unprovenNote = unproven.length > 0 ? `, and ${String(unproven.length)} are unproven` : '';
  const [mistake] = describeSkipped(suite.skipped().filter(isMistake));
  const mistakeNote = mistake === undefined ? '' : `. The contract is wrong: ${mistake}`;
  const knownFailuresNote = knownCount > 0 ? `, and ${String(knownCount)} did not, as the baseline lists` : '';
  const stopNote = stopReason === undefined ? '' : ', but the run stopped early';
  const coverageNote =
    coverage?.file !== undefined && coverage.groups.length > 0
      ? `, but ${coverage.file} does not accept ${countOf(countUncovered(coverage), 'uncovered part')} of the contract`
      : '';
  return `${outcome}${unprovenNote}${knownFailuresNote}${coverageNote}${stopNote}${mistakeNote}`;
}

function countOf(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function describeSkippedCases(
  suite: Suite,
  target: Target,
  options: Pick<RunOptions, 'isWanted'> & { readonly sendsAllCases: boolean },
): string[] {
  const count = suite.unwanted + suite.cases.length - chooseCases(suite, target, options).length;
  const excludedNote = options.sendsAllCases ? '' : 'options exclude them, ';
  const reasons = `not sent: ${excludedNote}they may change or delete data (--destructive sends only those about what the run creates), or they need a failure inside the server.`;
  return count > 0 ? [`${countOf(count, 'case')} ${count === 1 ? 'was' : 'were'} ${reasons}`] : [];
}

/**
 * Describes the unproven cases in one line per reason. The most frequent reason comes first.
 *
 * @example for (const line of describeUnproven(findUnproven(suite, target, results))) console.log(line)
 */
export function describeUnproven(unproven: readonly Unproven[]): string[] {
  return [...Map.groupBy(unproven, ({ reason }) => reason)]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(([reason, group]) => {
      const classes = [...new Set(group.map(({ result }) => result.case.class))].join(', ');
      const operations = [...new Set(group.map(({ result }) => result.case.operation))];
      const more = operations.length > MAX_OPERATIONS ? ', ...' : '';
      const places = `${classes} of ${operations.slice(0, MAX_OPERATIONS).join(', ')}${more}`;
      return toSafeText(`${countOf(group.length, 'case')} unproven: ${reason} (${places})`);
    });
}

const MAX_OPERATIONS = 4;

/**
 * Describes in one line how many cases `maxCases` left out for each rule. The most frequent rule comes first.
 *
 * @example for (const line of describeLeftOut(suite)) console.log(line);
 */
export function describeLeftOut({
  leftOut,
  tooDeep,
  maxCases,
}: Pick<Suite, 'leftOut' | 'tooDeep' | 'maxCases'>): string[] {
  const total = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const counts = [...leftOut].toSorted(([, left], [, right]) => right - left);
  const depthNote = tooDeep > 0 ? `, and all those of ${countOf(tooDeep, 'schema')} that are nested deeper` : '';
  return [
    `${countOf(total, 'case')} beyond the first ${String(maxCases)} ${total === 1 ? 'was' : 'were'} left out (--max-cases)${depthNote}: ${counts.map(([rule, count]) => `${rule} ${String(count)}`).join(', ')}`,
  ];
}

/** Returns lines such as `No cases could be made for the format iban: #/components/schemas/Account`. */
export function describeSkipped(skipped: readonly Skipped[]): string[] {
  return skipped.map(({ reason, places: [firstPointer = '', ...otherPointers] }) => {
    const more = otherPointers.length > 0 ? ` and ${countOf(otherPointers.length, 'more place')}` : '';
    return `No cases could be made for ${reason}: ${describePointer(firstPointer)}${more}`;
  });
}
