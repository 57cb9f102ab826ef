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
  /** Whether valid requests use another caller's credentials. */
  readonly isOtherCaller?: boolean;
}

export function isPossible({ situations }: Target, { situation }: Case): boolean {
  return situation === undefined || situations?.[situation] !== undefined;
}

/**
 * Sends a case, and checks the reply and what the target's `watch` observes. Omits checks above the oracle's level.
 *
 * @example const { findings } = await runCase(suite.oracleFor(target.secrets), target, testCase)
 */
export async function runCase(oracle: Oracle, target: Target, derivedCase: Case): Promise<CaseResult> {
  const testCase = expectUnbuilt(target, derivedCase);
  const judgeObservation = target.watch?.();
  const outcome = await exchange(target, testCase);
  const replies = 'reply' in outcome ? [outcome.reply] : [];
  const isClosedEarly = replies.some((reply) => reply.isClosedEarly);
  const allFindings = [
    ...('reply' in outcome ? judge(oracle, testCase, outcome.reply) : [outcome]),
    ...(judgeObservation?.(oracle, testCase, replies) ?? []),
  ]
    .filter(({ check }) => includes(oracle.level, CHECKS[check].level) && !mayCloseConnection(testCase, check))
    .filter(({ check }) => !mayReplyBeforeRefusal(oracle, testCase) || (check !== 'message-framing' && !isClosedEarly));
  // These cases are the most likely to have stopped the server.
  const mayHaveStopped = testCase.class === 'malformed' || isClosedEarly || allFindings.length > 0;
  // A request that the server did not receive cannot have stopped it.
  const isReceived = 'reply' in outcome || !outcome.text.includes('ECONNREFUSED');
  const isServerDown = isReceived && mayHaveStopped && !(await isAlive(target));
  const crashFindings = isServerDown ? toFindings('server-alive', ['the server no longer answers']) : [];
  const findings = isLimited(target, replies) ? crashFindings : [...allFindings, ...crashFindings];
  // Reports also show the headers that every request has.
  const reportedCase = target.headers
    ? { ...derivedCase, request: withHeaders(target, derivedCase.request) }
    : derivedCase;
  return { case: reportedCase, replies, findings };
}

// A server may close the connection after a request above the level `contract`, such as a malformed one, and then its
// reply can get lost.
function mayCloseConnection(testCase: Case, check: CheckName): boolean {
  return (check === 'connection-closed' || check === 'message-framing') && levelOf(testCase) !== 'contract';
}

// A server that has already sent items when it reads an invalid one can only cut off the reply.
function mayReplyBeforeRefusal({ model }: Oracle, testCase: Case): boolean {
  const [, type = ''] = testCase.request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const replies = [...operationOf(model, testCase).replies.values()];
  const hasItems = replies.some(({ contents }) => contents.some(({ kind }) => kind === 'sequence'));
  return testCase.expect === 'refused' && hasItems && framingOf(type) !== undefined;
}

function expectUnbuilt({ unbuilt }: Target, testCase: Case): Case {
  if (unbuilt?.has(testCase.operation) !== true) return testCase;
  return testCase.expect === 'accepted' ? { ...testCase, expect: 'not built' } : testCase;
}
