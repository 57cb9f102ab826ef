// Prints what no case produced, as a table of patterns.
import { toSafeLine } from '../report/shown';
import { padCells } from '../report/table';
import { lacksReason } from './accepted';
import { countGaps, type CheckedGaps } from './check-gaps';
import { nameOf } from './find-gaps';
import type { Group } from './group-gaps';

// How many patterns are shown by default: people do not read more.
const MAX_ROWS = 12;

/**
 * Describes gaps by patterns (each gap, if verbose), and entries of the file that are obsolete or lack a reason.
 *
 * @example console.log(describeGaps(checkGaps(suite, { file: 'tests/accepted-gaps.yaml' })));
 */
export function describeGaps(checked: CheckedGaps, isVerbose = false): string {
  const { groups, accepted, gone, file = '' } = checked;
  const withoutReason = accepted.filter(lacksReason).length;
  const lines = [
    summarizeGaps(checked),
    ...toRows(groups, isVerbose),
    ...gone.map(({ pattern }) => `No gap any more, so that ${file} need not have it: ${pattern}`),
    ...(withoutReason > 0 ? [`Reasons that are still to be written in ${file}: ${String(withoutReason)}`] : []),
  ];
  // The lines hold text of the contract, so escape control characters; no secrets need to be removed.
  return lines.map((line) => toSafeLine(line, {})).join('\n');
}

function summarizeGaps(checked: CheckedGaps): string {
  const { declared, known: accepted, file = '' } = checked;
  const unaccepted = countGaps(checked);
  const gaps = accepted + unaccepted;
  const start = `Cases should produce ${String(declared)} things that the contract declares, and did`;
  if (gaps === 0) return start;
  const withGaps = `${start} not produce ${String(gaps)} of them`;
  if (accepted === 0) return withGaps;
  return unaccepted === 0
    ? `${withGaps}, which ${file} accepts`
    : `${withGaps}; ${file} accepts ${String(accepted)}, and not these ${String(unaccepted)}`;
}

// When verbose, each gap has a line of its own, unless its text is the pattern.
function toRows(groups: readonly Group[], isVerbose: boolean): string[] {
  const shown = isVerbose ? groups : groups.slice(0, MAX_ROWS);
  const cells = padCells(shown.map(({ pattern, gaps }) => [String(gaps.length).padStart(5), pattern]));
  const rows = shown.flatMap(({ pattern, gaps }, index) => {
    const names = gaps.map(nameOf);
    const row = cells[index]?.join('  ') ?? '';
    if (isVerbose)
      return [row.trimEnd(), ...names.filter((name) => name !== pattern).map((name) => `         ${name}`)];
    return [names[0] === pattern ? row.trimEnd() : `${row}  such as ${String(names[0])}`];
  });
  const hidden = groups.length - shown.length;
  return hidden > 0 ? [...rows, `       and ${String(hidden)} more`] : rows;
}
