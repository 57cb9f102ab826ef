// Runs the checks of this repository as steps, and prints their progress.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { createProgress, formatError, paint, print, wrap } from '@contract-kit/conformance/terminal';
import { CHECKS } from './checks';

/** A command that checks a part of this project. */
interface Step {
  readonly name: string;
  /** The arguments for npm, such as `run lint`. */
  readonly npm: string;
  /** Environment variables that make it run for less time. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Steps that may run at the same time. */
type Phase = readonly Step[];

const SLOW = '[.](slow|long)[.]';

/** What `npm test` runs: lint and types of everything, and the quick tests. */
const PHASES: readonly Phase[] = [
  // Some of the tests start what is built.
  ['lint', 'types', 'format', 'generate'].map((name) => toStep(name)),
  [{ name: 'tests', npm: `run unit -- --testPathIgnorePatterns ${SLOW}` }],
];

/** What `npm run test:all` runs: each test once, and everything else but what measures a clock or takes longer. */
const ALL_PHASES: readonly Phase[] = [
  ['lint', 'types', 'generate', 'format'].map((name) => toStep(name)),
  [toStep('coverage')],
  // The longest first.
  [
    toStep('browser'),
    { ...toStep('durability'), env: { DURABILITY_ROUNDS: '5' } },
    toStep('specificity'),
    toStep('release', '--dry-run'),
    toStep('corpus', '--sample'),
  ],
  [toStep('team-bugs')],
  // It measures the processor, so nothing else runs.
  [toStep('attack')],
];

function toStep(name: string, args = ''): Step {
  return { name, npm: `run ${name in CHECKS ? 'check -- ' : ''}${name} ${args}`.trimEnd() };
}

/** The result of a step. */
interface Outcome {
  readonly name: string;
  readonly isGreen: boolean;
  readonly seconds: number;
  /** The tests that failed, each after its file. */
  readonly failures: readonly string[];
}

// More than two cores, since a step spends much of its time waiting.
const LANES = 3;
const FOLDER = 'reports/test';
const TABLE = `${FOLDER}/table.txt`;
const MAX_LINES = 300;

async function runStep({ name, npm, env }: Step): Promise<Outcome> {
  const start = performance.now();
  const file = `${FOLDER}/${name.replaceAll(/\W/g, '-')}.log`;
  const log = createWriteStream(file);
  // A pipe has no colours by itself.
  const colours = paint('red', '', process.stdout) === '' ? {} : { FORCE_COLOR: '1' };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn('npm', ['--silent', ...npm.split(' ')], {
    stdio: [...stdio],
    env: { ...env, ...process.env, ...colours },
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const [status] = (await once(child, 'close')) as [number | null];
  await new Promise((resolve) => log.end(resolve));
  const text = readFileSync(file, 'utf8');
  const outcome = {
    name,
    isGreen: status === 0,
    seconds: (performance.now() - start) / 1000,
    failures: findFailures(text),
  };
  show();
  if (!outcome.isGreen) print(text.trimEnd().split('\n').slice(-MAX_LINES).join('\n'));
  print(toRow(outcome));
  return outcome;
}

// As Jest prints them.
function findFailures(log: string): string[] {
  let file = '';
  const found = new Set<string>();
  for (const [, path, title] of stripVTControlCharacters(log).matchAll(/^(?: ?FAIL +(\S+)| {2}\u25cf (.+))/gm)) {
    if (path !== undefined) file = path;
    else if (title !== 'Console') found.add(`${file}  ${String(title)}`);
  }
  return [...found];
}

const show = createProgress(process.stdout);

/**
 * Runs the phases in order, and up to three steps of a phase at a time. It continues after a step that failed. At the end, it
 * prints a table of durations, longest first, with the tests that failed.
 *
 * @returns whether all steps passed
 */
async function runPhases(phases: readonly Phase[]): Promise<boolean> {
  const expected = phases.reduce((sum, phase) => sum + estimate(phase), 0);
  mkdirSync(FOLDER, { recursive: true });
  const start = performance.now();
  const running = new Set<string>();
  const timer = setInterval(() => {
    show([...running].join(', '), (performance.now() - start) / 1000, expected);
  }, 1000);
  const outcomes: Outcome[] = [];
  for (const phase of phases) {
    const waiting = phase.values();
    const runLane = async (): Promise<void> => {
      for (const step of waiting) {
        running.add(step.name);
        outcomes.push(await runStep(step));
        running.delete(step.name);
      }
    };
    await Promise.all(Array.from({ length: LANES }, runLane));
  }
  clearInterval(timer);
  const byTime = outcomes.toSorted((one, other) => other.seconds - one.seconds);
  writeFileSync(TABLE, byTime.map((outcome) => `${stripVTControlCharacters(toRow(outcome))}\n`).join(''));
  print('');
  for (const outcome of byTime.toSorted((one, other) => Number(other.isGreen) - Number(one.isGreen)))
    print(
      [toRow(outcome), ...outcome.failures.map((test) => wrap(`      ${test}`, process.stdout, ' '.repeat(8)))].join(
        '\n',
      ),
    );
  const passed = outcomes.filter(({ isGreen }) => isGreen).length;
  const sum = `${String(passed)} passed, ${String(outcomes.length - passed)} failed in ${((performance.now() - start) / 1000).toFixed(0)} s`;
  print(`\n${paint(['bold', passed < outcomes.length ? 'red' : 'green'], sum, process.stdout)}`);
  return passed === outcomes.length;
}

// In seconds, by the table of the last run; 0 if that had other steps.
function estimate(phase: Phase): number {
  const table = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
  const seconds = phase.map(({ name }) => Number(new RegExp(`^\\w+ +${name} +(\\d+) s$`, 'm').exec(table)?.[1] ?? NaN));
  return Math.max(...seconds, seconds.reduce((sum, one) => sum + one, 0) / LANES) || 0;
}

function toRow({ name, isGreen, seconds }: Outcome): string {
  const state = paint(isGreen ? 'green' : 'red', isGreen ? 'ok  ' : 'FAIL', process.stdout);
  return `${state}  ${name.padEnd(20)} ${seconds.toFixed(0).padStart(4)} s`;
}

/**
 * Runs the checks of this project.
 *
 * @param args `--all` for everything; names of steps, such as `lint`, for only these
 */
async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => arg !== '--all');
  const phases = args.includes('--all') ? ALL_PHASES : PHASES;
  const unknown = names.filter((name) => !phases.flat().some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`unknown step: ${unknown.join(', ')}`);
  const chosen = phases.map((phase) => phase.filter(({ name }) => names.length === 0 || names.includes(name)));
  if (!(await runPhases(chosen))) process.exitCode = 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  print(formatError(error as Error, '', process.stderr), process.stderr);
  process.exitCode = 1;
});
