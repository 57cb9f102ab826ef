import { levelOf, type Case } from './case';
import type { Operation } from './contract/model';
import { includes } from './level';
import { findings } from './oracle/checks';
import { isLimited } from './patience';
import { inOrder } from './pool';
import { runRandom, type RandomOptions } from './random/run-random';
import { isPossible, runCase, type CaseResult, type Target } from './run-case';
import { sampleCases, type Sample } from './sample';
import { findJourneys } from './stateful/journeys';
import { runJourney } from './stateful/run-journey';
import type { Suite } from './suite';

/** What is known of a case before it is made. */
export type Kind = Pick<Case, 'class' | 'expect'> & { readonly operation: Operation };

/** Which cases are sent. */
export interface RunOptions {
  readonly random: RandomOptions;
  readonly isWanted: (kind: Kind) => boolean;
  /** About how many cases of an operation, if not all. */
  readonly sample?: Sample | undefined;
  /** How many cases are under way at once, one unless it is set. */
  readonly workers?: number;
}

/**
 * The derived cases that are sent to a target.
 *
 * @example chooseCases(suite, target, { isWanted: ({ class: name }) => name === 'positive' })
 */
export function chooseCases(
  { model, cases }: Suite,
  target: Target,
  { isWanted, sample }: Pick<RunOptions, 'isWanted' | 'sample'>,
): Case[] {
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  const wanted = cases.filter((one) => {
    const operation = operations.get(one.operation);
    return operation !== undefined && isPossible(target, one) && isWanted({ ...one, operation });
  });
  return sample ? sampleCases(wanted, sample) : wanted;
}

/**
 * Everything: the derived cases, the random layer, and what is created and read again. The results come in the same
 * order, however many cases are under way at once.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { model, values, coverage, oracleFor } = suite;
  const { random, isWanted } = options;
  const tools = { oracle: oracleFor(target.secrets), values, target };
  const workers = isWatched(target) ? 1 : (options.workers ?? 1);
  const run = (one: Case): Promise<CaseResult> => runCase(tools.oracle, target, one);
  const chosen = chooseCases(suite, target, options);
  const single = chosen.filter(({ times }) => times === undefined);
  // What is sent several times at once is compared with itself: nothing else is to change the replies meanwhile.
  const repeated = chosen.filter(({ times }) => times !== undefined);
  const successes = new Map<string, CaseResult | undefined>();
  for (const [cases, width] of [[single, workers] as const, [repeated, 1] as const]) {
    for await (const result of inOrder(cases, width, run)) {
      const { operation, expect } = result.case;
      coverage.record(result);
      if (expect === 'accepted' && (isSuccess(result) || !successes.has(operation)))
        successes.set(operation, isSuccess(result) ? undefined : result);
      yield result;
    }
  }
  // A 404 or a 409 may be right for each of them, but not for all.
  for (const result of successes.values()) {
    if (result && !isLimited(target, result.replies))
      yield { ...result, findings: [...result.findings, ...findings('right refused', [NOBODY])] };
  }
  const contents = model.operations.flatMap((operation) =>
    isWanted({ operation, class: 'random', expect: 'accepted' })
      ? (operation.body?.contents ?? []).map((content) => ({ operation, content }))
      : [],
  );
  const written = contents.filter(({ content: { kind } }) => kind === 'json');
  yield* inOrder(written, workers, ({ operation, content }) => runRandom(tools, operation, content, random));
  for (const journey of findJourneys(model)) {
    const isChosen = isWanted({ operation: journey.create, class: 'stateful', expect: 'accepted' });
    if (isChosen && includes(suite.level, levelOf({ class: 'stateful' }))) yield* await runJourney(tools, journey);
  }
}

// What is behind the server is seen after each case, and would show the traces of others.
function isWatched({ keeps, version, received, count }: Target): boolean {
  return [keeps, version, received, count].some((watch) => watch !== undefined);
}

const NOBODY = 'no request to this operation had success';

function isSuccess({ replies }: CaseResult): boolean {
  return replies.some(({ status }) => status < 300);
}
