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
// Findings of these checks have the JSON pointer of the declared reply.
const POINTING_TO_REPLY: ReadonlySet<CheckName> = new Set([
  ...BY_DECLARED_REPLY,
  ...(['success-undeclared', 'write-only-returned'] as const),
]);
const OF_ACCEPTANCE: ReadonlySet<CheckName> = new Set(['invalid-accepted', 'malformed-accepted', 'valid-refused']);
// The only checks that count when HTTP leaves the answer open, or when a proxy may give it.
const COUNTED_ANYWHERE: ReadonlySet<CheckName> = new Set(['server-error', 'unauthorized-accepted', ...OF_ACCEPTANCE]);

export function judge(oracle: Oracle, testCase: Case, reply: WireReply): Finding[] {
  const operation = operationOf(oracle.model, testCase);
  const declared = findReply(operation, reply.status);
  const isAnyAnswerRight = testCase.expect === 'answered';
  const findings = [
    ...judgeStatus(operation, testCase, reply.status),
    ...(isAnyAnswerRight
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
    .map((finding) => (POINTING_TO_REPLY.has(finding.check) ? { ...finding, pointer } : finding));
}

// RFC 3986 section 2.1: the percent sign begins an encoding.
const MALFORMED_TARGET = /%(?![\da-f]{2})/i;

function isCounted(level: Level, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (!includes(level, CHECKS[check].level)) return false;
  if (OF_ACCEPTANCE.has(check) && testCase.implementationDefined !== undefined) return false;
  // A proxy or the HTTP parser may answer malformed HTTP. Then, and above the level `contract`, it only matters that
  // the server does not fail, and that it accepts or refuses as it should.
  const { changeHead, target } = testCase.request;
  const isMalformedHttp =
    (changeHead !== undefined && (testCase.class === 'malformed' || testCase.class === 'fault')) ||
    MALFORMED_TARGET.test(target);
  if (levelOf(testCase) !== 'contract' || isMalformedHttp) return COUNTED_ANYWHERE.has(check);
  // 404 and 405 for a path are not the replies that an operation declares with these statuses.
  const isDeclaredReply = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isDeclaredReply || !BY_DECLARED_REPLY.has(check);
}

/** Whether it is a success, or a declared status that depends on the state, such as 404. */
export function isAccepted(operation: Operation, status: number): boolean {
  return isSuccess(operation, status) || statusesByState(operation).includes(status);
}

/** Includes a declared redirection such as 303; `default` is for errors. */
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

// A server sends these on purpose: not implemented, unavailable, unsupported HTTP version.
const DELIBERATE_5XX = new Set([501, 503, 505]);
// A valid request may get these, depending on the state, the caller or the rate.
const POSSIBLE_FOR_VALID = new Set([403, 404, 409, 410, 412, 428, 429]);
export const ABOUT_STATE: ReadonlySet<number> = new Set([404, 409, 410, 412, 428]);
// These blame the caller, the path or the message, none of which is wrong in a valid request.
const ABOUT_MESSAGE = new Set([400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 429, 431]);

/** Whether a service may refuse a valid request by its own rule, such as 422 for a claim that is too old. */
export function mayBeOwnRule(operation: Operation, status: number): boolean {
  return status >= 400 && status < 500 && !ABOUT_MESSAGE.has(status) && findReply(operation, status) !== undefined;
}

/** Whether the status may depend on what exists, or on what happened to it. */
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
    return expect in REFUSALS ? 'unauthorized-accepted' : undefined;
  }
  return status >= 400 && !isUsualRefusal(operation, expect, status) ? 'refusal-status' : undefined;
}

// The statuses of refusals (RFC 9110 section 11.4, RFC 6750 section 3.1).
const REFUSALS: Partial<Readonly<Record<Expectation, number>>> = {
  'no credentials': 401,
  'wrong credentials': 401,
  'insufficient scope': 403,
};
const MAY_FAIL: ReadonlySet<Expectation> = new Set(['failed', 'not built', 'unavailable']);

// A 404 may hide that something exists (RFC 9110 section 15.5.4), a 400 may be about malformed credentials, and RFC
// 9110 says nothing about API keys.
function isUsualRefusal({ securityRequirements }: Operation, expect: Expectation, status: number): boolean {
  if (status === 404 || (status === 400 && expect === 'wrong credentials')) return true;
  const hasApiKey = securityRequirements.flat().some(({ kind }) => kind === 'apiKey');
  return hasApiKey || status === (REFUSALS[expect] ?? status);
}

// A server error is wrong, no matter what was expected.
function describeExpected(operation: Operation, { expect }: Case, status: number): string {
  if (status >= 500) return '';
  if (expect === 'refused') return ', but should be a 4xx for the invalid request';
  if (expect !== 'accepted') return `, but should be ${String(REFUSALS[expect] ?? 'below 500')}`;
  const ruleStatuses = [...operation.replies.keys()]
    .map(Number)
    .filter((candidate) => mayBeOwnRule(operation, candidate));
  const expected = ['a success', ...new Set([...statusesByState(operation), ...ruleStatuses])].join(' or ');
  const undeclared = findReply(operation, status) ? '' : `, and the contract does not declare ${String(status)}`;
  return `, but should be ${expected}${undeclared}`;
}

/** Declared statuses for a valid request that does not fit what exists, such as 404 or 409. */
function statusesByState(operation: Operation): number[] {
  const candidates = [
    ...(hasPathParameter(operation) ? [404, 410] : []),
    ...(isSafeMethod(operation) ? [] : [409, 412, 428]),
  ];
  return candidates.filter((status) => findReply(operation, status) !== undefined);
}
