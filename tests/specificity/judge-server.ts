import { readFileSync } from 'node:fs';
import {
  createSuite,
  describeCause,
  groupByCause,
  runSuite,
  type CaseResult,
  type Finding,
} from '@contract-kit/conformance';
import { levelOf } from '../../packages/conformance/src/generators/case';

export const CONTRACT = 'openapi.yaml';

/** What is said against a server. */
export interface Judgement {
  readonly cases: number;
  readonly found: readonly Found[];
  /** The causes, one line each: of what `contract` sends, and of all that `robust` does. */
  readonly contract: readonly string[];
  readonly robust: readonly string[];
}

/** A finding, and the case that it is about. */
export interface Found extends Finding {
  readonly label: string;
}

export interface Manner {
  readonly bodyLimit: number;
  readonly secrets: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout: number;
  /** Of the service, unless it says otherwise. */
  readonly contract?: string;
}

/** Holds a server to `robust`, which has all that `contract` has. */
export async function judgeServer(base: URL, manner: Manner): Promise<Judgement> {
  const { bodyLimit, secrets, timeout } = manner;
  const contract = readFileSync(manner.contract ?? CONTRACT, 'utf8');
  const suite = createSuite(contract, { bodyLimit, marker: 'foreign', level: 'robust' });
  const options = { random: { seed: 1, runs: 50, isMarked: true }, isWanted: () => true };
  const results: CaseResult[] = [];
  for await (const result of runSuite(suite, { base, secrets, timeout }, options)) results.push(result);
  const describe = (some: readonly CaseResult[]): string[] => groupByCause(some).map(describeCause);
  return {
    cases: results.length,
    found: results.flatMap(({ case: { label }, findings }) => findings.map((finding) => ({ ...finding, label }))),
    contract: describe(results.filter(({ case: one }) => levelOf(one) === 'contract')),
    robust: describe(results),
  };
}
