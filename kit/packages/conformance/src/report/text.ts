import { describeCause, formatCause } from './causes';
import { cut, type Output, paint, toSafeText, wrap } from '../terminal';
import { toSafeLine } from './failure';
import { describeCoverage } from './uncovered';
import { describeUnproven, hasFailed, summarize, type Run } from './run';

// People do not read more than this unless they ask for it with --verbose.
const MAX_LISTED = 12;
// The first cause of each check; the others are only in the list.
const MAX_IN_FULL = 5;
const MAX_NOTE = 2_000;

/** The report for a terminal. A line for each cause and the sum come last, since people see the last screen. */
export function describeRun(run: Run, isVerbose: boolean, output?: Output): string {
  const { target, causes, unproven, notes, coverage } = run;
  const maxListed = isVerbose ? Infinity : MAX_LISTED;
  const listSome = (lines: readonly string[]): string[] => {
    const hidden = lines.length - maxListed;
    const more = hidden > 0 ? [`and ${String(hidden)} more: add --verbose to see them`] : [];
    return [...lines.slice(0, maxListed), ...more].map((line) => toSafeLine(line, target.secrets, MAX_NOTE));
  };
  const sumColour = hasFailed(run) ? 'red' : unproven.length > 0 ? 'yellow' : 'green';
  const firsts = [...new Map(causes.toReversed().map((cause) => [cause.check, cause])).values()];
  const inFull = isVerbose ? causes : causes.filter((cause) => firsts.includes(cause)).slice(0, MAX_IN_FULL);
  const blocks = [
    ...inFull.map((cause) => [formatCause(cause, run, output, isVerbose ? 'whole' : 'start')]),
    ...[describeUnproven(unproven), notes].map((lines) => listSome(lines).map((line) => wrap(line, output, '  '))),
    coverage
      ? describeCoverage(coverage, isVerbose)
          .split('\n')
          .map((line) => wrap(line, output, ' '.repeat(9)))
      : [],
    [
      ...listSome(causes.map((cause) => describeCause(cause, target.secrets))).map((line) => cut(line, output)),
      wrap(paint(['bold', sumColour], toSafeText(summarize(run)), output), output),
    ],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
