import type { Case, CaseKind } from '../generators/case';
import type { Operation } from '../contract/model';
import { type CaseResult, toFindings } from '../oracle/checks';
import type { Target } from '../exchange/exchange';
import { mapInOrder } from '../exchange/pool';
import { isPossible } from '../exchange/run-case';
import { Bases } from '../stateful/bases';
import { checkDefaults } from '../stateful/check-defaults';
import { findLinks, isLinked } from '../stateful/links';
import { prepareRun, runStateful } from '../stateful/run-stateful';
import type { Suite } from '../suite';
import { ASTRAL_MAX_LENGTH } from '../values/strings';
import { includes } from '../contract/standards';
import { ControlLog, planJobs, type Job } from './controls';

/** Which cases are sent, and how many at a time. */
export interface RunOptions {
  readonly isWanted: (kind: CaseKind) => boolean;
  /** Number of cases in flight at a time; one by default. */
  readonly workers?: number;
}

/**
 * Returns the derived cases that `isWanted` selects and that the target's situations allow.
 *
 * @example chooseCases(suite, target, { isWanted: ({ class: name }) => name === 'positive' })
 */
export function chooseCases(
  { model, cases }: Suite,
  target: Target,
  { isWanted }: Pick<RunOptions, 'isWanted'>,
): Case[] {
  const links = findLinks(model);
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  return cases.filter((testCase) => {
    const operation = operations.get(testCase.operation);
    if (operation === undefined || !isPossible(target, testCase)) return false;
    // A case that tests the id itself cannot use the id of a created resource.
    const testsPathParameter = operation.parameters.some(
      (parameter) => parameter.in === 'path' && parameter.pointer === testCase.pointer,
    );
    const isOnCreatedResource = operation.path.includes('{') && isLinked(links, operation) && !testsPathParameter;
    return isWanted({ ...testCase, operation, isOnCreatedResource });
  });
}

/**
 * Runs the derived cases, and then stateful scenarios, which create, read, change and delete resources. The order of
 * the results does not depend on the number of workers. Valid requests are sent first and repeated now and then, as
 * controls. `findUnproven` finds the results that prove nothing.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { isWanted } = options;
  const workers = target.watch ? 1 : (options.workers ?? 1);
  const isStateful = (operation: Operation): boolean =>
    isWanted({ operation, class: 'stateful', expect: 'accepted', isOnCreatedResource: true });
  const isControlled = (operation: Operation): boolean =>
    isWanted({ operation, class: 'control', expect: 'accepted', isOnCreatedResource: true });
  const preparedRun = await prepareRun(suite, target, { isWanted: isStateful, isControlled });
  const bases = new Bases(preparedRun);
  const log = new ControlLog(suite.model, target);
  const cases = chooseCases(suite, target, options);
  const judgeLength = createLengthJudge();
  const runJobs = async function* (jobs: readonly Job[]): AsyncGenerator<CaseResult> {
    for await (const results of mapInOrder(jobs, workers, (job) => job()))
      for (const result of results) {
        suite.coverage.record(result);
        yield judgeLength(log.record(result));
      }
  };
  yield* runJobs(planJobs(suite.model, cases, bases));
  // These requests found or created the resources that the cases needed.
  yield* preparedRun.instances.takeResults().filter(({ findings }) => findings.length > 0);
  yield* runStateful(suite, target, {}, preparedRun);
  if (includes(suite.level, 'robust')) yield* checkDefaults(preparedRun, bases);
  yield* runJobs(bases.controlled().map((operation) => () => bases.repeat(operation)));
}

/**
 * Finds strings that are refused because the server counts UTF-16 units for maxLength. The ASCII string with as many
 * characters is sent first: if the server accepts that one, no other rule can be the reason.
 */
function createLengthJudge(): (result: CaseResult) => CaseResult {
  const acceptedKeys = new Set<string>();
  return (result) => {
    const { case: testCase, findings, replies } = result;
    const { operation, pointer, keyword, label, expect } = testCase;
    const key = `${operation}\n${pointer}\n${label.replace(ASTRAL_MAX_LENGTH, 'maxLength')}`;
    if (keyword !== 'maxLength' || expect !== 'accepted') return result;
    const isAccepted = replies.some(({ status }) => status < 300);
    if (isAccepted) acceptedKeys.add(key);
    // Other refusals, such as 409, can depend on the state.
    const isRefused = replies.some(({ status }) => status === 400 || status === 422);
    const isWrong = isRefused && findings.length === 0 && label.includes(ASTRAL_MAX_LENGTH) && acceptedKeys.has(key);
    return isWrong ? { ...result, findings: toFindings('valid-refused', [UTF16_COUNT_MESSAGE]) } : result;
  };
}

const UTF16_COUNT_MESSAGE = 'the server counts UTF-16 units or bytes and not characters: it accepts as many in ASCII';
