import { describeCause, formatCause } from './causes';
import { cut, type Output, paint, toSafeText, wrap } from '../terminal';
import { toSafeLine } from './failure';
import { describeCoverage } from './uncovered';
import { describeUnproven, hasFailed, summarize, type Run } from './run';

// Maximum number of lines of a list. With more, people would overlook the important ones; --verbose shows all of them.
const MAX_LISTED = 12;
// Maximum number of causes with details, which only the first cause of each check gets.
const MAX_CAUSES = 5;
const MAX_NOTE_LENGTH = 2_000;

/** Formats the report for a terminal. The list of causes and the summary come last, where people see them. */
export function describeRun(run: Run, isVerbose: boolean, output?: Output): string {
  const { target, causes, unproven, notes, coverage } = run;
  const maxListed = isVerbose ? Infinity : MAX_LISTED;
  const listSome = (lines: readonly string[]): string[] => {
    const hiddenCount = lines.length - maxListed;
    const more = hiddenCount > 0 ? [`and ${String(hiddenCount)} more: add --verbose to see them`] : [];
    return [...lines.slice(0, maxListed), ...more].map((line) => toSafeLine(line, target.secrets, MAX_NOTE_LENGTH));
  };
  const summaryColour = hasFailed(run) ? 'red' : unproven.length > 0 ? 'yellow' : 'green';
  const firstCauses = [...new Map(causes.toReversed().map((cause) => [cause.check, cause])).values()];
  const shownCauses = isVerbose ? causes : causes.filter((cause) => firstCauses.includes(cause)).slice(0, MAX_CAUSES);
  const blocks = [
    ...shownCauses.map((cause) => [formatCause(cause, run, output, isVerbose ? 'whole' : 'start')]),
    ...[notes, describeUnproven(unproven)].map((lines) => listSome(lines).map((line) => wrap(line, output, '  '))),
    coverage
      ? describeCoverage(coverage, isVerbose)
          .split('\n')
          .map((line) => wrap(line, output, ' '.repeat(9)))
      : [],
    [
      ...listSome(causes.map((cause) => describeCause(cause, target.secrets))).map((line) => cut(line, output)),
      wrap(paint(['bold', summaryColour], toSafeText(summarize(run)), output), output),
    ],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
