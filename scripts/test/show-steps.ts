// Runs steps, and prints how they go.
import { writeFileSync } from 'node:fs';
import { runSteps, type Outcome, type Running, type Watcher } from './run-steps';
import type { Step } from './steps';

const HEARTBEAT_MS = 5_000;
const WIDTH = 100;
const MAX_LINES = 300;

/**
 * Runs steps and prints how it goes: a line at least every 10 s, all of what a failed step wrote, and at the end a table
 * of durations, the longest first.
 *
 * @param folder for the table and for what the steps write
 * @returns whether every step was green
 */
export async function showSteps(steps: readonly Step[], folder: string): Promise<boolean> {
  const start = performance.now();
  const underWay = new Set<Running>();
  const timer = setInterval(() => {
    for (const { name, start: begun, line } of underWay) {
      print(`      ${name} ${toSeconds(performance.now() - begun)}: ${line.slice(0, WIDTH)}`);
    }
  }, HEARTBEAT_MS);
  const outcomes = await runSteps(steps, createWatcher(underWay), folder);
  clearInterval(timer);

  const table = [...outcomes].sort((a, b) => b.seconds - a.seconds).map(toRow);
  const failed = outcomes.filter(({ isGreen }) => !isGreen);
  writeFileSync(`${folder}/table.txt`, `${table.join('\n')}\n`);
  print(`\n${table.join('\n')}\n\n${toSeconds(performance.now() - start)} in all`);
  print(`${String(outcomes.length - failed.length)} passed, ${String(failed.length)} failed`);
  return failed.length === 0 && outcomes.length > 0;
}

function createWatcher(underWay: Set<Running>): Watcher {
  return {
    begin(running) {
      underWay.add(running);
      print(`      ${running.name} ...`);
    },
    end(running, outcome, log) {
      underWay.delete(running);
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
