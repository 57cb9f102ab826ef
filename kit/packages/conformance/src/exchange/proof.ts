// Finds the cases that passed without proving anything.
import { isHarmless, type Case } from '../generators/case';
import { findReply, operationOf, type Model, type Operation } from '../contract/model';
import { isEntityTag } from '../contract/paging';
import { isLimited, type Target } from './exchange';
import type { WireReply } from '../wire/reply';
import { requestContentOf } from '../oracle/body';
import type { CaseResult } from '../oracle/checks';
import { isSuccess } from '../oracle/judge';

/** The reason that the user has chosen, so that it does not change the status of the command. */
export const NEEDS_DESTRUCTIVE = 'a valid request may change what the run has not created: it needs --destructive';
export const limited = (method: string): string => `the server kept answering 429 to ${method}: try a lower --rate`;

/** A case without findings that nevertheless does not show that the server keeps the contract, and why. */
export interface Unproven {
  readonly result: CaseResult;
  /** Such as `the server accepts no valid request (503)`; many operations may have the same. */
  readonly reason: string;
}

/** What the requests of a run have shown of an operation, or of one media type of its body. */
interface Shown {
  /** The index of the last valid request that was accepted. */
  lastAccepted: number;
  /** The index of the first control after it that was not accepted. */
  lostAt: number;
  /** Whether valid credentials were enough to get past them. */
  isAuthenticated: boolean;
  /** Whether controls were sent: then only they count, since other valid requests differ from the default one. */
  hasControls: boolean;
  readonly statuses: Set<number>;
}

/**
 * The cases of a run that passed without proof. A refusal proves something only beside a valid request that was accepted,
 * and a valid request only if it is accepted itself.
 *
 * @param results all results of the run, in their order
 * @example for (const { result, reason } of findUnproven(suite, target, results)) console.log(titleOf(result.case), reason)
 */
export function findUnproven(
  { model }: { readonly model: Model },
  target: Target,
  results: readonly CaseResult[],
): Unproven[] {
  const shown = collectShown(model, target, results);
  return results.flatMap((result, index) => {
    const reason = result.findings.length > 0 ? undefined : reasonOf(model, target, { result, index, shown });
    return reason === undefined ? [] : [{ result, reason }];
  });
}

/** The reply that shows that a valid request was accepted: a success, or that an operation without a handler is reached. */
export function findSuccess(
  operation: Operation,
  { unbuilt }: Pick<Target, 'unbuilt'>,
  result: CaseResult,
): WireReply | undefined {
  if (result.case.expect !== 'accepted') return undefined;
  const isBuilt = unbuilt?.has(operation.id) !== true;
  return result.replies.find(({ status }) =>
    isBuilt ? isSuccess(operation, status) : status === 501 || status === 503,
  );
}

function collectShown(model: Model, target: Target, results: readonly CaseResult[]): Map<string, Shown> {
  const shown = new Map<string, Shown>();
  for (const [index, result] of results.entries()) {
    if (result.case.expect !== 'accepted') continue;
    const operation = operationOf(model, result.case);
    const statuses = result.replies.map(({ status }) => status);
    for (const key of [keyOf(operation, result.case), operation.path]) {
      const own = shown.get(key) ?? {
        lastAccepted: -1,
        lostAt: Infinity,
        isAuthenticated: false,
        hasControls: false,
        statuses: new Set(),
      };
      shown.set(key, own);
      for (const status of statuses) own.statuses.add(status);
      const isControl = result.case.class === 'control';
      own.hasControls ||= isControl;
      own.isAuthenticated ||= statuses.some((status) => ![401, 403, 429].includes(status) && status < 500);
      if (findSuccess(operation, target, result)) {
        if (isControl || !own.hasControls) Object.assign(own, { lastAccepted: index, lostAt: Infinity });
      } else if (isControl) own.lostAt = Math.min(own.lostAt, index);
    }
  }
  return shown;
}

function keyOf(operation: Operation, testCase: Case): string {
  return `${operation.id}\n${requestContentOf(operation, testCase)?.mediaType ?? ''}`;
}

// Failures of the server itself that a test caused.
const MAY_FAIL = new Set(['failed', 'unavailable', 'not built']);
// What HTTP itself leaves open needs no other request as a proof.
const SELF_EVIDENT = new Set(['answered', ...MAY_FAIL]);
const OF_CREDENTIALS = new Set(['no credentials', 'wrong credentials', 'insufficient scope']);

function reasonOf(
  model: Model,
  target: Target,
  { result, index, shown }: { result: CaseResult; index: number; shown: ReadonlyMap<string, Shown> },
): string | undefined {
  const { case: testCase, replies, unproven } = result;
  if (unproven !== undefined) return unproven;
  if (isLimited(target, replies)) return limited(testCase.request.method);
  const { expect, implementationDefined, class: caseClass } = testCase;
  const operation = operationOf(model, testCase);
  const statuses = [...new Set(result.replies.map(({ status }) => status))];
  // Scenarios judge each of their steps by what went before.
  if (caseClass === 'stateful' || findSuccess(operation, target, result)) return undefined;
  if (statuses.includes(503) && !MAY_FAIL.has(expect)) return 'the server answers 503, which is not about the request';
  if (implementationDefined !== undefined || SELF_EVIDENT.has(expect)) return undefined;
  // What HTTP itself demands is proven by any valid request to the path.
  const isOfPath = expect === 'unknown path' || expect === 'unknown method';
  const own = shown.get(isOfPath ? operation.path : keyOf(operation, testCase));
  const isControlled = own !== undefined && own.lastAccepted >= 0;
  const isProven = isOfPath || statuses.some((status) => isAboutTested(operation, testCase, status));
  if ((isControlled && isProven) || (expect === 'unknown method' && statuses.includes(405))) return undefined;
  if (expect === 'accepted' && replies.length > 0)
    return `the server answers ${statuses.join(' and ') || 'nothing'} to valid requests`;
  const isLeftOut = !isHarmless(operation) && !operation.path.includes('{');
  if (own === undefined && isLeftOut) return NEEDS_DESTRUCTIVE;
  if (own === undefined || own.statuses.size === 0) return 'no valid request was sent, or none had a reply';
  if (OF_CREDENTIALS.has(expect) && own.isAuthenticated) return undefined;
  if (!isControlled) return `the server accepts no valid request (${[...own.statuses].join(', ')})`;
  return index > own.lastAccepted && own.lostAt < Infinity
    ? 'the server no longer accepts the valid request that it accepted before'
    : undefined;
}

// An id that does not exist, an entity tag of another representation and a value that is taken are valid, but the operation
// cannot succeed.
function isAboutTested(operation: Operation, { pointer, keyword }: Case, status: number): boolean {
  const parameter = operation.parameters.find((each) => each.pointer === pointer);
  if (findReply(operation, status) === undefined) return false;
  if (!parameter) return status === 409 && keyword !== undefined;
  return [404, 410].includes(status)
    ? parameter.in === 'path'
    : [412, 428].includes(status) && (parameter.in === 'path' || isEntityTag(parameter));
}
