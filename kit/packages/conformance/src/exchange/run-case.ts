// Runs one case against a server, and judges the replies.
import { levelOf, type Case } from '../generators/case';
import { exchange, isAlive, isLimited, withHeaders, type Target } from './exchange';
import { operationOf } from '../contract/model';
import { includes } from '../contract/standards';
import { CHECKS, toFindings, type CaseResult, type CheckName, type Oracle } from '../oracle/checks';
import { judge } from '../oracle/judge';
import type { Values } from '../values/variant';
import { framingOf } from '../wire/sequence';

export interface Tools {
  readonly oracle: Oracle;
  readonly values: Values;
  readonly target: Target;
  /** Whether valid requests have the credentials of another caller. */
  readonly isOtherCaller?: boolean;
}

/** Whether the target can be put into the situation that a case needs. */
export function isPossible({ situations }: Target, { situation }: Case): boolean {
  return situation === undefined || situations?.[situation] !== undefined;
}

/**
 * Sends a case and judges the reply, and what the target's `watch` sees behind the server. Only checks of the oracle's level and below count.
 *
 * @example const { findings } = await runCase(suite.oracleFor(target.secrets), target, one)
 */
export async function runCase(oracle: Oracle, target: Target, derived: Case): Promise<CaseResult> {
  const testCase = expectUnbuilt(target, derived);
  const look = target.watch?.();
  // The reply, or a finding in place of a missing or malformed one.
  const answer = await exchange(target, testCase);
  const replies = 'reply' in answer ? [answer.reply] : [];
  const isLeft = replies.some((reply) => reply.isLeft);
  const allFindings = [
    ...('reply' in answer ? judge(oracle, testCase, answer.reply) : [answer]),
    ...(look?.(oracle, testCase, replies) ?? []),
  ]
    .filter(({ check }) => includes(oracle.level, CHECKS[check].level) && !isCloseAllowed(testCase, check))
    .filter(({ check }) => !mayReplyMeanwhile(oracle, testCase) || (check !== 'message-framing' && !isLeft));
  // Such a request, or a stream that was left, may have stopped the server.
  const isRisky = testCase.class === 'malformed' || isLeft || allFindings.length > 0;
  // A case that the server did not even get cannot have ended it.
  const isReceived = 'reply' in answer || !answer.text.includes('ECONNREFUSED');
  const isDown = isReceived && isRisky && !(await isAlive(target));
  const downFindings = isDown ? toFindings('server-alive', ['the server no longer answers']) : [];
  // A server that limits the rate (429) to the end cannot be judged.
  const findings = isLimited(target, replies) ? downFindings : [...allFindings, ...downFindings];
  // Reports show the headers that each request has.
  const sent = target.headers ? { ...derived, request: withHeaders(target, derived.request) } : derived;
  return { case: sent, replies, findings };
}

// Whether a connection may be closed without a reply, or in the middle of one (`framing`), so that this is no finding.
// HTTP allows both after a request that a level above `contract` adds, such as a malformed one, since its reply may be
// lost.
function isCloseAllowed(testCase: Case, check: CheckName): boolean {
  return (check === 'connection-closed' || check === 'message-framing') && levelOf(testCase) !== 'contract';
}

// Whether a server may reply with items before it has read a wrong one of the request: then it can only cut the reply.
function mayReplyMeanwhile({ model }: Oracle, testCase: Case): boolean {
  const [, type = ''] = testCase.request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const replies = [...operationOf(model, testCase).replies.values()];
  const hasItems = replies.some(({ contents }) => contents.some(({ kind }) => kind === 'sequence'));
  return testCase.expect === 'refused' && hasItems && framingOf(type) !== undefined;
}

function expectUnbuilt({ unbuilt }: Target, testCase: Case): Case {
  if (unbuilt?.has(testCase.operation) !== true) return testCase;
  return testCase.expect === 'accepted' ? { ...testCase, expect: 'not built' } : testCase;
}
