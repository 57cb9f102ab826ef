// The report for a terminal.
import { styleText } from 'node:util';
import { describeGaps } from '../gate/describe-gaps';
import { chooseExamples, toCells } from './causes';
import { describeFailure } from './failure';
import { hasFailed, summarize, type Run } from './run';
import { toSafeLine } from './shown';
import { padCells, toTable } from './table';

// People do not read more than this.
const MAX_CAUSES = 12;
const MAX_WORST = 3;
const MAX_ROWS = 15;

/**
 * The report for a terminal: the summary, the causes, the worst cases, how many passed, what was not tried, what no
 * case
 * produced, and the summary again. Text that the server chose is escaped, and bounded.
 */
export function toText(run: Run, isVerbose: boolean): string {
  const { target, variables, causes, failed, notes, gaps } = run;
  const summary = styleText(['bold', hasFailed(run) ? 'red' : 'green'], summarize(run));
  const most = isVerbose ? Infinity : MAX_CAUSES;
  const more = causes.length > most ? [`      and ${String(causes.length - most)} more, with --verbose or --html`] : [];
  const worst = isVerbose ? failed : chooseExamples(causes, MAX_WORST);
  const blocks = [
    [summary, ...toLines(run, most), ...more],
    ...worst.map((result) => paintCase(describeFailure(result, target, variables))),
    [toCounts(run, isVerbose)],
    [
      ...notes.slice(0, most),
      ...(notes.length > most ? [`and ${String(notes.length - most)} more, with --verbose or --html`] : []),
    ].map((note) => toSafeLine(note, target.secrets)),
    gaps ? [describeGaps(gaps, isVerbose)] : [],
    hasFailed(run) ? [summary] : [],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function toLines({ causes, target: { secrets } }: Run, most: number): string[] {
  const rows = causes.slice(0, most).map((cause) => toCells(cause, secrets));
  const padded = padCells(rows.map(([count, check]) => [count, check]));
  return rows.map(([, , text, place], row) => {
    const [count = '', check = ''] = padded[row] ?? [];
    return [styleText('yellow', count), styleText('cyan', check), text, styleText('dim', place)].join('  ');
  });
}

// Bold title, dimmed details.
function paintCase(text: string): string[] {
  const [title = '', ...lines] = text.split('\n');
  return [styleText('bold', title), ...lines.map((line) => styleText('dim', line))];
}

/** Counts by operation and class, or by class only if that table is long. */
function toCounts({ results, target: { secrets } }: Run, isVerbose: boolean): string {
  const whole = toTable(results).split('\n');
  const lines = isVerbose || whole.length <= MAX_ROWS ? whole : toTable(results, ['class']).split('\n');
  return lines.map((line) => `  ${toSafeLine(line, secrets)}`).join('\n');
}
