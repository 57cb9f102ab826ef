import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createProgress } from '@contract-kit/conformance/terminal';
import { formatTable } from '@contract-kit/test-support/format-table';
import type { Audit } from './ledger';
import { nameOfTest } from './random';

/** What a proof found. A proof that did not run has a note that says why, and nothing else. */
interface Result extends Partial<Audit> {
  readonly proof: string;
  readonly rounds?: number;
  readonly unavailable?: number;
  /** The slowest, in milliseconds. */
  readonly recoveryMs?: number;
  readonly note?: string;
}

/** Which jest.config.js empties. */
const FILE = 'reports/durability.jsonl';

/** Puts a result into the table at the end. */
export function record(result: Partial<Result>): void {
  appendFileSync(FILE, `${JSON.stringify({ proof: nameOfTest(), ...result })}\n`);
}

/** Prints the results of all proofs, by their names. */
function printResults(): void {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
  results.sort((a, b) => (a.proof < b.proof ? -1 : 1));
  const seed = `DURABILITY_SEED=${String(process.env['DURABILITY_SEED'])}`;
  const text = `${formatTable([HEAD, ...results.map(toCells)])}\n\nresult: ${summarize(results)}; ${seed}\n`;
  writeFileSync('reports/durability.txt', text);
  process.stdout.write(`\n${text}`);
}

// Jest calls it when all is over.
export { printResults as default };

const HEAD = ['proof', 'rounds', 'acknowledged', 'lost', 'half rows', 'other rows', '503s', 'slowest recovery', ''];

/** All of them in one line. */
function summarize(results: readonly Result[]): string {
  const ran = results.filter(({ rounds }) => rounds !== undefined);
  const sum = (name: 'rounds' | 'acknowledged' | 'lost' | 'half' | 'strange'): string =>
    String(ran.reduce((total, { [name]: count = 0 }) => total + count, 0));
  const most = String(Math.max(0, ...ran.map(({ rounds = 0 }) => rounds)));
  return [
    `${String(ran.length)} of ${String(results.length)} parts ran, ${sum('rounds')} rounds, at most ${most} of each`,
    `${sum('acknowledged')} changes acknowledged, ${sum('lost')} lost, ${sum('half')} half rows, ${sum('strange')} other rows`,
  ].join('; ');
}

function toCells({ proof, recoveryMs, note = '', ...result }: Result): string[] {
  const { rounds, acknowledged, lost, half, strange, unavailable } = result;
  const numbers = [rounds, acknowledged, lost, half, strange, unavailable].map((value) => String(value ?? '-'));
  return [proof, ...numbers, recoveryMs === undefined ? '-' : `${(recoveryMs / 1000).toFixed(2)} s`, note];
}

const progress = new Map<string, ReturnType<typeof createProgress>>();

/** Tells on standard error how far a proof is. */
export function showProgress(title: string, done: number, total: number): void {
  const show = progress.get(title) ?? createProgress();
  progress.set(title, show);
  if (done === total) show();
  else show(`${title}: ${String(done)} of ${String(total)}`, done, total);
}
