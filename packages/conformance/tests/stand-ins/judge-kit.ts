import type { CaseResult } from '../../src/oracle/checks';
import type { Level } from '../../src/contract/standards';
import { titleOf, type Case } from '../../src/generators/case';
import { mapInPool } from '../../src/exchange/pool';
import { describeGap, gapsOf } from '../../src/report/gaps';
import { runCase } from '../../src/exchange/run-case';
import type { Target } from '../../src/exchange/exchange';
import { chooseCases, runSuite } from '../../src/runner/run-suite';
import { createSuite, type Suite } from '../../src/suite';
import { startStandIns, type StandInParts } from './start-stand-ins';

// The server waits for what a client may still send; what it refuses leaves no trace, so that others need not wait.
const AT_ONCE = 16;

export interface JudgeOptions {
  readonly bodyLimit: number;
  /** How many random bodies each operation gets. */
  readonly runs: number;
  readonly level?: Level;
  /** What makes its refusals. */
  readonly errors?: StandInParts['errors'];
}

/**
 * Everything that is wrong with the kit as it keeps a contract: cases that fail, and what is declared and never seen.
 */
export async function judgeKit(
  source: string,
  { bodyLimit, runs, level = 'strict', errors }: JudgeOptions,
): Promise<string[]> {
  const suite = createSuite(source, { bodyLimit, mark: 'text', level, hasUnscoped: () => true });
  await using target = await startStandIns(source, suite, bodyLimit, { errors });
  const failed: CaseResult[] = [];
  const keep = (result: CaseResult): void => {
    if (result.findings.length > 0) failed.push(result);
  };
  const options = {
    random: { seed: 1, runs, isMarked: false },
    // The handlers keep nothing that could be read again, and one at a time is asked what it got.
    isWanted: ({ class: kind, expect }: Pick<Case, 'class' | 'expect'>) => kind !== 'stateful' && expect === 'accepted',
  };
  for await (const result of runSuite(suite, target, options)) keep(result);
  const refused = chooseCases(suite, target, { isWanted: ({ expect }) => expect !== 'accepted' });
  const { base, secrets, timeout, situations = {} } = target;
  const others = { base, secrets, timeout, situations };
  (await runAll(suite, others, refused)).forEach(keep);
  (await runAll(suite, { ...others, base: target.states }, statesOf(suite))).forEach(keep);
  const problems = failed.map(
    ({ case: one, findings }) => `${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`,
  );
  // Below the strict level, not all that is declared is tried.
  const gaps = level === 'strict' ? gapsOf(suite.coverage.list()) : [];
  return [...problems, ...gaps.map(describeGap)];
}

function runAll({ coverage, oracleFor }: Suite, target: Target, cases: readonly Case[]): Promise<CaseResult[]> {
  const oracle = oracleFor(target.secrets);
  return mapInPool(cases, AT_ONCE, async (one) => {
    const result = await runCase(oracle, target, one);
    coverage.record(result);
    return result;
  });
}

// One request for each reply that an operation may have; of the same operation they come one after the other.
function statesOf({ model, cases }: Suite): Case[] {
  return model.operations.flatMap(({ id, replies }) => {
    const request = cases.find(({ operation, expect }) => operation === id && expect === 'accepted');
    return request ? [...replies].map(([status]) => ({ ...request, label: `${request.label}, for ${status}` })) : [];
  });
}
