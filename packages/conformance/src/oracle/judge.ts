// Judges one reply by all checks.
import { levelOf, type Case, type Expectation } from '../generators/case';
import { findReply, hasPathParameter, isSafeMethod, operationOf, type Operation, type Reply } from '../contract/model';
import { includes, type Level } from '../contract/standards';
import { valuesOf, type WireReply } from '../wire/reply';
import { judgeBody, judgeEcho } from './body';
import { asConvention, CHECKS, toFindings, type CheckName, type Finding, type Oracle } from './checks';
import { judgeHeaders } from './headers';
import { containsSecret } from '../wire/secret';

// Checks by the declared reply: its media type, schema and headers.
const BY_DECLARED_REPLY: ReadonlySet<CheckName> = new Set([
  'content-type',
  'schema',
  'declared-header',
  'body-malformed',
]);
// Checks whose findings have the JSON pointer of the declared reply.
const POINTING_TO_REPLY: ReadonlySet<CheckName> = new Set([
  ...BY_DECLARED_REPLY,
  ...(['success-undeclared', 'status-undeclared', 'content-type-spelling', 'header-undeclared'] as const),
  ...(['body-undeclared', 'property-undeclared'] as const),
]);
const OF_ACCEPTANCE: ReadonlySet<CheckName> = new Set(['invalid-accepted', 'malformed-accepted', 'valid-refused']);
// The only checks that count when HTTP leaves open how a message is answered, or a proxy may answer it.
const COUNTED_ANYWHERE: ReadonlySet<CheckName> = new Set(['server-error', 'unauthorized-accepted', ...OF_ACCEPTANCE]);

/** Judges the reply to a case by the checks that count at the level of the oracle. */
export function judge(oracle: Oracle, testCase: Case, reply: WireReply): Finding[] {
  const operation = operationOf(oracle.model, testCase);
  const declared = findReply(operation, reply.status);
  const expected = declared ?? findErrorReply(operation);
  // If the case allows any reply, check only its status and that it reveals no secret.
  const isAnyAnswerRight = testCase.expect === 'answered';
  const findings = [
    ...judgeStatus(operation, testCase, reply.status),
    ...(isAnyAnswerRight
      ? []
      : [
          ...judgeHeaders(oracle, operation, testCase, { reply, declared, expected }),
          ...judgeBody(oracle, testCase, reply, expected),
          ...judgeEcho(operation, testCase, reply, declared),
        ]),
    ...judgeLeaks(oracle, reply),
  ];
  const pointer = declared?.pointer ?? `${operation.pointer}/responses`;
  return findings
    .filter(({ check }) => isCounted(oracle.level, testCase, declared, check))
    .map((finding) => (isCounted('robust', testCase, declared, finding.check) ? finding : asConvention(finding)))
    .map((finding) => (POINTING_TO_REPLY.has(finding.check) ? { ...finding, pointer } : finding));
}

// RFC 3986 section 2.1: the percent sign begins an encoding.
const MALFORMED_TARGET = /%(?![\da-f]{2})/i;

// At the level `strict` all count; below it those of the level, and fewer where a standard leaves open the reply.
function isCounted(level: Level, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (level === 'strict') return true;
  if (!includes(level, CHECKS[check].level)) return false;
  if (OF_ACCEPTANCE.has(check) && testCase.implementationDefined !== undefined) return false;
  // Malformed or incomplete HTTP never reaches an operation: a proxy or the HTTP parser may answer. Then, and above the
  // level `contract`, what counts is only that the server does not fail, and accepts or refuses as it should.
  const { changeHead, target } = testCase.request;
  const isMalformedHttp =
    (changeHead !== undefined && (testCase.class === 'malformed' || testCase.class === 'fault')) ||
    MALFORMED_TARGET.test(target);
  if (levelOf(testCase) !== 'contract' || isMalformedHttp) return COUNTED_ANYWHERE.has(check);
  // 404 and 405 for a path are not the replies that an operation declares with these statuses.
  const isDeclaredReply = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isDeclaredReply || !BY_DECLARED_REPLY.has(check);
}

// A convention: 404 and 405 for a path have the body of the operation's errors.
function findErrorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}

/** A success, or a declared status that depends on the state, such as 404. */
export function isAccepted(operation: Operation, status: number): boolean {
  return isSuccess(operation, status) || statusesByState(operation).includes(status);
}

/** Also a redirection that the operation declares, such as 303; `default` is for errors. */
export function isSuccess(operation: Operation, status: number): boolean {
  const isDeclared = findReply(operation, status) !== operation.replies.get('default');
  return status >= 200 && (status < 300 || (status < 400 && isDeclared));
}

function judgeStatus(operation: Operation, testCase: Case, status: number): Finding[] {
  const expected = expectedStatuses(operation, testCase, status);
  if (!expected.includes(status)) {
    return toFindings(checkOfStatus(operation, testCase, status), [
      `the status is ${String(status)}, but should be ${expected.words}`,
    ]);
  }
  const needsDeclaration = !expected.isDefinedByHttp && !SENT_BEFORE_OPERATION.has(status);
  if (!needsDeclaration || findReply(operation, status)) return [];
  return toFindings(status < 400 ? 'success-undeclared' : 'status-undeclared', [
    `the contract does not declare the status ${String(status)}`,
  ]);
}

// Timeout (RFC 9110 section 15.5.9) and too large headers (RFC 6585 section 5): the request reaches no operation.
const SENT_BEFORE_OPERATION = new Set([408, 431]);
// Not implemented, unavailable, unsupported HTTP version: the server says so on purpose.
const DELIBERATE_5XX = new Set([501, 503, 505]);
// These may answer a valid request: they depend on the state, the caller or the rate.
const POSSIBLE_FOR_VALID = new Set([403, 404, 409, 410, 412, 428, 429]);
// These say that the caller, the path or the message is wrong, which a valid request has right.
const ABOUT_MESSAGE = new Set([400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 429, 431]);

