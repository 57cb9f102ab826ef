import type { Case } from './case';
import type { Operation } from './contract/model';
import { includes } from './level';
import { findings } from './oracle/checks';
import { runRandom, type RandomOptions } from './random/run-random';
import { isPossible, runCase, type CaseResult, type Target } from './run-case';
import { findJourneys } from './stateful/journeys';
import { runJourney } from './stateful/run-journey';
import type { Suite } from './suite';

/** What is known of a case before it is made. */
export type Kind = Pick<Case, 'class' | 'expect'> & { readonly operation: Operation };

/** Which cases are sent. */
export interface RunOptions {
  readonly random: RandomOptions;
  readonly isWanted: (kind: Kind) => boolean;
}

/**
 * The derived cases that are sent to a target.
 *
 * @example chooseCases(suite, target, { isWanted: ({ class: name }) => name === 'positive' })
 */
export function chooseCases(
  { model, cases }: Suite,
  target: Target,
  { isWanted }: Pick<RunOptions, 'isWanted'>,
): Case[] {
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  return cases.filter((one) => {
    const operation = operations.get(one.operation);
    return operation !== undefined && isPossible(target, one) && isWanted({ ...one, operation });
  });
}

/**
 * Everything, one after the other: the derived cases, the random layer, and what is created and read again.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { model, values, coverage, oracleFor } = suite;
  const { random, isWanted } = options;
  const tools = { oracle: oracleFor(target.secrets), values, target };
  const successes = new Map<string, CaseResult | undefined>();
  for (const one of chooseCases(suite, target, options)) {
    const result = await runCase(tools.oracle, target, one);
    coverage.record(result);
    if (one.expect === 'accepted' && successes.get(one.operation) !== undefined) {
      if (isSuccess(result)) successes.set(one.operation, undefined);
    } else if (one.expect === 'accepted' && !successes.has(one.operation)) {
      successes.set(one.operation, isSuccess(result) ? undefined : result);
    }
    yield result;
  }
  // A 404 or a 409 may be right for each of them, but not for all.
  for (const result of successes.values()) {
    if (result) yield { ...result, findings: [...result.findings, ...findings('right refused', [NOBODY])] };
  }
  for (const operation of model.operations) {
    for (const content of operation.body?.contents ?? []) {
      const isMade = content.kind === 'json' && isWanted({ operation, class: 'random', expect: 'accepted' });
      if (isMade) yield await runRandom(tools, operation, content, random);
    }
  }
  for (const journey of findJourneys(model)) {
    if (
      includes(suite.level, 'strict') &&
      isWanted({ operation: journey.create, class: 'stateful', expect: 'accepted' })
    )
      yield* await runJourney(tools, journey);
  }
}

const NOBODY = 'no request to this operation had success';

function isSuccess({ replies }: CaseResult): boolean {
  return replies.some(({ status }) => status < 300);
}
