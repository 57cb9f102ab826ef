// Judges the kit by a file of the suite, and tells where it disagrees.
import { judgeGroup } from './judge-group';
import type { SuiteFile } from './read-suite';

/** What came of a file of the suite. */
export interface Row {
  readonly name: string;
  readonly isRequired: boolean;
  readonly counts: Readonly<Record<(typeof COLUMNS)[number], number>>;
  /** Why schemas are not served. */
  readonly refusals: readonly string[];
  /** The tests that disagree in either direction, one line each. */
  readonly differences: readonly string[];
}

const COLUMNS = ['groups', 'served', 'refused', 'tests', 'request', 'reply', 'undeclared', 'conformance'] as const;

/** The heading of the rows: after the tests, how many agree; `undeclared` are replies refused for an undeclared member. */
export const HEADING = ['file', ...COLUMNS].map((column, index) => pad(column, index)).join('');

export async function judgeFile({ name, isRequired, groups }: SuiteFile): Promise<Row> {
  const refusals: string[] = [];
  const differences: string[] = [];
  const counts = { ...NOTHING, groups: groups.length };
  for (const group of groups) {
    const judged = await judgeGroup(group);
    if ('refusal' in judged) {
      refusals.push(judged.refusal);
      continue;
    }
    for (const [index, { request, reply, conformance }] of judged.tests.entries()) {
      const test = group.tests[index];
      counts.tests += 1;
      if (request === 'right') counts.request += 1;
      if (reply === 'right') counts.reply += 1;
      if (reply === 'undeclared') counts.undeclared += 1;
      if (conformance === 'right') counts.conformance += 1;
      const wrong = [request === 'wrong' ? 'request' : [], reply === 'wrong' ? 'reply' : []].flat();
      if (wrong.length === 0) continue;
      const expected = test?.isValid === true ? 'is valid' : 'is not valid';
      differences.push(`${name}: ${group.description}, ${String(test?.description)} ${expected}: ${wrong.join(', ')}`);
    }
  }
  counts.refused = refusals.length;
  counts.served = counts.groups - counts.refused;
  return { name, isRequired, counts, refusals, differences };
}

const NOTHING: Record<(typeof COLUMNS)[number], number> = {
  groups: 0,
  served: 0,
  refused: 0,
  tests: 0,
  request: 0,
  reply: 0,
  undeclared: 0,
  conformance: 0,
};

/** The row of several files together. */
export function sumRows(name: string, rows: readonly Row[]): Row {
  const counts = { ...NOTHING };
  for (const row of rows) for (const column of COLUMNS) counts[column] += row.counts[column];
  const refusals = rows.flatMap((row) => row.refusals);
  return { name, isRequired: false, counts, refusals, differences: rows.flatMap((row) => row.differences) };
}

export function formatRow({ name, counts }: Row): string {
  return [name, ...COLUMNS.map((column) => String(counts[column]))].map(pad).join('');
}

/** The reason of a refusal, without its place and what it quotes. */
export function toReason(refusal: string): string {
  const [first = ''] = refusal.split('\n');
  return first
    .replace(/^contract(?::\d+:\d+|#\S*)? /, '')
    .replaceAll(/"[^"]*"|(?:https?:|#)\S+/g, '...')
    .replace(/ \(\d+ times\)$/, '');
}

function pad(text: string, index: number): string {
  return index === 0 ? text.padEnd(44) : text.padStart(12);
}
