import { appendFileSync, readFileSync } from 'node:fs';
import type { Audit } from './ledger';

/** What a proof found. A proof that did not run has a note that says why, and nothing else. */
export interface Result extends Partial<Audit> {
  readonly proof: string;
  readonly rounds?: number;
  readonly unavailable?: number;
  /** The slowest, in milliseconds. */
  readonly recoveryMs?: number;
  readonly note?: string;
}

const FILE = 'DURABILITY_RESULTS';

/** Sends the results of all proofs to a file that is empty. */
export function collectResults(file: string): void {
  process.env[FILE] = file;
}

/** Puts a result into the table at the end. */
export function record(result: Result): void {
  appendFileSync(String(process.env[FILE]), `${JSON.stringify(result)}\n`);
}

/** The results so far, by the names of the proofs. */
export function readResults(): Result[] {
  const lines = readFileSync(String(process.env[FILE]), 'utf8').trim().split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
  return results.sort((a, b) => (a.proof < b.proof ? -1 : 1));
}
