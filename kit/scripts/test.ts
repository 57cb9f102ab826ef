// Runs the checks of this repository as steps, and prints their progress.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
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
export const PHASES: readonly Phase[] = [
  // Some of the tests start what is built.
  ['lint', 'types', 'format', 'generate'].map((name) => toStep(name)),
  [{ name: 'tests', npm: `run unit -- --testPathIgnorePatterns ${SLOW}` }],
];

/** What `npm run test:all` runs: each test once, and everything else but what measures a clock or takes longer. */
export const ALL_PHASES: readonly Phase[] = [
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
export interface Outcome {
  readonly name: string;
  readonly isGreen: boolean;
  readonly seconds: number;
}

/** A running step. */
interface Running {
  readonly name: string;
  readonly start: number;
  /** The last line that it wrote. */
  line: string;
}

/** Callbacks while steps run. */
export interface Watcher {
  readonly begin: (running: Running) => void;
  /** @param log the file with all that the step wrote */
  readonly end: (running: Running, outcome: Outcome, log: string) => void;
}

// More than two cores, since a step spends much of its time waiting.
const LANES = 3;
const COLOURS = /\u001b\[[\d;]*m/g;

/**
 * Runs the phases in order, and up to three steps of a phase at a time. It continues after a step that failed.
 *
 * @param folder the folder for the output of the steps, which is emptied first
 */
export async function runPhases(phases: readonly Phase[], watcher: Watcher, folder: string): Promise<Outcome[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const phase of phases) {
    const waiting = phase.values();
    const runLane = async (): Promise<void> => {
      for (const step of waiting) outcomes.push(await runStep(step, watcher, folder));
    };
    await Promise.all(Array.from({ length: LANES }, runLane));
  }
  return outcomes;
}

async function runStep({ name, npm, env }: Step, { begin, end }: Watcher, folder: string): Promise<Outcome> {
  const running: Running = { name, start: performance.now(), line: '' };
  begin(running);
  const file = `${folder}/${name.replaceAll(/\W/g, '-')}.log`;
  const log = createWriteStream(file);
  const child = spawn('npm', npm.split(' '), { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...process.env } });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      log.write(data);
      running.line = lastLine(data.toString()) ?? running.line;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  await new Promise((resolve) => log.end(resolve));
  const outcome = { name, isGreen: status === 0, seconds: (performance.now() - running.start) / 1000 };
  end(running, outcome, readFileSync(file, 'utf8'));
  return outcome;
}

function lastLine(text: string): string | undefined {
  const lines = text.replace(COLOURS, '').split(/[\r\n]/);
  return lines.map((line) => line.trim()).findLast((line) => line !== '');
}

const HEARTBEAT_MS = 5_000;
const WIDTH = 100;
const MAX_LINES = 300;

/**
 * Runs phases and prints their progress: a line at least every 10 s, the output of a failed step, and at the end a table of
 * durations, longest first.
 *
 * @param folder the folder for the table and the output of the steps
 * @returns the number of steps that passed
 */
async function showPhases(phases: readonly Phase[], folder: string): Promise<number> {
  const start = performance.now();
  const running = new Set<Running>();
  const timer = setInterval(() => {
    for (const { name, start: begun, line } of running) {
      print(`      ${name} ${toSeconds(performance.now() - begun)}: ${line.slice(0, WIDTH)}`);
    }
  }, HEARTBEAT_MS);
  const outcomes = await runPhases(phases, createWatcher(running), folder);
  clearInterval(timer);

  const table = [...outcomes].sort((a, b) => b.seconds - a.seconds).map(toRow);
  const passed = outcomes.filter(({ isGreen }) => isGreen).length;
  writeFileSync(`${folder}/table.txt`, `${table.join('\n')}\n`);
  print(`\n${table.join('\n')}\n\n${toSeconds(performance.now() - start)} in total`);
  print(`${String(passed)} passed, ${String(outcomes.length - passed)} failed`);
  return passed;
}

function createWatcher(running: Set<Running>): Watcher {
  return {
    begin(step) {
      running.add(step);
      print(`      ${step.name} ...`);
    },
    end(step, outcome, log) {
      running.delete(step);
      if (!outcome.isGreen) print(log.trimEnd().split('\n').slice(-MAX_LINES).join('\n'));
      print(toRow(outcome));
    },
  };
}

function toRow({ name, isGreen, seconds }: Outcome): string {
  return `${isGreen ? 'ok  ' : 'FAIL'}  ${name.padEnd(20)} ${toSeconds(seconds * 1000).padStart(6)}`;
}

function toSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
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
  if ((await showPhases(chosen, 'reports/test')) < chosen.flat().length) process.exitCode = 1;
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
