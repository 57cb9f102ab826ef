// Runs one case against a server, and judges the replies.
import { setTimeout as wait } from 'node:timers/promises';
import { levelOf, type Case } from '../generators/case';
import { exchange, isAlive, isLimited, withHeaders, type Target } from './exchange';
import { operationOf } from '../contract/model';
import { includes } from '../contract/standards';
import { CHECKS, toFindings, type CaseResult, type CheckName, type Finding, type Oracle } from '../oracle/checks';
import { judge } from '../oracle/judge';
import type { Values } from '../values/variant';
import type { WireReply } from '../wire/reply';
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
 * Sends a case and judges the replies: each by itself, several of them together, and what the target's `watch`
 * sees behind the server. Only checks of the oracle's level and below count.
 *
 * @example const { findings } = await runCase(suite.oracleFor(target.secrets), target, one)
 */
export async function runCase(oracle: Oracle, target: Target, derived: Case): Promise<CaseResult> {
  const testCase = expectUnbuilt(target, derived);
  const look = target.watch?.();
  const sendings = Array.from({ length: testCase.times ?? 1 }, () => exchange(target, testCase));
  // Replies, and findings in place of missing or malformed ones.
  const answers = (await Promise.all(sendings)).flat();
  const replies = answers.filter((answer) => 'reply' in answer).map(({ reply }) => reply);
  const isLeft = replies.some((reply) => reply.isLeft);
  const isFull = isLeft && testCase.times !== undefined && !(await hasRoom(target, testCase));
  const allFindings = [
    ...answers.flatMap((answer) => ('reply' in answer ? judge(oracle, answer.case, answer.reply) : [answer])),
    ...toFindings('valid-refused', judgeOtherForm(testCase, replies)),
    ...(look?.(oracle, testCase, replies) ?? []),
    ...toFindings('stream-not-freed', isFull ? ['the server sends no stream after others were left'] : []),
  ]
    .filter(({ check }) => includes(oracle.level, CHECKS[check].level) && !isCloseAllowed(testCase, check))
    .filter(({ check }) => !mayReplyMeanwhile(oracle, testCase) || (check !== 'message-framing' && !isLeft));
  // Such a request, or a stream that was left, may have stopped the server.
  const isRisky = testCase.class === 'malformed' || testCase.class === 'size' || isLeft || allFindings.length > 0;
  // A case that the server did not even get cannot have ended it.
  const isReceived = answers.some((answer) => 'reply' in answer || !answer.text.includes('ECONNREFUSED'));
  const isDown = isReceived && isRisky && !(await isAlive(target));
  const downFindings = isDown ? toFindings('server-alive', ['the server no longer answers']) : [];
  // A server that limits the rate (429) to the end cannot be judged.
  const findings = isLimited(target, replies) ? downFindings : uniqueByText([...allFindings, ...downFindings]);
  // Reports show the headers that each request has.
  const sent = target.headers ? { ...derived, request: withHeaders(target, derived.request) } : derived;
  return { case: sent, replies, findings };
}

// Whether a connection may be closed without a reply, or in the middle of one (`framing`), so that this is no finding.
// HTTP allows both after a request that a level above `contract` adds, such as a malformed one, since its reply may be
// lost, and the former also after an earlier request on the connection.
function isCloseAllowed(testCase: Case, check: CheckName): boolean {
  const isUnusual = levelOf(testCase) !== 'contract';
  if (check === 'connection-closed') return isUnusual || testCase.before !== undefined;
  return check === 'message-framing' && isUnusual;
}

// Whether a server may reply with items before it has read a wrong one of the request: then it can only cut the reply.
function mayReplyMeanwhile({ model }: Oracle, testCase: Case): boolean {
  const [, type = ''] = testCase.request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const replies = [...operationOf(model, testCase).replies.values()];
  const hasItems = replies.some(({ contents }) => contents.some(({ kind }) => kind === 'sequence'));
  return testCase.expect === 'refused' && hasItems && framingOf(type) !== undefined;
}

// A server may need a moment to see that clients left.
const FREEING_ATTEMPTS = 10;
const FREEING_MS = 200;

/** Whether a server that sent streams sends one more now that the suite left them all. */
async function hasRoom(target: Target, testCase: Case): Promise<boolean> {
  for (let attempt = 0; attempt < FREEING_ATTEMPTS; attempt++) {
    const [answer] = await exchange(target, testCase);
    if (answer && 'reply' in answer && answer.reply.status < 400) return true;
    await wait(FREEING_MS);
  }
  return false;
}

function uniqueByText(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.text, finding])).values()];
}

function expectUnbuilt({ unbuilt }: Target, testCase: Case): Case {
  if (unbuilt?.has(testCase.operation) !== true) return testCase;
  const expectNotBuilt = <Of extends Pick<Case, 'expect'>>(request: Of): Of =>
    request.expect === 'accepted' ? { ...request, expect: 'not built' } : request;
  return { ...expectNotBuilt(testCase), ...(testCase.before && { before: expectNotBuilt(testCase.before) }) };
}

// A target in absolute form (`GET http://host/path`), which is sent first, must not be the only form that has 404.
function judgeOtherForm({ before }: Case, [absolute, usual]: readonly WireReply[]): string[] {
  const isLost = before?.isSame === true && absolute?.status === 404 && usual !== undefined && usual.status !== 404;
  return isLost
    ? [
        `the status is 404 for the target in absolute form, but ${String(usual.status)} for the same target in its usual form`,
      ]
    : [];
}