/** Whether a service may refuse a valid request so by a rule of its own, such as 422 for a claim that is too old. */
export function mayBeOwnRule(operation: Operation, status: number): boolean {
  return status >= 400 && status < 500 && !ABOUT_MESSAGE.has(status) && findReply(operation, status) !== undefined;
}

// `unauthorized-accepted` is a success without valid credentials; `status` is the mildest: any other status.
function checkOfStatus(operation: Operation, { expect, class: caseClass, request }: Case, status: number): CheckName {
  if (status >= 500) {
    const isExpected5xx = (STATUSES[expect] ?? []).some((expected) => expected >= 500);
    return isExpected5xx || DELIBERATE_5XX.has(status) ? 'status' : 'server-error';
  }
  // RFC 9112 section 6.3: a server may require a Content-Length.
  if (status === 411 && request.framing === 'chunked') return 'status';
  if (expect === 'accepted') {
    const isPossible = status < 400 || POSSIBLE_FOR_VALID.has(status) || mayBeOwnRule(operation, status);
    return isPossible ? 'status' : 'valid-refused';
  }
  const hasSuccess = status >= 200 && status < 300;
  if (hasSuccess && expect === 'refused') return caseClass === 'malformed' ? 'malformed-accepted' : 'invalid-accepted';
  return hasSuccess && ABOUT_CREDENTIALS.has(expect) ? 'unauthorized-accepted' : 'status';
}

interface ExpectedStatuses {
  /** Such as `a success or 404`. */
  readonly words: string;
  readonly includes: (status: number) => boolean;
  /** HTTP defines the reply, so the contract need not declare it. */
  readonly isDefinedByHttp?: boolean;
}

// The expectations of certain statuses.
const STATUSES: Partial<Readonly<Record<Expectation, readonly number[]>>> = {
  'no credentials': [401],
  'wrong credentials': [401],
  'insufficient scope': [403],
  'unknown path': [404],
  'unknown method': [405],
  failed: [500],
  'not built': [501, 503],
  unavailable: [503],
};
const ABOUT_CREDENTIALS: ReadonlySet<Expectation> = new Set([
  'no credentials',
  'wrong credentials',
  'insufficient scope',
]);

function expectedStatuses(operation: Operation, testCase: Case, actual: number): ExpectedStatuses {
  const { expect } = testCase;
  switch (expect) {
    case 'accepted': {
      const ofOwnRules = [...operation.replies.keys()].map(Number).filter((status) => mayBeOwnRule(operation, status));
      const possible = new Set([...statusesByState(operation), ...ofOwnRules.filter((status) => status !== actual)]);
      return {
        words: ['a success', ...possible].join(' or '),
        includes: (status) => isAccepted(operation, status),
      };
    }
    case 'refused': {
      // Wrong are refusals of something that the case does not test: the credentials, the method or the path. A wrong path
      // parameter may be answered like the path of a resource that does not exist.
      const aboutCredentialsOrMethod = testCase.class === 'auth' ? [] : [401, 403, 405];
      const aboutPath = testCase.class === 'parameter' && hasPathParameter(operation) ? [] : [404];
      const wrongRefusals = [...aboutCredentialsOrMethod, ...aboutPath];
      return {
        words: `a 4xx for the invalid request${wrongRefusals.includes(actual) ? ', such as 400' : ''}`,
        includes: (status) => status >= 400 && status < 500 && !wrongRefusals.includes(status),
      };
    }
    case 'answered':
      return {
        words: 'below 500',
        includes: (status) => status < 500 || DELIBERATE_5XX.has(status),
        isDefinedByHttp: true,
      };
    default: {
      const statuses = STATUSES[expect] ?? [];
      return {
        words: statuses.join(' or '),
        includes: (status) => statuses.includes(status),
        isDefinedByHttp: expect === 'unknown path' || expect === 'unknown method',
      };
    }
  }
}

/** The statuses that the operation declares for a valid request that does not fit what exists, such as 404 or 409. */
function statusesByState(operation: Operation): number[] {
  const candidates = [
    ...(hasPathParameter(operation) ? [404, 410] : []),
    ...(isSafeMethod(operation) ? [] : [409, 412, 428]),
  ];
  return candidates.filter((status) => findReply(operation, status) !== undefined);
}

// Stack traces, file paths, and messages of databases.
const INTERNALS = [
  /\bat (?:async )?\S+ \(?\S+:\d+:\d+/,
  /\bnode_modules\b|\bnode:internal\b/,
  /(?:^|["'\s(])(?:\/(?:home|root|usr|var|tmp|opt|srv|app|etc)\/|[A-Za-z]:\\)\S/,
  /\bSQLITE_|\bSELECT .* FROM\b|\bINSERT INTO\b|\bECONNREFUSED\b/,
];

function judgeLeaks({ secrets }: Oracle, reply: WireReply): Finding[] {
  const body = reply.body.toString('utf8');
  const headersAndBody = `${reply.headers.flat().join('\n')}\n${body}`;
  // A successful reply may be about such things.
  const showsInternals = reply.status >= 400 && INTERNALS.some((pattern) => pattern.test(body));
  return toFindings('information-leak', [
    ...(showsInternals ? ['the response reveals a stack trace, a file path or a database error'] : []),
    ...(containsSecret(headersAndBody, secrets) ? ['the response contains a secret'] : []),
    ...(valuesOf(reply, 'x-powered-by').length > 0 ? ['the response has the header X-Powered-By'] : []),
  ]);
}
