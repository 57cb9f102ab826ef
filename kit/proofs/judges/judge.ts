// What a judge is: it asks the kit about data that others made, and says where the kit differs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads its data below a folder, and compares the kit with the verdicts that they have. */
export type Judge = (data: string) => Promise<Verdicts>;

/** How many tests a judge made, and in which the kit differs. */
export class Verdicts {
  tests = 0;
  readonly differences: string[] = [];

  /** @param found what the kit said, or undefined where it is right */
  add(test: string, found: string | undefined): void {
    this.tests += 1;
    if (found !== undefined) this.differences.push(`${test}: ${found}`);
  }
}

/** Tests in which the kit differs on purpose. */
export interface Exception {
  readonly why: string;
  /** What the kit says. */
  readonly found: string;
  readonly tests: readonly string[];
}

export interface Judged {
  readonly tests: number;
  readonly exceptions: number;
  /** The differences that no exception has, and the exceptions that are none: one line each. */
  readonly unexpected: readonly string[];
}

/** Runs a judge, and compares what it found with the exceptions. */
export async function runJudge(judge: Judge, data: string, exceptions: readonly Exception[]): Promise<Judged> {
  const { tests, differences } = await judge(data);
  const expected = exceptions.flatMap(({ found, tests: names }) => names.map((name) => `${name}: ${found}`));
  const stale = expected.filter((line) => !differences.includes(line)).map((line) => `no longer differs: ${line}`);
  const unexpected = [...differences.filter((line) => !expected.includes(line)), ...stale];
  return { tests, exceptions: differences.length - (unexpected.length - stale.length), unexpected };
}

export function readJsonFile(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}
