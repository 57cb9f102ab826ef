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

// Checks of what a reply declares.
const DECLARED: ReadonlySet<CheckName> = new Set(['media type', 'schema', 'header', 'body unread']);
// Checks whose source is the declared reply.
const OF_REPLIES: ReadonlySet<CheckName> = new Set([
  ...DECLARED,
  ...(['success undeclared', 'status undeclared', 'media type exact', 'header undeclared'] as const),
  ...(['body undeclared', 'property undeclared', 'error number'] as const),
]);
// Checks whether a request is accepted.
const ACCEPTANCE: ReadonlySet<CheckName> = new Set(['wrong accepted', 'malformed accepted', 'right refused']);
// The only checks that count when HTTP leaves open how a message is answered, or a proxy may answer it.
const COUNTED_ANYWHERE: ReadonlySet<CheckName> = new Set(['server error', 'nobody accepted', ...ACCEPTANCE]);

/** Finds everything that is wrong with a reply, at the level of the oracle. */
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

// Whether a check counts for this case, at the level of the oracle.
function isCounted({ level }: Oracle, testCase: Case, declared: Reply | undefined, check: CheckName): boolean {
  if (level === 'strict') return true;
  if (!includes(level, CHECKS[check].level)) return false;
  if (ACCEPTANCE.has(check) && testCase.leftOpen !== undefined) return false;
  // Malformed or incomplete HTTP never reaches an operation: a proxy or the HTTP parser may answer.
  const isHttp = testCase.request.bend === undefined || !(testCase.class === 'malformed' || testCase.class === 'fault');
  if (levelOf(testCase) !== 'contract' || !isHttp) return COUNTED_ANYWHERE.has(check);
  // 404 and 405 for a path are not the replies that an operation declares with these statuses.
  const isOperations = declared !== undefined && !testCase.expect.startsWith('unknown');
  return isOperations || !DECLARED.has(check);
}

// House rule: 404 and 405 for a path have the body of the operation's errors.
function findErrorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}
