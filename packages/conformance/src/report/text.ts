// The report of a run, for a terminal.
import type { CaseResult } from '../oracle/checks';
import { styleText } from 'node:util';
import { isLimited, type Target } from '../exchange/exchange';
import type { Suite } from '../suite';
import type { Skipped } from '../contract/skipped';
import { chooseCases, type RunOptions } from '../runner/run-suite';
import { chooseExamples, toCells, type Cause } from './causes';
import { describeFailure, toSafeLine } from './failure';
import { countUncovered, describeCoverage, type CheckedCoverage } from './uncovered';

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

// People do not read more than this, unless they ask for it with --verbose.
const MAX_LISTED = 12;
const MAX_EXAMPLES = 3;
const MAX_TABLE_LINES = 15;

export function describeRun(run: Run, isVerbose: boolean): string {
  const { target, variables, causes, failed, notes, coverage } = run;
  const summary = styleText(['bold', hasFailed(run) ? 'red' : 'green'], summarize(run));
  const maxListed = isVerbose ? Infinity : MAX_LISTED;
  const toOmission = (total: number): string[] =>
    total > maxListed ? [`and ${String(total - maxListed)} more, with --verbose`] : [];
  const shownCases = isVerbose ? failed : chooseExamples(causes, MAX_EXAMPLES);
  const blocks: readonly (readonly string[])[] = [
    [summary, ...toCauseLines(run, maxListed), ...toOmission(causes.length).map((line) => `      ${line}`)],
    ...shownCases.map((result) => paintCase(describeFailure(result, target, variables))),
    [toPassedTable(run, isVerbose)],
    [...notes.slice(0, maxListed), ...toOmission(notes.length)].map((note) => toSafeLine(note, target.secrets)),
    coverage ? [describeCoverage(coverage, isVerbose)] : [],
    // After a long report, the first line is out of sight.
    hasFailed(run) ? [summary] : [],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function toCauseLines({ causes, target: { secrets } }: Run, maxCount: number): string[] {
  const rows = causes.slice(0, maxCount).map((cause) => toCells(cause, secrets));
  // Pad before colouring: escape sequences have no width, but would be counted. The other two columns differ too much.
  const padded = padCells(rows.map(([count, check]) => [count, check]));
  return rows.map(([, , text, location], row) => {
    const [count = '', check = ''] = padded[row] ?? [];
    return [styleText('yellow', count), styleText('cyan', check), text, styleText('dim', location)].join('  ');
  });
}

function paintCase(text: string): string[] {
  const [title = '', ...details] = text.split('\n');
  return [styleText('bold', title), ...details.map((line) => styleText('dim', line))];
}

// How many cases passed of how many, by operation and class; by class alone when that has too many lines.
function toPassedTable({ results, target: { secrets } }: Run, isVerbose: boolean): string {
  const byOperation = toTable(results).split('\n');
  const isShown = isVerbose || byOperation.length <= MAX_TABLE_LINES;
  const lines = isShown ? byOperation : toTable(results, ['class']).split('\n');
  return lines.map((line) => `  ${toSafeLine(line, secrets)}`).join('\n');
}

// Such as `addBook positive 12/12`.
function toTable(
  results: readonly CaseResult[],
  columns: readonly ('operation' | 'class')[] = ['operation', 'class'],
): string {
  const groups = Map.groupBy(results, ({ case: testCase }) => columns.map((column) => testCase[column]).join('\n'));
  const rows = [...groups].map(([key, group]) => [...key.split('\n'), countPassed(group)]);
  const emptyCells = columns.slice(1).map(() => '');
  return padCells([[...columns, 'passed'], ...rows, [...emptyCells, 'all', countPassed(results)]])
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

function countPassed(results: readonly CaseResult[]): string {
  return `${String(results.filter(({ findings }) => findings.length === 0).length)}/${String(results.length)}`;
}

/** Makes all cells of a column as wide as its widest one. */
function padCells(rows: readonly (readonly string[])[]): string[][] {
  const [firstRow = []] = rows;
  const widths = firstRow.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}

/** Whether a run fails: it has failed cases, or uncovered parts that the file of --coverage does not accept. */
export function hasFailed({ failed, coverage }: Run): boolean {
  return failed.length > 0 || (coverage?.file !== undefined && coverage.groups.length > 0);
}

/** Summarizes a run in one line, such as `Level strict: 2 causes, in 5 of 800 cases`. */
function summarize(run: Run): string {
  const { suite, results, failed, causes, coverage } = run;
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
