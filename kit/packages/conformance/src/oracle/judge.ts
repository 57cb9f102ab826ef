import { levelOf, type Case, type Expectation } from '../generators/case';
import { findReply, hasPathParameter, isSafeMethod, operationOf, type Operation, type Reply } from '../contract/model';
import { includes, type Level } from '../contract/standards';
import type { WireReply } from '../wire/reply';
import { judgeBody, judgeEcho } from './body';
import { CHECKS, toFindings, type CheckName, type Finding, type Oracle } from './checks';
import { judgeHeaders } from './headers';

export const BY_DECLARED_REPLY: ReadonlySet<CheckName> = new Set([
  'content-type',
  'schema',
  'declared-header',
  'body-malformed',
]);
// Checks whose findings contain the JSON pointer of the declared reply.
const CHECKS_WITH_REPLY_POINTER: ReadonlySet<CheckName> = new Set([
  ...BY_DECLARED_REPLY,
  ...(['success-undeclared', 'write-only-returned'] as const),
]);
const ACCEPTANCE_CHECKS: ReadonlySet<CheckName> = new Set(['invalid-accepted', 'malformed-accepted', 'valid-refused']);
// The only checks that count for replies that HTTP does not define, or that may come from a proxy.
const CORE_CHECKS: ReadonlySet<CheckName> = new Set(['server-error', 'unauthorized-accepted', ...ACCEPTANCE_CHECKS]);

export function judge(oracle: Oracle, testCase: Case, reply: WireReply): Finding[] {
  const operation = operationOf(oracle.model, testCase);
  const declared = findReply(operation, reply.status);
  const acceptsAnyReply = testCase.expect === 'answered';
  const findings = [
    ...judgeStatus(operation, testCase, reply.status),
    ...(acceptsAnyReply
      ? []
      : [
          ...judgeHeaders(oracle, operation, testCase, { reply, declared }),
          ...judgeBody(oracle, testCase, reply, declared),
          ...judgeEcho(operation, testCase, reply, declared),
        ]),
  ];
  const pointer = declared?.pointer ?? `${operation.pointer}/responses`;
  return findings
    .filter(({ check }) => isCounted(oracle.level, testCase, declared, check))
    .map((finding) => (CHECKS_WITH_REPLY_POINTER.has(finding.check) ? { ...finding, pointer } : finding));
}

// Matches a percent sign that is not followed by two hexadecimal digits (RFC 3986 section 2.1).
const MALFORMED_TARGET = /%(?![\da-f]{2})/i;

function isCounted(level: Level, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (!includes(level, CHECKS[check].level)) return false;
  if (ACCEPTANCE_CHECKS.has(check) && testCase.implementationDefined !== undefined) return false;
  // A proxy or the HTTP parser may answer malformed HTTP. For such a request, and above the level `contract`, only
  // server errors and wrongly accepted or refused requests count.
  const { changeHead, target } = testCase.request;
  const isMalformedHttp =
    (changeHead !== undefined && (testCase.class === 'malformed' || testCase.class === 'fault')) ||
    MALFORMED_TARGET.test(target);
  if (levelOf(testCase) !== 'contract' || isMalformedHttp) return CORE_CHECKS.has(check);
  // A 404 or 405 for an unknown path or method is not the reply that an operation declares for that status.
  const isDeclaredReply = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isDeclaredReply || !BY_DECLARED_REPLY.has(check);
}

/** Whether the status is a success, or a declared status that depends on the state, such as 404. */
export function isAccepted(operation: Operation, status: number): boolean {
  return isSuccess(operation, status) || findStateStatuses(operation).includes(status);
}

/** Includes declared redirects such as 303. `default` does not count, because it is for errors. */
export function isSuccess(operation: Operation, status: number): boolean {
  const isDeclared = findReply(operation, status) !== operation.replies.get('default');
  return status >= 200 && (status < 300 || (status < 400 && isDeclared));
}

function judgeStatus(operation: Operation, testCase: Case, status: number): Finding[] {
  const check = checkOfStatus(operation, testCase, status);
  if (check === undefined) return [];
  return toFindings(check, [
    check === 'success-undeclared'
      ? `the contract does not declare the status ${String(status)}`
      : `the status is ${String(status)}${describeExpected(operation, testCase, status)}`,
  ]);
}

