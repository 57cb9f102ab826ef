// Prints what no case produced, as a table of patterns.
import { toSafeLine } from '../report/shown';
import { padCells } from '../report/table';
import { isOpen } from './accepted';
import { countGaps, type CheckedGaps } from './check-gaps';
import { nameOf } from './find-gaps';
import type { Group } from './group-gaps';

// People do not read more than this.
const MAX_ROWS = 12;

/**
 * Describes gaps as a table of patterns, and which entries of the file are obsolete or lack a reason.
 *
 * @param isVerbose whether each gap has a line
 * @example console.log(describeGaps(checkGaps(suite, { file: 'tests/accepted-gaps.yaml' })));
 */
export function describeGaps(checked: CheckedGaps, isVerbose = false): string {
  const { groups, accepted, gone, file = '' } = checked;
  const open = accepted.filter(isOpen).length;
  const lines = [
    summarizeGaps(checked),
    ...toRows(groups, isVerbose),
    ...gone.map(({ pattern }) => `No gap any more, so that ${file} need not have it: ${pattern}`),
    ...(open > 0 ? [`Reasons that are still to be written in ${file}: ${String(open)}`] : []),
  ];
  return lines.map((line) => toSafeLine(line, {})).join('\n');
}

function summarizeGaps(checked: CheckedGaps): string {
  const { declared, known, file = '' } = checked;
  const fresh = countGaps(checked);
  const all = `Cases should produce ${String(declared)} things that the contract declares, and did`;
  if (known + fresh === 0) return all;
  const some = `${all} not produce ${String(known + fresh)} of them`;
  if (known === 0) return some;
  return fresh === 0
    ? `${some}, which ${file} accepts`
    : `${some}; ${file} accepts ${String(known)}, and not these ${String(fresh)}`;
}

function toRows(groups: readonly Group[], isVerbose: boolean): string[] {
  const shown = isVerbose ? groups : groups.slice(0, MAX_ROWS);
  const cells = padCells(shown.map(({ pattern, gaps }) => [String(gaps.length).padStart(5), pattern]));
  const rows = shown.flatMap(({ pattern, gaps }, row) => {
    const names = gaps.map(nameOf);
    const line = cells[row]?.join('  ') ?? '';
    if (isVerbose)
      return [line.trimEnd(), ...names.filter((name) => name !== pattern).map((name) => `         ${name}`)];
    return [names[0] === pattern ? line.trimEnd() : `${line}  such as ${String(names[0])}`];
  });
  const more = groups.length - shown.length;
  return more > 0 ? [...rows, `       and ${String(more)} more`] : rows;
}
