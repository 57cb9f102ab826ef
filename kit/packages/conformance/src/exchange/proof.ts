// Finds cases that passed without proving anything.
import { isHarmless, type Case } from '../generators/case';
import { findReply, operationOf, type Model, type Operation } from '../contract/model';
import { isEntityTag } from '../contract/paging';
import { isLimited, type Target } from './exchange';
import type { WireReply } from '../wire/reply';
import { requestContentOf } from '../oracle/body';
import type { CaseResult } from '../oracle/checks';
import { isSuccess } from '../oracle/judge';

/** A reason that the user has chosen, so it does not change the command's exit status. */
export const NEEDS_DESTRUCTIVE = 'a valid request may change what the run has not created: it needs --destructive';
export const describeRateLimit = (method: string): string =>
  `the server kept answering 429 to ${method}: try a lower --rate`;

/** A case that has no findings but does not show that the server keeps the contract, and why. */
export interface Unproven {
  readonly result: CaseResult;
  /** Such as `the server accepts no valid request (503)`; many operations may have the same reason. */
  readonly reason: string;
}

/** What a run has shown about an operation, or about one media type of its body. */
interface Evidence {
  lastAccepted: number;
  /** The index of the first control after it that was not accepted. */
  lostIndex: number;
  /** Whether a reply shows that the credentials were accepted. */
  isAuthenticated: boolean;
  /** Once controls are sent, only they count, since other valid requests differ from the default one. */
  hasControls: boolean;
  readonly statuses: Set<number>;
}

/**
 * Finds cases that passed without proof. A refusal proves something only if a valid request was accepted too, and
 * a valid request only if it is accepted itself. `results` are all results of the run, in order.
 *
 * @example for (const { result, reason } of findUnproven(suite, target, results)) console.log(titleOf(result.case),
 * reason)
 */
export function findUnproven(
  { model }: { readonly model: Model },
  target: Target,
  results: readonly CaseResult[],
): Unproven[] {
  const evidenceByKey = collectEvidence(model, target, results);
  return results.flatMap((result, index) => {
    const reason = result.findings.length > 0 ? undefined : reasonOf(model, target, { result, index, evidenceByKey });
    return reason === undefined ? [] : [{ result, reason }];
  });
}

/** Finds the reply to a valid request that succeeded, or that reached an operation without a handler. */
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

function collectEvidence(model: Model, target: Target, results: readonly CaseResult[]): Map<string, Evidence> {
  const evidenceByKey = new Map<string, Evidence>();
  for (const [index, result] of results.entries()) {
    if (result.case.expect !== 'accepted') continue;
    const operation = operationOf(model, result.case);
    const statuses = result.replies.map(({ status }) => status);
    for (const key of [keyOf(operation, result.case), operation.path]) {
      const evidence = evidenceByKey.get(key) ?? {
        lastAccepted: -1,
        lostIndex: Infinity,
        isAuthenticated: false,
        hasControls: false,
        statuses: new Set(),
      };
      evidenceByKey.set(key, evidence);
      for (const status of statuses) evidence.statuses.add(status);
      const isControl = result.case.class === 'control';
      evidence.hasControls ||= isControl;
      evidence.isAuthenticated ||= statuses.some((status) => ![401, 403, 429].includes(status) && status < 500);
      if (findSuccess(operation, target, result)) {
        if (isControl || !evidence.hasControls) Object.assign(evidence, { lastAccepted: index, lostIndex: Infinity });
      } else if (isControl) evidence.lostIndex = Math.min(evidence.lostIndex, index);
    }
  }
  return evidenceByKey;
}

function keyOf(operation: Operation, testCase: Case): string {
  return `${operation.id}\n${requestContentOf(operation, testCase)?.mediaType ?? ''}`;
}

const MAY_FAIL = new Set(['failed', 'unavailable', 'not built']);
// HTTP leaves these open, so they need no other request as a proof.
const SELF_EVIDENT = new Set(['answered', ...MAY_FAIL]);
const ABOUT_CREDENTIALS = new Set(['no credentials', 'wrong credentials', 'insufficient scope']);

function reasonOf(
  model: Model,
  target: Target,
  { result, index, evidenceByKey }: { result: CaseResult; index: number; evidenceByKey: ReadonlyMap<string, Evidence> },
): string | undefined {
  const { case: testCase, replies, unproven } = result;
  if (unproven !== undefined) return unproven;
  if (isLimited(target, replies)) return describeRateLimit(testCase.request.method);
  const { expect, implementationDefined, class: caseClass } = testCase;
  const operation = operationOf(model, testCase);
  const statuses = [...new Set(result.replies.map(({ status }) => status))];
  // Scenarios check each step against the steps before it.
  if (caseClass === 'stateful' || findSuccess(operation, target, result)) return undefined;
  if (statuses.includes(503) && !MAY_FAIL.has(expect)) return 'the server answers 503, which is not about the request';
  if (implementationDefined !== undefined || SELF_EVIDENT.has(expect)) return undefined;
  // Any valid request to the path proves what HTTP itself demands.
  const isOfPath = expect === 'unknown path' || expect === 'unknown method';
  const evidence = evidenceByKey.get(isOfPath ? operation.path : keyOf(operation, testCase));
  const isControlled = evidence !== undefined && evidence.lastAccepted >= 0;
  const isProven = isOfPath || statuses.some((status) => isAboutTested(operation, testCase, status));
  if ((isControlled && isProven) || (expect === 'unknown method' && statuses.includes(405))) return undefined;
  if (expect === 'accepted' && replies.length > 0)
    return `the server answers ${statuses.join(' and ') || 'nothing'} to valid requests`;
  const isLeftOut = !isHarmless(operation) && !operation.path.includes('{');
  if (evidence === undefined && isLeftOut) return NEEDS_DESTRUCTIVE;
  if (evidence === undefined || evidence.statuses.size === 0) return 'no valid request was sent, or none had a reply';
  if (ABOUT_CREDENTIALS.has(expect) && evidence.isAuthenticated) return undefined;
  if (!isControlled) return `the server accepts no valid request (${[...evidence.statuses].join(', ')})`;
  return index > evidence.lastAccepted && evidence.lostIndex < Infinity
    ? 'the server no longer accepts the valid request that it accepted before'
    : undefined;
}

// A valid request cannot succeed with an unknown id, another entity tag, or a value that is taken.
function isAboutTested(operation: Operation, { pointer, keyword }: Case, status: number): boolean {
  const parameter = operation.parameters.find((candidate) => candidate.pointer === pointer);
  if (findReply(operation, status) === undefined) return false;
  if (!parameter) return status === 409 && keyword !== undefined;
  return [404, 410].includes(status)
    ? parameter.in === 'path'
    : [412, 428].includes(status) && (parameter.in === 'path' || isEntityTag(parameter));
}
