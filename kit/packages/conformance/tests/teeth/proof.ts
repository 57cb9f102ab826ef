import { LEVELS, type Level } from '../../src/contract/standards';
import { mapInOrder } from '../../src/exchange/pool';

/** Why a mutant may survive; whatever survives for no such reason is unexplained. */
const ACCEPTED = {
  'looser reply': 'promises less of a reply than before; every reply that the server sends still fits',
  'kept anyway': 'promises more of a reply than before, which every reply of the server keeps already',
  'said elsewhere': 'another rule of the contract says the same',
  'beyond 2^53':
    'an integer of no format is promised to everybody only as far as a double is exact (RFC 8259 section 6)',
  'not tried': 'asks for what no case can be made of, which the report lists as not tried',
  'same on the wire': 'says in other words what a client sends and gets just as before',
  undeclared: 'JSON Schema allows any value of a property that no schema names, and no case sends each',
} as const;

export type Accepted = keyof typeof ACCEPTED;

/** Something that the suite has to notice. */
export interface Seeded {
  readonly kind: string;
  readonly name: string;
  /** Why nobody can notice it from outside, should it survive. */
  readonly accepted?: Accepted | undefined;
  /** The mildest level that has to notice it, where that is proven. */
  readonly level?: Level;
}

/** What the suite said of it. */
export interface Found {
  /** What gave it away; undefined when it survived. */
  readonly complaint: string | undefined;
  /** The mildest level that noticed it. */
  readonly found?: Level | undefined;
}

/** What became of it. */
export interface Verdict extends Seeded, Found {}

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

/** How many are tried of each proof, at most: an eighth or less is what CI tries. */
export const SAMPLE = 50;

/** What is tried, and how. */
interface Trial<Item extends Seeded> extends Pick<Proof, 'title' | 'least' | 'threshold'> {
  readonly items: readonly Item[];
  /** @param lane which of those that work at the same time does it */
  readonly judge: (item: Item, lane: number) => Promise<Found>;
  /** What the suite says when nothing is seeded, after all. */
  readonly control: () => Promise<string | undefined>;
  readonly progress: Progress;
  /** How many are tried, at most. */
  readonly extent: number;
}

/** Tries items from all over them, and what is not seeded. */
export async function prove<Item extends Seeded>(trial: Trial<Item>): Promise<Proof> {
  const { title, judge, control, progress, extent } = trial;
  const items = sampleOf(trial.items, extent);
  let done = 0;
  const verdicts = await Array.fromAsync(
    mapInOrder(items, LANES, async (item, lane): Promise<Verdict> => {
      const { kind, name, accepted, level } = item;
      const found = await judge(item, lane);
      progress(title, ++done, items.length);
      return { kind, name, accepted, ...(level && { level }), ...found };
    }),
  );
  return { title, ...demand(trial, extent), control: await control(), verdicts };
}

/** So many of some items, from all over them. */
export function sampleOf<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_item, index) => index % step === 0);
}

/** What a proof has to reach; in a sample, one survivor that is explained weighs more. */
export function demand(
  { least, threshold }: Pick<Proof, 'least' | 'threshold'>,
  most: number,
): Pick<Proof, 'least' | 'threshold'> {
  return most === Infinity ? { least, threshold } : { least: Math.min(least, most / 2), threshold: threshold - 10 };
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
function isAtItsLevel({ level, found }: Verdict): boolean {
  return level === undefined || level === found;
}

/** A table for people: by kind, how many were killed, and what survived for which reason. */
export function formatProof(proof: Proof): string {
  const { title, control, verdicts, least, threshold } = proof;
  const width = Math.max(...verdicts.map(({ kind }) => kind.length), 'all'.length);
  const row = (name: string, own: readonly Verdict[]): string => {
    const counts = formatCounts(own.filter(isKilled).length, own.length);
    return `  ${name.padEnd(width)} ${counts} ${percentOf(own).toFixed(1).padStart(7)}`;
  };
  return [
    `${title}: ${isProven(proof) ? 'proven' : 'NOT PROVEN'} (at least ${String(least)}, ${String(threshold)} %)`,
    `  control, nothing seeded: ${control ?? 'green'}`,
    `  ${'kind'.padEnd(width)}  killed   total percent`,
    ...[...Map.groupBy(verdicts, ({ kind }) => kind)].map(([kind, own]) => row(kind, own)),
    row('all', verdicts),
    ...formatLevels(verdicts),
    ...formatSurvivors(verdicts.filter((one) => !isKilled(one))),
  ].join('\n');
}

/** Proofs in one line. */
export function summarize(proofs: readonly Proof[]): string {
  const all = proofs.flatMap(({ verdicts }) => verdicts);
  const survivors = all.filter((one) => !isKilled(one));
  const [proven, killed] = [proofs.filter(isProven).length, all.length - survivors.length];
  const unexplained = survivors.filter(({ accepted }) => accepted === undefined).length;
  return [
    `${String(proven)} of ${String(proofs.length)} parts are proven`,
    `${String(killed)} of ${String(all.length)} faults detected (${percentOf(all).toFixed(1)} %)`,
    `${String(unexplained)} of the others unexplained`,
  ].join(', ');
}

// The mildest level at which each is noticed.
function formatLevels(verdicts: readonly Verdict[]): string[] {
  if (verdicts.every(({ level }) => level === undefined)) return [];
  const rows = LEVELS.map((level) => {
    const own = verdicts.filter((one) => one.level === level);
    return `  ${level.padEnd(13)} ${formatCounts(own.length, own.filter(isAtItsLevel).length)}`;
  });
  const others = verdicts.filter((one) => !isAtItsLevel(one));
  return [
    '  mildest level  faults   found',
    ...rows,
    ...others.map(({ name, level, found = 'none' }) => `    ${String(level)} expected, ${found} found: ${name}`),
  ];
}

function formatCounts(...counts: readonly number[]): string {
  return counts.map((count) => String(count).padStart(7)).join(' ');
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
    .map(({ kind, name, found, complaint = 'SURVIVED' }) => {
      const level = found === undefined ? '' : `, ${found}`;
      return `${title}, ${kind}, ${name}${level}: ${complaint.split('\n', 1).join()}\n`;
    })
    .join('');
}
