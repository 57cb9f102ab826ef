/** The share of valid contracts that must be served. */
const FLOOR = 0.98;

const MAX_TEXT = 150;

/** Whether enough of the valid contracts are served. */
export function isEnough(outcomes: readonly Outcome[]): boolean {
  const valid = outcomes.filter(({ invalid }) => invalid === undefined);
  return valid.length > 0 && valid.filter(isServed).length / valid.length >= FLOOR;
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

/** Summarizes all outcomes in one line. */
export function summarize(outcomes: readonly Outcome[]): string {
  const valid = outcomes.filter(({ invalid }) => invalid === undefined);
  const served = valid.filter(isServed);
  const count = (verdict: SuiteVerdict): string => String(served.filter(({ suite }) => suite === verdict).length);
  return (
    `${String(served.length)} of ${String(valid.length)} valid contracts are served; the suite finds no fault in ` +
    `${count('green')} of them, faults in ${count('red')}, and cannot judge ${count('not judged')}`
  );
}

/**
 * Makes a page with the counts, and a row for each reason why a valid contract is not served completely, or not green.
 *
 * @param date as `2026-11-24`
 */
export function toPage(outcomes: readonly Outcome[], date: string): string {
  const rows = outcomes
    .filter(({ invalid }) => invalid === undefined)
    .flatMap((one) => listReasons(one).map((reason) => toTableRow([one.name, reason.slice(0, MAX_TEXT)])));
  return `# Corpus

This page is for teams that ask how the kit fares with contracts that it has not seen. On ${date},
[the proof](proofs.md) made a project for each of ${String(outcomes.length)} contracts of other teams:
${summarize(outcomes)}.

The table lists the valid contracts that are not served as a whole, or whose service the suite did not find right. The
proof writes the results of all contracts to \`reports/corpus.txt\`.

| contract | reason |
|---|---|
${rows.join('\n')}
`;
}

/** Formats a line for each of these reasons. */
export function formatReasons(outcomes: readonly Outcome[]): string {
  return outcomes.flatMap((outcome) => listReasons(outcome).map((reason) => `${outcome.name}: ${reason}`)).join('\n');
}

function listReasons({ invalid, stage, refusals, unserved, suite, suiteReason }: Outcome): string[] {
  if (invalid !== undefined) return [`not valid: ${invalid}`];
  if (stage !== 'starts') return [...refusals];
  return [
    ...(unserved > 0 ? [`mistakes keep ${String(unserved)} of its operations out`] : []),
    ...(suiteReason === undefined ? [] : [`${suite === 'red' ? 'the suite found' : suite}: ${suiteReason}`]),
  ];
}

function toTableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll(/[|<*_[\]]/g, String.raw`\$&`)).join(' | ')} |`;
}

/** The last stage that a contract reaches. Each stage needs the one before it. */
export type Stage = 'refused' | 'made' | 'compiles' | 'starts';

/** The verdict of the conformance suite on the service with generated handlers. */
export type SuiteVerdict = 'green' | 'red' | 'not judged';

/** The result of trying a contract. */
export interface Outcome {
  readonly name: string;
  /** Why it is not OpenAPI 3.0 or 3.1 according to a validator from elsewhere; undefined if it is. */
  readonly invalid: string | undefined;
  readonly operations: number;
  /** The number of operations that are left out because of mistakes. */
  readonly unserved: number;
  readonly stage: Stage;
  /** What stopped it there: a message for each cause, without places. */
  readonly refusals: readonly string[];
  /** How long the stages took. */
  readonly milliseconds: Readonly<Partial<Record<'make' | 'compile' | 'start' | 'suite', number>>>;
  /** The heap that the started service uses. */
  readonly megabytes: number | undefined;
  readonly suite: SuiteVerdict;
  /** Why it is red or not judged. */
  readonly suiteReason: string | undefined;
}

/** Whether the kit serves the contract. */
const isServed = ({ stage }: Outcome): boolean => stage === 'starts';

/** Before anything is known of a contract. */
export const UNTRIED: Omit<Outcome, 'name'> = {
  invalid: undefined,
  operations: 0,
  unserved: 0,
  stage: 'refused',
  refusals: [],
  milliseconds: {},
  megabytes: undefined,
  suite: 'not judged',
  suiteReason: undefined,
};
