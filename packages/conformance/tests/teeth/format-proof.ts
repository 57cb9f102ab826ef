import { LEVELS } from '../../src/contract/standards';
import { ACCEPTED, type Proof, type Verdict } from './verdict';

const SHOWN_SURVIVORS = 5;

/** Whether a proof holds: enough was seeded, enough of it was noticed where it belongs, and nothing where there is nothing. */
export function isProven({ control, verdicts, least, threshold }: Proof): boolean {
  const isEnough = verdicts.length >= least && percentOf(verdicts) >= threshold;
  return control === undefined && isEnough && verdicts.every(isAtItsLevel);
}

/** Whether it was noticed at the level where it has to be, and not at a milder one. */
function isAtItsLevel({ levels }: Verdict): boolean {
  return levels === undefined || levels.expected === levels.found;
}

/** A table for people: by kind, how many were killed, and what survived for which reason. */
export function formatProof(proof: Proof): string {
  const { title, control, verdicts, least, threshold } = proof;
  const kinds = [...new Set(verdicts.map(({ kind }) => kind))];
  const width = Math.max(...kinds.map(({ length }) => length), 'all'.length);
  const row = (name: string, own: readonly Verdict[]): string => {
    const counts = [own.filter(isKilled).length, own.length].map((count) => String(count).padStart(7)).join(' ');
    return `  ${name.padEnd(width)} ${counts} ${percentOf(own).toFixed(1).padStart(7)}`;
  };
  return [
    `${title}: ${isProven(proof) ? 'proven' : 'NOT PROVEN'} (at least ${String(least)}, ${String(threshold)} %)`,
    `  control, nothing seeded: ${control ?? 'green'}`,
    `  ${'kind'.padEnd(width)}  killed   total percent`,
    ...kinds.map((kind) =>
      row(
        kind,
        verdicts.filter((one) => one.kind === kind),
      ),
    ),
    row('all', verdicts),
    ...formatLevels(verdicts),
    ...formatSurvivors(verdicts.filter((one) => !isKilled(one))),
  ].join('\n');
}

// The mildest level at which each is noticed.
function formatLevels(verdicts: readonly Verdict[]): string[] {
  const leveled = verdicts.filter(({ levels }) => levels !== undefined);
  if (leveled.length === 0) return [];
  return [
    '  mildest level  faults   found',
    ...LEVELS.map((level) => {
      const own = leveled.filter(({ levels }) => levels?.expected === level);
      const counts = [own.length, own.filter(isAtItsLevel).length].map((count) => String(count).padStart(7)).join(' ');
      return `  ${level.padEnd(13)} ${counts}`;
    }),
    ...leveled
      .filter((one) => !isAtItsLevel(one))
      .map(({ name, levels }) => `    ${String(levels?.expected)} expected, ${levels?.found ?? 'none'} found: ${name}`),
  ];
}

function isKilled({ complaint }: Verdict): boolean {
  return complaint !== undefined;
}

function formatSurvivors(survivors: readonly Verdict[]): string[] {
  const groups = Map.groupBy(survivors, ({ kind, accepted }) => `${kind}\n${accepted ?? ''}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const reason = first.accepted ? `${first.accepted}: ${ACCEPTED[first.accepted]}` : 'UNEXPLAINED';
    const shown = first.accepted ? group.slice(0, SHOWN_SURVIVORS) : group;
    const more = group.length - shown.length;
    return [
      `  survived: ${first.kind} x${String(group.length)}, ${reason}`,
      ...shown.map(({ name }) => `    ${name}`),
      ...(more > 0 ? [`    and ${String(more)} more`] : []),
    ];
  });
}

function percentOf(verdicts: readonly Verdict[]): number {
  return verdicts.length === 0 ? 0 : (100 * verdicts.filter(isKilled).length) / verdicts.length;
}

/** What gave each of them away, a line each. */
export function formatVerdicts({ title, verdicts }: Proof): string {
  return verdicts
    .map(({ kind, name, levels, complaint = 'SURVIVED' }) => {
      const level = levels?.found === undefined ? '' : `, ${levels.found}`;
      return `${title}, ${kind}, ${name}${level}: ${complaint.split('\n', 1).join()}\n`;
    })
    .join('');
}
