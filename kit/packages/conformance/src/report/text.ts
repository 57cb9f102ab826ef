// The report for a terminal.
import type { CaseResult } from '../oracle/checks';
import { styleText } from 'node:util';
import { toCells } from './causes';
import { escapeUnprintable, toSafeText } from '../wire/safe-text';
import { describeExchange, describeFailure, toSafeLine } from './failure';
import { describeCoverage } from './uncovered';
import type { Unproven } from '../exchange/proof';
import { describeUnproven, hasFailed, summarize, type Run } from './run';

// People do not read more than this, unless they ask for it with --verbose.
const MAX_LISTED = 12;
// Of the causes, the others have one line each.
const MAX_IN_FULL = 10;
const MAX_CAUSE = 160;
// Of the cases under way when a server ended.
const MAX_SUSPECTS = 4;
const MAX_TABLE_LINES = 15;
const MAX_NOTE = 2_000;

export function describeRun(run: Run, isVerbose: boolean): string {
  const { target, variables, failed, unproven, notes, coverage } = run;
  const summary = styleText(
    ['bold', hasFailed(run) ? 'red' : unproven.length > 0 ? 'yellow' : 'green'],
    toSafeText(summarize(run)),
  );
  const maxListed = isVerbose ? Infinity : MAX_LISTED;
  const toOmission = (total: number): string[] =>
    total > maxListed ? [`and ${String(total - maxListed)} more: add --verbose to see them`] : [];
  const listSome = (lines: readonly string[]): string[] =>
    [...lines.slice(0, maxListed), ...toOmission(lines.length)].map((line) =>
      toSafeLine(line, target.secrets, MAX_NOTE),
    );
  const blocks: readonly (readonly string[])[] = [
    [summary, ...toCauseLines(run, isVerbose ? Infinity : MAX_IN_FULL)],
    ...(isVerbose ? failed : []).map((result) => paintCase(describeFailure(result, target, variables))),
    [toPassedTable(run, isVerbose)],
    listSome(describeUnproven(unproven)),
    listSome(notes),
    coverage ? [describeCoverage(coverage, isVerbose)] : [],
    // After a long report, the first line is out of sight.
    hasFailed(run) ? [summary] : [],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

// The first causes have one case below each, as it was sent, answered, and can be sent again.
function toCauseLines({ causes, target, variables }: Run, maxInFull: number): string[] {
  const rows = causes.map((cause) => toCells(cause, target.secrets));
  // Pad before colouring: escape sequences have no width, but would be counted. The other two columns differ too much.
  const padded = padCells(rows.map(([count, check]) => [count, check]));
  return causes.flatMap(({ check: name, results, isSecondary = false }, index) => {
    const [, , text = '', location = ''] = rows[index] ?? [];
    const [count = '', check = ''] = padded[index] ?? [];
    const isShort = index >= maxInFull;
    const shown = isShort && text.length > MAX_CAUSE ? `${text.slice(0, MAX_CAUSE)}...` : text;
    const line = [styleText('yellow', count), styleText('cyan', check), shown, styleText('dim', location)].join('  ');
    const examples = isSecondary || isShort ? [] : results.slice(0, name === 'server-alive' ? MAX_SUSPECTS : 1);
    const exchange = examples.flatMap((example) => describeExchange(example, target, variables));
    return [line, ...exchange.map((each) => styleText('dim', each))];
  });
}

function paintCase(text: string): string[] {
  const [title = '', ...details] = text.split('\n');
  return [styleText('bold', title), ...details.map((line) => styleText('dim', line))];
}

// How many cases passed of how many, by operation and class; by class alone when that has too many lines.
function toPassedTable({ results, unproven, target: { secrets } }: Run, isVerbose: boolean): string {
  const byOperation = toTable(results, unproven).split('\n');
  const isShown = isVerbose || byOperation.length <= MAX_TABLE_LINES;
  const lines = isShown ? byOperation : toTable(results, unproven, ['class']).split('\n');
  return lines.map((line) => `  ${toSafeLine(line, secrets)}`).join('\n');
}

/**
 * Makes a table of how many cases passed, by operation and class or by class only: `addBook positive 12/12`. Where some
 * are unproven, it has a column for their number.
 *
 * @example console.log(toTable(results, []))
 */
export function toTable(
  results: readonly CaseResult[],
  unproven: readonly Unproven[],
  columns: readonly ('operation' | 'class')[] = ['operation', 'class'],
): string {
  const groups = Map.groupBy(results, ({ case: testCase }) =>
    columns.map((column) => escapeUnprintable(testCase[column])).join('\n'),
  );
  const unprovenResults = new Set(unproven.map(({ result }) => result));
  const count = (group: readonly CaseResult[]): string[] => {
    const unprovenCount = group.filter((result) => unprovenResults.has(result)).length;
    const passed = group.filter(({ findings }) => findings.length === 0).length - unprovenCount;
    return [`${String(passed)}/${String(group.length)}`, unprovenCount === 0 ? '' : String(unprovenCount)];
  };
  const names = results.map(({ case: testCase }) => escapeUnprintable(testCase.operation));
  const rows = [...groups]
    .map(([key, group]) => [...key.split('\n'), ...count(group)])
    .toSorted(([one = ''], [other = '']) => names.indexOf(one) - names.indexOf(other));
  const emptyCells = columns.slice(1).map(() => '');
  const heads = ['passed', unproven.length > 0 ? 'unproven' : ''];
  return padCells([[...columns, ...heads], ...rows, [...emptyCells, 'all', ...count(results)]])
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** Makes all cells of a column as wide as its widest one. */
function padCells(rows: readonly (readonly string[])[]): string[][] {
  const [firstRow = []] = rows;
  const widths = firstRow.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}
