/** The share of valid contracts that must be served. */
export const FLOOR = 0.98;

const MAX_ROWS = 40;
const MAX_TEXT = 150;

/** Whether enough of the valid contracts are served. */
export function isEnough(outcomes: readonly Outcome[]): boolean {
  return shareOf(outcomes) >= FLOOR;
}

/** One line for a contract. */
export function formatRow({
  name,
  operations,
  unserved,
  stage,
  milliseconds,
  megabytes,
  suite,
  ...outcome
}: Outcome): string {
  const { make, compile, start } = milliseconds;
  const times = [make, compile, start].map((time) => String(time ?? '-').padStart(6)).join('');
  const memory = megabytes === undefined ? '-' : megabytes.toFixed(1);
  const verdict = stage === 'starts' ? suite : '-';
  const state = outcome.invalid === undefined ? stage : 'not valid';
  return `${state.padEnd(10)}${verdict.padEnd(11)}${String(operations).padStart(5)}${String(unserved || '').padStart(5)}${times}${memory.padStart(7)}  ${name}`;
}

export const HEADING = `${'stage'.padEnd(10)}${'suite'.padEnd(11)}  ops left  make  tsc  start    MB  contract (times in ms)`;

/** All of them in one line. */
export function summarize(outcomes: readonly Outcome[]): string {
  const valid = outcomes.filter(({ invalid }) => invalid === undefined);
  const served = valid.filter(isServed);
  const verdicts = (['green', 'red', 'not judged'] as const).map(
    (verdict) => `${String(served.filter(({ suite }) => suite === verdict).length)} ${verdict}`,
  );
  return `${String(served.length)} of ${String(valid.length)} valid contracts are served; the suite: ${verdicts.join(', ')}`;
}

/**
 * A page with the counts, and a row for each reason why a contract is not valid, not served as a whole, or not green.
 *
 * @param date as `2026-11-24`
 */
export function toPage(outcomes: readonly Outcome[], date: string): string {
  const rows = outcomes.flatMap((outcome) =>
    listReasons(outcome).map((reason) => toTableRow([outcome.name, reason.slice(0, MAX_TEXT)])),
  );
  return `# Corpus

For those who ask which contracts the kit serves: on ${date}, [the proof](proofs.md) made a project of each of
${String(outcomes.length)} contracts of other teams. ${summarize(outcomes)}.

These are not valid, not served as a whole, or not green; \`reports/corpus.txt\` of a run has all, with their times.

| contract | reason |
|---|---|
${rows.join('\n')}
`;
}

function listReasons({ invalid, stage, refusals, unserved, suite, suiteReason }: Outcome): string[] {
  if (invalid !== undefined) return [`not valid: ${invalid}`];
  if (stage !== 'starts') return [...refusals];
  return [
    ...(unserved > 0 ? [`left out for mistakes in them: ${String(unserved)} operations`] : []),
    ...(suiteReason === undefined ? [] : [`${suite}: ${suiteReason}`]),
  ];
}

function toTableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll(/[|<*_[\]]/g, String.raw`\$&`)).join(' | ')} |`;
}

/** What came of all of them: the shares, and what stops or could better how many. */
export function formatReport(outcomes: readonly Outcome[]): string {
  const valid = outcomes.filter(({ invalid }) => invalid === undefined);
  const count = (is: (one: Outcome) => boolean): string => String(valid.filter(is).length);
  return [
    `${String(valid.length)} of ${String(outcomes.length)} contracts are valid OpenAPI 3.0 or 3.1. Of these:`,
    `  made ${count(({ stage }) => stage !== 'refused')}, compile ${count((one) => one.stage === 'compiles' || isServed(one))}, start ${count(isServed)}`,
    `  suite green ${count(({ suite }) => suite === 'green')}, red ${count(({ suite }) => suite === 'red')}, not judged ${count((one) => isServed(one) && one.suite === 'not judged')}`,
    `  served: ${(100 * shareOf(outcomes)).toFixed(1)} %, at least ${(100 * FLOOR).toFixed(0)} % are wanted; operations left out for mistakes in them: ${String(sum(valid))}`,
    ...formatInvalid(outcomes),
    ...formatHistogram('Refusals of valid contracts', valid, ({ refusals }) => refusals),
    ...formatHistogram('What only that stops them', valid, ({ refusals }) => (refusals.length === 1 ? refusals : [])),
    ...formatHistogram('Advice', valid, ({ advice }) => advice),
    ...formatHistogram('Suite', valid, ({ suiteReason }) => (suiteReason === undefined ? [] : [suiteReason])),
  ].join('\n');
}

function sum(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((total, { unserved }) => total + unserved, 0);
}

function shareOf(outcomes: readonly Outcome[]): number {
  const valid = outcomes.filter(({ invalid }) => invalid === undefined);
  return valid.length === 0 ? 0 : valid.filter(isServed).length / valid.length;
}

function formatInvalid(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.flatMap(({ name, invalid }) => (invalid === undefined ? [] : [`  ${name}: ${invalid}`]));
  return rows.length === 0 ? [] : ['', 'Not valid:', ...rows];
}

function formatHistogram(
  title: string,
  outcomes: readonly Outcome[],
  textsOf: (one: Outcome) => readonly string[],
): string[] {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    for (const text of new Set(textsOf(outcome).map(withoutNames))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, one], [, other]) => other - one);
  const shown = rows.slice(0, MAX_ROWS).map(([text, number]) => `${String(number).padStart(5)}  ${text}`);
  const more = rows.length > MAX_ROWS ? [`       and ${String(rows.length - MAX_ROWS)} others`] : [];
  return rows.length === 0 ? [] : ['', `${title}, by contracts:`, ...shown, ...more];
}

// Texts that differ in names and numbers only have the same cause.
function withoutNames(text: string): string {
  const plain = text
    .replace(/`[^`]*`|'[^']*'|"[^"]*"|\/\S+|\b\d+\b/g, '...')
    .replace(/^(Named by|Public,|Refused with).*/, '$1 ...');
  return plain.slice(0, MAX_TEXT);
}

/** How far a contract gets. Each stage needs the one before it. */
export const STAGES = ['refused', 'made', 'compiles', 'starts'] as const;
export type Stage = (typeof STAGES)[number];

/** What the conformance suite says of the service with generated handlers. */
export type SuiteVerdict = 'green' | 'red' | 'not judged';

/** What came of a contract. */
export interface Outcome {
  readonly name: string;
  /** Why it is no OpenAPI 3.0 or 3.1, by a validator that is not ours; undefined if it is. */
  readonly invalid: string | undefined;
  readonly operations: number;
  /** Of the operations, those that are left out for a mistake in them. */
  readonly unserved: number;
  readonly stage: Stage;
  /** What stopped it there: one text for each cause, without places. */
  readonly refusals: readonly string[];
  readonly advice: readonly string[];
  /** How long the stages took. */
  readonly milliseconds: Readonly<Partial<Record<'make' | 'compile' | 'start' | 'suite', number>>>;
  /** What the started service takes of the heap. */
  readonly megabytes: number | undefined;
  readonly suite: SuiteVerdict;
  /** Why it is red or not judged. */
  readonly suiteReason: string | undefined;
}

/** Whether the kit serves it. */
export function isServed({ stage }: Outcome): boolean {
  return stage === 'starts';
}

/** Of a contract whose process ended, or took too long, before the service started. */
export const LOST: Omit<Outcome, 'name'> = {
  invalid: undefined,
  operations: 0,
  unserved: 0,
  stage: 'refused',
  refusals: ['it takes too long, or the process ended'],
  advice: [],
  milliseconds: {},
  megabytes: undefined,
  suite: 'not judged',
  suiteReason: undefined,
};
