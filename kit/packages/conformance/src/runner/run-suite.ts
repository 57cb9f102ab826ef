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

/** Which cases are sent. */
export interface RunOptions {
  readonly isWanted: (kind: CaseKind) => boolean;
  /** How many cases are in flight at once; one by default. */
  readonly workers?: number;
}

/**
 * Returns the derived cases that are wanted, and whose situation the target has.
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
    // If the id can be known, a case that may change something is sent only to what the run has created.
    const isAboutId = operation.parameters.some(
      (parameter) => parameter.in === 'path' && parameter.pointer === testCase.pointer,
    );
    const isOnCreatedResource = operation.path.includes('{') && isLinked(links, operation) && !isAboutId;
    return isWanted({ ...testCase, operation, isOnCreatedResource });
  });
}

/**
 * Runs the derived cases, and stateful scenarios that create, read, change and delete things. The order does not depend
 * on the number of workers. A valid request is sent as a control before the cases of an operation, and now and then
 * after them; an operation that accepts none has a finding. `findUnproven` says which results prove nothing.
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
  const prepared = await prepareRun(suite, target, { isWanted: isStateful, isControlled });
  const bases = new Bases(prepared);
  const log = new ControlLog(suite.model, target);
  const cases = chooseCases(suite, target, options);
  const judgeLength = createLengthJudge();
  const runJobs = async function* (jobs: readonly Job[]): AsyncGenerator<CaseResult> {
    for await (const results of mapInOrder(jobs, workers, (job) => job()))
      for (const result of results) {
        suite.coverage.record(result);
        yield judgeLength(log.note(result));
      }
  };
  yield* runJobs(planJobs(suite.model, cases, bases));
  // These requests found or created what the cases needed.
  yield* prepared.instances.takeResults().filter(({ findings }) => findings.length > 0);
  yield* runStateful(suite, target, {}, prepared);
  if (includes(suite.level, 'robust')) yield* checkDefaults(prepared, bases);
  yield* runJobs(bases.controlled().map((operation) => () => bases.repeat(operation)));
}

/**
 * Finds strings that are refused only because they have more UTF-16 units than maxLength. If a rule of the service were
 * the reason, it would also refuse the ASCII string with as many characters, which is sent first.
 */
function createLengthJudge(): (result: CaseResult) => CaseResult {
  const accepted = new Set<string>();
  return (result) => {
    const { case: testCase, findings, replies } = result;
    const { operation, pointer, keyword, label, expect } = testCase;
    const key = `${operation}\n${pointer}\n${label.replace(ASTRAL_MAX_LENGTH, 'maxLength')}`;
    if (keyword !== 'maxLength' || expect !== 'accepted') return result;
    const isAccepted = replies.some(({ status }) => status < 300);
    if (isAccepted) accepted.add(key);
    // Other refusals, such as 409, depend on the state.
    const isRefused = replies.some(({ status }) => status === 400 || status === 422);
    const isWrong = isRefused && findings.length === 0 && label.includes(ASTRAL_MAX_LENGTH) && accepted.has(key);
    return isWrong ? { ...result, findings: toFindings('valid-refused', [UNITS_COUNTED]) } : result;
  };
}

const UNITS_COUNTED = 'the server counts UTF-16 units or bytes and not characters: it accepts as many in ASCII';
