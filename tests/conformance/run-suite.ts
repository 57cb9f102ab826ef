import type { CaseClass } from './case';
import type { Oracle } from './oracle/judge';
import { runRandom, type RandomOptions } from './random/run-random';
import { isPossible, runCase, type CaseResult, type Target } from './run-case';
import { findJourneys } from './stateful/journeys';
import { runJourney } from './stateful/run-journey';
import type { Suite } from './suite';
import type { Values } from './values/variant';

/** What it takes to send a case and to judge the reply. */
export interface Tools {
  readonly oracle: Oracle;
  readonly values: Values;
  readonly target: Target;
}

export interface RunOptions {
  readonly random: RandomOptions;
  readonly isWanted: (name: CaseClass) => boolean;
}

/** Everything, one after the other: the derived cases, the random layer, and what is created and read again. */
export async function* runSuite(
  suite: Suite,
  target: Target,
  { random, isWanted }: RunOptions,
): AsyncGenerator<CaseResult> {
  const { model, values, cases, coverage, oracleFor } = suite;
  const tools = { oracle: oracleFor(target.secrets), values, target };
  for (const one of cases.filter((each) => isWanted(each.class) && isPossible(target, each))) {
    const result = await runCase(tools.oracle, target, one);
    coverage.record(result);
    yield result;
  }
  for (const operation of isWanted('random') ? model.operations : []) {
    if (operation.body) yield await runRandom(tools, operation, operation.body, random);
  }
  for (const journey of isWanted('stateful') ? findJourneys(model) : []) yield* await runJourney(tools, journey);
}