// Statuses that servers send on purpose: not implemented, unavailable, unsupported HTTP version.
const DELIBERATE_5XX = new Set([501, 503, 505]);
// Statuses that a valid request can get, depending on the state, the caller or the rate.
const POSSIBLE_FOR_VALID = new Set([403, 404, 409, 410, 412, 428, 429]);
export const ABOUT_STATE: ReadonlySet<number> = new Set([404, 409, 410, 412, 428]);
// These statuses mean that the caller, the path or the message is wrong, so they are never a rule of the service.
const MESSAGE_STATUSES = new Set([400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 429, 431]);

/** Whether a rule of the service itself may refuse a valid request, such as 422 for a claim that is too old. */
export function mayBeOwnRule(operation: Operation, status: number): boolean {
  return status >= 400 && status < 500 && !MESSAGE_STATUSES.has(status) && findReply(operation, status) !== undefined;
}

/** Whether the status may depend on which resources exist, or on their state. */
export function mayDependOnState(operation: Operation, status: number): boolean {
  return ABOUT_STATE.has(status) || mayBeOwnRule(operation, status);
}

function checkOfStatus(operation: Operation, testCase: Case, status: number): CheckName | undefined {
  const { expect, class: caseClass, request } = testCase;
  if (status >= 500) return MAY_FAIL.has(expect) || DELIBERATE_5XX.has(status) ? undefined : 'server-error';
  // RFC 9112 section 6.3: a server may require a Content-Length.
  if (status === 411 && request.framing === 'chunked') return undefined;
  if (expect === 'accepted') {
    if (isSuccess(operation, status)) return findReply(operation, status) ? undefined : 'success-undeclared';
    const isPossible = status < 400 || POSSIBLE_FOR_VALID.has(status) || mayBeOwnRule(operation, status);
    return isPossible ? undefined : 'valid-refused';
  }
  if (status >= 200 && status < 300) {
    if (expect === 'refused') return caseClass === 'malformed' ? 'malformed-accepted' : 'invalid-accepted';
    return expect in REFUSAL_STATUSES ? 'unauthorized-accepted' : undefined;
  }
  return status >= 400 && !isAllowedRefusal(operation, expect, status) ? 'refusal-status' : undefined;
}

// The status of a refusal for credentials or scopes (RFC 9110 section 11.4, RFC 6750 section 3.1).
const REFUSAL_STATUSES: Partial<Readonly<Record<Expectation, number>>> = {
  'no credentials': 401,
  'wrong credentials': 401,
  'insufficient scope': 403,
};
const MAY_FAIL: ReadonlySet<Expectation> = new Set(['failed', 'not built', 'unavailable']);

// A 404 can hide that a resource exists (RFC 9110 section 15.5.4), and a 400 can mean malformed credentials. RFC 9110
// does not define a status for API keys.
function isAllowedRefusal({ securityRequirements }: Operation, expect: Expectation, status: number): boolean {
  if (status === 404 || (status === 400 && expect === 'wrong credentials')) return true;
  const hasApiKey = securityRequirements.flat().some(({ kind }) => kind === 'apiKey');
  return hasApiKey || status === (REFUSAL_STATUSES[expect] ?? status);
}

function describeExpected(operation: Operation, { expect }: Case, status: number): string {
  if (status >= 500) return '';
  if (expect === 'refused') return ', but should be a 4xx for the invalid request';
  if (expect !== 'accepted') return `, but should be ${String(REFUSAL_STATUSES[expect] ?? 'below 500')}`;
  const ownRuleStatuses = [...operation.replies.keys()]
    .map(Number)
    .filter((candidate) => mayBeOwnRule(operation, candidate));
  const expected = ['a success', ...new Set([...findStateStatuses(operation), ...ownRuleStatuses])].join(' or ');
  const undeclaredNote = findReply(operation, status) ? '' : `, and the contract does not declare ${String(status)}`;
  return `, but should be ${expected}${undeclaredNote}`;
}

/** Returns the declared statuses that a valid request can get because of the state, such as 404 or 409. */
function findStateStatuses(operation: Operation): number[] {
  const candidates = [
    ...(hasPathParameter(operation) ? [404, 410] : []),
    ...(isSafeMethod(operation) ? [] : [409, 412, 428]),
  ];
  return candidates.filter((status) => findReply(operation, status) !== undefined);
}
