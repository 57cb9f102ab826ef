// Judges one reply by all checks.
import { levelOf, type Case } from '../case';
import { findReply, operationOf, type Operation, type Reply } from '../contract/model';
import { includes } from '../level';
import type { WireReply } from '../wire/reply';
import { judgeBody } from './body';
import { CHECKS, type CheckName, type Finding } from './checks';
import { judgeEcho } from './echo';
import { judgeHeaders } from './headers';
import { judgeLeaks } from './leaks';
import type { Oracle } from './oracle';
import { judgeStatus } from './status';

// Checks by the declared reply: its media type, schema and headers.
const BY_DECLARED_REPLY: ReadonlySet<CheckName> = new Set(['media type', 'schema', 'header', 'body unread']);
// Checks whose findings have the JSON pointer of the declared reply.
const POINTING_TO_REPLY: ReadonlySet<CheckName> = new Set([
  ...BY_DECLARED_REPLY,
  ...(['success undeclared', 'status undeclared', 'media type exact', 'header undeclared'] as const),
  ...(['body undeclared', 'property undeclared', 'error number'] as const),
]);
const OF_ACCEPTANCE: ReadonlySet<CheckName> = new Set(['wrong accepted', 'malformed accepted', 'right refused']);
// The only checks that count when HTTP leaves open how a message is answered, or a proxy may answer it.
const COUNTED_ANYWHERE: ReadonlySet<CheckName> = new Set(['server error', 'nobody accepted', ...OF_ACCEPTANCE]);

/** Finds everything that is wrong with the reply to a case, by the checks that count at the level of the oracle. */
export function judge(oracle: Oracle, testCase: Case, reply: WireReply): Finding[] {
  const operation = operationOf(oracle.model, testCase);
  const declared = findReply(operation, reply.status);
  const expected = declared ?? findErrorReply(operation);
  // Where any answer is right, only its status and what it reveals can be wrong.
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
    .filter(({ check }) => isCounted(oracle, testCase, declared, check))
    .map((finding) => (POINTING_TO_REPLY.has(finding.check) ? { ...finding, pointer } : finding));
}

// At the level `strict` all count; below it those of the level, and fewer where a standard leaves open the reply.
function isCounted({ level }: Oracle, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (level === 'strict') return true;
  if (!includes(level, CHECKS[check].level)) return false;
  if (OF_ACCEPTANCE.has(check) && testCase.leftOpen !== undefined) return false;
  // Malformed or incomplete HTTP never reaches an operation: a proxy or the HTTP parser may answer. Then, and above the
  // level `contract`, what counts is only that the server does not fail, and accepts or refuses as it should.
  const isMalformedHttp =
    testCase.request.bend !== undefined && (testCase.class === 'malformed' || testCase.class === 'fault');
  if (levelOf(testCase) !== 'contract' || isMalformedHttp) return COUNTED_ANYWHERE.has(check);
  // 404 and 405 for a path are not the replies that an operation declares with these statuses.
  const isDeclaredReply = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isDeclaredReply || !BY_DECLARED_REPLY.has(check);
}

// House rule: 404 and 405 for a path have the body of the operation's errors.
function findErrorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}
