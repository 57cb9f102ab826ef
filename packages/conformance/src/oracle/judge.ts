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

// What an operation's declaration of a reply says.
const DECLARED: ReadonlySet<CheckName> = new Set(['media type', 'schema', 'header', 'body unread']);
// What else the contract says of replies.
const OF_REPLIES: ReadonlySet<CheckName> = new Set([
  ...DECLARED,
  ...(['success undeclared', 'status undeclared', 'media type exact', 'header undeclared'] as const),
  ...(['body undeclared', 'property undeclared', 'error number'] as const),
]);
// Whether a request is taken.
const ACCEPTANCE: ReadonlySet<CheckName> = new Set(['wrong accepted', 'malformed accepted', 'right refused']);
// What counts in the reply to a message of which HTTP leaves open who answers it, and how.
const COUNTED_ANYWHERE: ReadonlySet<CheckName> = new Set(['server error', 'nobody accepted', ...ACCEPTANCE]);

/** Everything that is wrong with a reply to a case, at the level of the oracle; empty when it is what it has to be. */
export function judge(oracle: Oracle, testCase: Case, reply: WireReply): Finding[] {
  const operation = operationOf(oracle.model, testCase);
  const declared = findReply(operation, reply.status);
  const expected = declared ?? findErrorReply(operation);
  const status = judgeStatus(operation, testCase, reply.status);
  if (testCase.expect === 'answered')
    return [...status, ...judgeLeaks(oracle, reply)].filter(({ check }) =>
      isCounted(oracle, testCase, undefined, check),
    );
  const found = [
    ...status,
    ...judgeHeaders(oracle, operation, testCase, { reply, declared, expected }),
    ...judgeBody(oracle, testCase, reply, expected),
    ...judgeEcho(operation, testCase, reply, declared),
    ...judgeLeaks(oracle, reply),
  ];
  const pointer = declared?.pointer ?? `${operation.pointer}/responses`;
  return found
    .filter(({ check }) => isCounted(oracle, testCase, declared, check))
    .map((finding) => (OF_REPLIES.has(finding.check) ? { ...finding, pointer } : finding));
}

function isCounted({ level }: Oracle, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (level === 'strict') return true;
  if (!includes(level, CHECKS[check].level)) return false;
  if (ACCEPTANCE.has(check) && testCase.leftOpen !== undefined) return false;
  // What is no HTTP, or ends before its head does, never reaches an operation: whatever stands before it may answer.
  const isHttp = testCase.request.bend === undefined || !(testCase.class === 'malformed' || testCase.class === 'fault');
  if (levelOf(testCase) !== 'contract' || !isHttp) return COUNTED_ANYWHERE.has(check);
  // 404 and 405 of the path are HTTP's, not those of an operation that declares the same status for something else.
  const isOperations = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isOperations || !DECLARED.has(check);
}

// At the level of house rules, the protocol's own 404 and 405 have the body that the operation's errors have.
function findErrorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}
