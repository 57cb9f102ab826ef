import { isHarmless, type Case } from '../generators/case';
import { findReply, operationOf, type Model, type Operation } from '../contract/model';
import { isEntityTag } from '../contract/paging';
import { isLimited, type Target } from './exchange';
import type { WireReply } from '../wire/reply';
import { requestContentOf } from '../oracle/body';
import type { CaseResult } from '../oracle/checks';
import { isSuccess } from '../oracle/judge';

/** This reason does not change the exit status of the command, because the user chose to omit --destructive. */
export const NEEDS_DESTRUCTIVE = 'a valid request may change what the run has not created: it needs --destructive';
export const describeRateLimit = (method: string): string =>
  `the server kept answering 429 to ${method}: try a lower --rate`;

/** A case that has no findings, but does not show that the server keeps the contract. */
export interface Unproven {
  readonly result: CaseResult;
  /** Such as `the server accepts no valid request (503)`. */
  readonly reason: string;
}

/** What a run has shown about an operation with one media type, or about a path. */
interface Evidence {
  lastAccepted: number;
  /** The index of the first control after `lastAccepted` that was not accepted. */
  refusedAt: number;
  isAuthenticated: boolean;
  /** Whether controls were sent. If so, other valid requests do not count, as they differ from the default request. */
  hasControls: boolean;
  readonly statuses: Set<number>;
}

/**
 * Finds cases that passed without proving anything. A refusal proves something only if the server also accepted a valid
 * request. A valid request proves something only if it was accepted.
 *
 * @param results all results of the run, in order
 * @example for (const { reason } of findUnproven(suite, target, results)) console.log(reason)
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

/** Finds the reply that completes a valid request. If the operation has no handler, that is a 501 or 503. */
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
        refusedAt: Infinity,
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
        if (isControl || !evidence.hasControls)
          Object.assign(evidence, { lastAccepted: index, firstRefusalIndex: Infinity });
      } else if (isControl) evidence.refusedAt = Math.min(evidence.refusedAt, index);
    }
  }
  return evidenceByKey;
}

function keyOf(operation: Operation, testCase: Case): string {
  return `${operation.id}\n${requestContentOf(operation, testCase)?.mediaType ?? ''}`;
}

const FAILURE_EXPECTATIONS = new Set(['failed', 'unavailable', 'not built']);
// Expectations that do not depend on whether the server accepts valid requests.
const INDEPENDENT_EXPECTATIONS = new Set(['answered', ...FAILURE_EXPECTATIONS]);
const CREDENTIAL_EXPECTATIONS = new Set(['no credentials', 'wrong credentials', 'insufficient scope']);

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
  // Stateful scenarios check each step against the steps before it.
  if (caseClass === 'stateful' || findSuccess(operation, target, result)) return undefined;
  if (statuses.includes(503) && !FAILURE_EXPECTATIONS.has(expect))
    return 'the server answers 503, which is not about the request';
  if (implementationDefined !== undefined || INDEPENDENT_EXPECTATIONS.has(expect)) return undefined;
  // To prove a refusal of an unknown path or method, any valid request to the path is enough.
  const isAboutPath = expect === 'unknown path' || expect === 'unknown method';
  const evidence = evidenceByKey.get(isAboutPath ? operation.path : keyOf(operation, testCase));
  const wasAccepted = evidence !== undefined && evidence.lastAccepted >= 0;
  const isRelevant = isAboutPath || statuses.some((status) => isRefusalOfTestedPart(operation, testCase, status));
  if ((wasAccepted && isRelevant) || (expect === 'unknown method' && statuses.includes(405))) return undefined;
  if (expect === 'accepted' && replies.length > 0)
    return `the server answers ${statuses.join(' and ') || 'nothing'} to valid requests`;
  const mayChangeOtherData = !isHarmless(operation) && !operation.path.includes('{');
  if (evidence === undefined && mayChangeOtherData) return NEEDS_DESTRUCTIVE;
  if (evidence === undefined || evidence.statuses.size === 0) return 'no valid request was sent, or none had a reply';
  if (CREDENTIAL_EXPECTATIONS.has(expect) && evidence.isAuthenticated) return undefined;
  if (!wasAccepted) return `the server accepts no valid request (${[...evidence.statuses].join(', ')})`;
  return index > evidence.lastAccepted && evidence.refusedAt < Infinity
    ? 'the server no longer accepts the valid request that it accepted before'
    : undefined;
}

// Even a valid request is refused if its id is unknown, its entity tag differs, or a value is already taken.
function isRefusalOfTestedPart(operation: Operation, { pointer, keyword }: Case, status: number): boolean {
  const parameter = operation.parameters.find((candidate) => candidate.pointer === pointer);
  if (findReply(operation, status) === undefined) return false;
  if (!parameter) return status === 409 && keyword !== undefined;
  return [404, 410].includes(status)
    ? parameter.in === 'path'
    : [412, 428].includes(status) && (parameter.in === 'path' || isEntityTag(parameter));
}
