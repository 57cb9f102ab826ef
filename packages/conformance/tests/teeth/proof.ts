import { LEVELS, type Level } from '../../src/contract/standards';

/** Why a mutant may survive; whatever survives for no such reason is unexplained. */
const ACCEPTED = {
  'looser reply': 'promises less of a reply than before; every reply that the server sends still fits',
  'kept anyway': 'promises more of a reply than before, which every reply of the server keeps already',
  'said elsewhere': 'another rule of the contract says the same',
  'beyond 2^53':
    'an integer of no format is promised to everybody only as far as a double is exact (RFC 8259 section 6)',
  'not tried': 'asks for what no case can be made of, which the report lists as not tried',
  'same on the wire': 'says in other words what a client sends and gets just as before',
  'told in prose': 'numbers of one status are told apart by their meanings only, which are prose',
  'of HEAD': 'RFC 9110 section 9.3.2: a reply to HEAD may leave it out, and no body comes that it could contradict',
  'either way': 'RFC 6750 section 3.1 leaves open whether malformed credentials count as wrong or as missing',
} as const;

export type Accepted = keyof typeof ACCEPTED;

/** Something that the suite has to notice. */
export interface Seeded {
  readonly kind: string;
  readonly name: string;
  /** Why nobody can notice it from outside, should it survive. */
  readonly accepted?: Accepted | undefined;
}

/** What became of it. */
export interface Verdict extends Seeded {
  /** What gave it away; undefined when it survived. */
  readonly complaint: string | undefined;
  /** Where it is proven at which level something is noticed. */
  readonly levels?: NoticedAt;
}

/** The mildest level at which something is noticed: which it has to be, and which it is. */
interface NoticedAt {
  readonly expected: Level;
  readonly found: Level | undefined;
}

/** One proof of the suite's teeth. */
export interface Proof {
  readonly title: string;
  /** How many there have to be. */
  readonly least: number;
  /** How many of a hundred have to be killed. */
  readonly threshold: number;
  /** What the suite says when nothing is seeded; undefined when it is content. */
  readonly control: string | undefined;
  readonly verdicts: readonly Verdict[];
}

/** How many things of a proof are tried at a time; they wait more than they work. */
export const LANES = 4;

/** How many of a proof are tried, at most. */
export type Extent = number;

export const WHOLE: Extent = Infinity;
/** A quarter or less: what CI tries. */
export const SAMPLE: Extent = 100;

/** So many of some items, from all over them. */
export function sampleOf<Item>(items: readonly Item[], most: Extent): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_item, index) => index % step === 0);
}

/** What a proof has to reach; in a sample, one survivor that is explained weighs more. */
export function demand(most: Extent, least: number, threshold: number): { least: number; threshold: number } {
  return most === WHOLE ? { least, threshold } : { least: Math.min(least, most / 2), threshold: threshold - 10 };
}

/** Is told of each thing that was judged. */
export type Progress = (title: string, done: number, total: number) => void;

const LINES = 4;

/** One line that is written over on a terminal, and a few plain lines elsewhere. */
export function createProgress({ isTTY, write }: { isTTY: boolean; write: (text: string) => void }): Progress {
  return function show(title, done, total) {
    const text = `${title}: ${String(done)} of ${String(total)}`;
    if (isTTY) write(`\r\u001b[2K${done === total ? '' : text}`);
    else if (done === total || done % Math.ceil(total / LINES) === 0) write(`${text}\n`);
  };
}

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
