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

export function isPossible({ situations }: Target, { situation }: Case): boolean {
  return situation === undefined || situations?.[situation] !== undefined;
}

/**
 * Sends a case, and checks the reply and what the target's `watch` observes. Only checks up to the oracle's level
 * count.
 *
 * @example const { findings } = await runCase(suite.oracleFor(target.secrets), target, testCase)
 */
export async function runCase(oracle: Oracle, target: Target, derived: Case): Promise<CaseResult> {
  const testCase = expectUnbuilt(target, derived);
  const judgeObserved = target.watch?.();
  const outcome = await exchange(target, testCase);
  const replies = 'reply' in outcome ? [outcome.reply] : [];
  const isClosedEarly = replies.some((reply) => reply.isClosedEarly);
  const allFindings = [
    ...('reply' in outcome ? judge(oracle, testCase, outcome.reply) : [outcome]),
    ...(judgeObserved?.(oracle, testCase, replies) ?? []),
  ]
    .filter(({ check }) => includes(oracle.level, CHECKS[check].level) && !isCloseAllowed(testCase, check))
    .filter(({ check }) => !mayReplyMeanwhile(oracle, testCase) || (check !== 'message-framing' && !isClosedEarly));
  // Such a request, or a stream that was closed early, may have stopped the server.
  const isRisky = testCase.class === 'malformed' || isClosedEarly || allFindings.length > 0;
  // A case that the server did not receive cannot have stopped it.
  const isReceived = 'reply' in outcome || !outcome.text.includes('ECONNREFUSED');
  const isDown = isReceived && isRisky && !(await isAlive(target));
  const downFindings = isDown ? toFindings('server-alive', ['the server no longer answers']) : [];
  // A server that limits the rate until the end cannot be checked.
  const findings = isLimited(target, replies) ? downFindings : [...allFindings, ...downFindings];
  // Reports show the headers that every request has.
  const reportedCase = target.headers ? { ...derived, request: withHeaders(target, derived.request) } : derived;
  return { case: reportedCase, replies, findings };
}

// HTTP allows both after requests above the level `contract`, such as malformed ones, whose replies may be lost.
function isCloseAllowed(testCase: Case, check: CheckName): boolean {
  return (check === 'connection-closed' || check === 'message-framing') && levelOf(testCase) !== 'contract';
}

// A server may send items before it reads an invalid one in the request, and can then only cut off the reply.
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
