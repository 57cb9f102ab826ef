// Runs the commands of steps.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { Step } from './steps';

/** How a step went. */
export interface Outcome {
  readonly name: string;
  readonly isGreen: boolean;
  readonly seconds: number;
}

/** A step under way. */
export interface Running {
  readonly name: string;
  readonly start: number;
  /** The last line that it wrote. */
  line: string;
}

/** What is told while steps run. */
export interface Watcher {
  readonly begin: (running: Running) => void;
  /** @param log the file with all that the step wrote */
  readonly end: (running: Running, outcome: Outcome, log: string) => void;
}

const CORES = 2;
const COLOURS = /\u001b\[[\d;]*m/g;

/**
 * Runs every step, two at a time where they may, also after one that failed.
 *
 * @param folder for what the steps write, emptied first
 */
export async function runSteps(steps: readonly Step[], watcher: Watcher, folder: string): Promise<Outcome[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const outcomes: Outcome[] = [];
  const underWay = new Set<Promise<void>>();
  for (const step of steps) {
    while (underWay.size > 0 && (step.isAlone || underWay.size >= CORES)) await Promise.race(underWay);
    const run = runStep(step, watcher, folder).then((outcome) => {
      outcomes.push(outcome);
      underWay.delete(run);
    });
    underWay.add(run);
    if (step.isAlone) await run;
  }
  await Promise.all(underWay);
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
