// Runs the cases of a suite.
import type { Case } from './case';
import { operationOf, type Operation } from './contract/model';
import { toFindings } from './oracle/checks';
import { isLimited } from './patience';
import { inOrder } from './pool';
import { runRandom, type RandomOptions } from './random/run-random';
import { isPossible, runCase, type CaseResult, type Target } from './run-case';
import { sampleCases, type Sample } from './sample';
import { runStateful } from './stateful/run-stateful';
import type { Suite } from './suite';

/** What decides whether a case is wanted. */
export type Kind = Pick<Case, 'class' | 'expect'> & {
  readonly operation: Operation;
  /** Whether it is about something that this run created. */
  readonly isMade?: boolean;
};

/** Which cases are sent. */
export interface RunOptions {
  readonly random: RandomOptions;
  readonly isWanted: (kind: Kind) => boolean;
  /** About how many cases of each operation; all by default. */
  readonly sample?: Sample | undefined;
  /** How many cases are under way at once; one by default. */
  readonly workers?: number;
}

/**
 * Chooses the derived cases that are sent to a target.
 *
 * @example chooseCases(suite, target, { isWanted: ({ class: name }) => name === 'positive' })
 */
export function chooseCases(
  { model, cases }: Suite,
  target: Target,
  { isWanted, sample }: Pick<RunOptions, 'isWanted' | 'sample'>,
): Case[] {
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  const wanted = cases.filter((testCase) => {
    const operation = operations.get(testCase.operation);
    return operation !== undefined && isPossible(target, testCase) && isWanted({ ...testCase, operation });
  });
  return sample ? sampleCases(wanted, sample) : wanted;
}

/**
 * Runs everything: the derived cases, random bodies, and the stateful journeys. The order of the results does not
 * depend on the number of workers.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { model, values, coverage, oracleFor } = suite;
  const { random, isWanted, sample } = options;
  const tools = { oracle: oracleFor(target.secrets), values, target };
  const workers = isStoreWatched(target) ? 1 : (options.workers ?? 1);
  const run = (testCase: Case): Promise<CaseResult> => runCase(tools.oracle, target, testCase);
  const chosen = chooseCases(suite, target, options);
  const single = chosen.filter(({ times }) => times === undefined);
  // Cases that are sent several times compare their replies, so no other case may run meanwhile.
  const repeated = chosen.filter(({ times }) => times !== undefined);
  const successes = trackSuccesses(suite, target);
  for (const [cases, width] of [[single, workers] as const, [repeated, 1] as const]) {
    for await (const result of inOrder(cases, width, run)) {
      coverage.record(result);
      successes.note(result, false);
      yield result;
    }
  }
  const contents = model.operations.flatMap((operation) =>
    isWanted({ operation, class: 'random', expect: 'accepted' })
      ? (operation.body?.contents ?? []).map((content) => ({ operation, content }))
      : [],
  );
  const written = contents.filter(({ content: { kind } }) => kind === 'json');
  yield* inOrder(written, workers, ({ operation, content }) => runRandom(tools, operation, content, random));
  const isStateful = (operation: Operation): boolean =>
    isWanted({ operation, class: 'stateful', expect: 'accepted', isMade: true });
  for await (const result of runStateful(suite, target, { isWanted: isStateful, sample, workers })) {
    successes.note(result, true);
    yield result;
  }
  yield* successes.missing();
}

// If the suite can look into the store after each case, cases must not run at once.
function isStoreWatched({ keeps, version, received, count }: Target): boolean {
  return [keeps, version, received, count].some((watch) => watch !== undefined);
}

/** Tracks whether a valid request of each operation succeeded. */
interface Successes {
  /** @param isMade whether the request is about an existing thing */
  readonly note: (result: CaseResult, isMade: boolean) => void;
  readonly missing: () => CaseResult[];
}

function trackSuccesses({ model }: Suite, target: Target): Successes {
  const first = new Map<string, CaseResult | undefined>();
  return {
    note(result, isMade) {
      const { expect, request } = result.case;
      const operation = operationOf(model, result.case);
      if (expect !== 'accepted' || request.obstacle || target.unbuilt?.has(operation.id) === true) return;
      if (isSuccess(result)) first.set(operation.id, undefined);
      else if (!first.has(operation.id) && !mayDependOnState(operation, result, isMade))
        first.set(operation.id, result);
    },
    // A 404 or 409 may be right for a single request, but not for all of them.
    missing: () =>
      [...first.values()]
        .filter((result) => result !== undefined)
        .filter(({ replies }) => !isLimited(target, replies))
        .map((result) => ({ ...result, findings: [...result.findings, ...toFindings('right refused', [NOBODY])] })),
  };
}

// Whether a refusal may always be right: a guessed id does not exist, the entity tag is unknown, or the state
// conflicts.
function mayDependOnState({ method, path }: Operation, { replies }: CaseResult, isMade: boolean): boolean {
  if (!path.includes('{')) return false;
  const states = [...(isMade ? [] : [404, 410]), ...(method === 'POST' ? [409] : []), 412, 428];
  return replies.some(({ status }) => states.includes(status));
}

const NOBODY = 'no request to this operation had success';

function isSuccess({ replies }: CaseResult): boolean {
  return replies.some(({ status }) => status < 300);
}
