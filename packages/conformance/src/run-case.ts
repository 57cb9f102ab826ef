// Runs one case against a server, and judges the replies.
import { levelOf, type Case, type Meant } from './case';
import { exchange, isAlive, type Server } from './exchange';
import { includes } from './level';
import { operationOf } from './contract/model';
import { propertiesOf, sentProperties } from './contract/schema';
import { sentBody, sentContent } from './oracle/echo';
import { CHECKS, toFindings, type CheckName, type Finding } from './oracle/checks';
import { judge } from './oracle/judge';
import type { Oracle } from './oracle/oracle';
import { isLimited } from './patience';
import { UNLISTED_NAMES } from './values/objects';
import type { Values } from './values/variant';
import { isJsonList, isJsonObject, isSame, writeJson, type Json, type JsonObject } from './wire/json';
import type { WireReply } from './wire/reply';

/** A server that cases are sent to. */
export interface Target extends Server {
  /** Whether the store has what an operation created; for tests with access to the store. */
  readonly keeps?: ((operation: string, created: JsonObject) => boolean) | undefined;
  /** Returns a value that changes with the store. */
  readonly version?: (() => unknown) | undefined;
  /** The value that the latest handler received for a part of its request; for tests with access to the handlers. */
  readonly received?: ((meant: Meant) => Json | undefined) | undefined;
  /** The number of stored things. */
  readonly count?: (() => number) | undefined;
  /** Operations without a handler: valid requests to them must have 501 or 503; everything else stays the same. */
  readonly unbuilt?: ReadonlySet<string>;
}

/** What is needed to send a case and judge the reply. */
export interface Tools {
  readonly oracle: Oracle;
  readonly values: Values;
  readonly target: Target;
}

/** The result of a case. */
export interface CaseResult {
  readonly case: Case;
  readonly replies: readonly WireReply[];
  /** Everything that is wrong; empty when the case passed. */
  readonly findings: readonly Finding[];
}

/**
 * Whether the target can be put into the situation that a case needs.
 *
 * @example suite.cases.filter((one) => isPossible(target, one))
 */
export function isPossible({ situations }: Target, { situation }: Case): boolean {
  return situation === undefined || situations?.[situation] !== undefined;
}

/**
 * Sends a case and judges the reply.
 *
 * @example const { findings } = await runCase(suite.oracleFor(target.secrets), target, one)
 */
export async function runCase(oracle: Oracle, target: Target, derived: Case): Promise<CaseResult> {
  const testCase = expectUnbuilt(target, derived);
  const before = { version: target.version?.(), count: target.count?.() ?? 0 };
  const settled = (
    await Promise.all(Array.from({ length: testCase.times ?? 1 }, () => exchange(target, testCase)))
  ).flat();
  const exchanges = settled.filter((each) => 'reply' in each);
  const replies = exchanges.map(({ reply }) => reply);
  const found = [
    ...settled.flatMap((each) => ('reply' in each ? judge(oracle, each.case, each.reply) : [each])),
    ...toFindings(
      'same reply',
      testCase.times !== undefined &&
        dependsOnRequestAlone(oracle, testCase) &&
        replies.some((reply) => !isSameReply(reply, replies[0]))
        ? ['the same request has different replies']
        : [],
    ),
    ...toFindings('right refused', judgeOtherForm(testCase, replies)),
    ...toFindings('handed', judgeReceived(target, testCase, replies)),
    ...toFindings('kept', judgeStore(oracle, target, testCase, { before, replies })),
  ].filter(({ check }) => includes(oracle.level, CHECKS[check].level) && !isCloseAllowed(oracle, testCase, check));
  const isRisky = testCase.class === 'malformed' || testCase.class === 'size' || found.length > 0;
  const end = isRisky && !(await isAlive(target)) ? toFindings('alive', ['the server does not answer any more']) : [];
  const result = { case: derived, replies, findings: unique([...found, ...end]) };
  return isLimited(target, replies) ? { ...result, findings: end } : result;
}

// A server may close the connection after malformed HTTP, and its reply may then be lost.
function isCloseAllowed({ level }: Oracle, testCase: Case, check: CheckName): boolean {
  if (level === 'strict') return false;
  if (check === 'closed') return levelOf(testCase) !== 'contract' || testCase.before !== undefined;
  return check === 'framing' && levelOf(testCase) !== 'contract';
}

function unique(found: readonly Finding[]): Finding[] {
  return [...new Map(found.map((finding) => [finding.text, finding])).values()];
}

// Valid requests to an operation without a handler must have 501 or 503.
function expectUnbuilt({ unbuilt }: Target, testCase: Case): Case {
  if (unbuilt?.has(testCase.operation) !== true) return testCase;
  const wanted = <Of extends Pick<Case, 'expect'>>(of: Of): Of =>
    of.expect === 'accepted' ? { ...of, expect: 'not built' } : of;
  return { ...wanted(testCase), ...(testCase.before && { before: wanted(testCase.before) }) };
}

// The absolute form was sent first, then the usual one. It must not have 404 unless the usual form has it, too.
function judgeOtherForm({ before }: Case, [other, usual]: readonly WireReply[]): string[] {
  const isLost = before?.isSame === true && other?.status === 404 && usual !== undefined && usual.status !== 404;
  return isLost ? [`the status is 404, and ${String(usual.status)} for the same in its usual form`] : [];
}

/** Whether the reply depends on the request alone: all its properties are in the request, too. */
function dependsOnRequestAlone({ model }: Oracle, testCase: Case): boolean {
  const operation = operationOf(model, testCase);
  const asked = sentContent(operation, testCase);
  if (!asked) return false;
  const sent = new Set(sentProperties(asked.schema).keys());
  const successes = [...operation.replies].filter(([status]) => status.startsWith('2')).map(([, reply]) => reply);
  return successes.every(
    ({ contents: [content, ...others] }) =>
      content !== undefined &&
      others.length === 0 &&
      content.kind === 'json' &&
      [...propertiesOf(content.schema).keys()].every((name) => sent.has(name)),
  );
}

/** Checks that the handler received exactly what was sent; undeclared properties may be dropped. */
function judgeReceived({ received }: Target, { meant }: Case, replies: readonly WireReply[]): string[] {
  if (!received || !meant || replies.length !== 1 || replies.some(({ status }) => status >= 300)) return [];
  const value = received(meant);
  const more = (meant.without ?? []).filter((name) => isJsonObject(value) && Object.hasOwn(value, name));
  if (more.length > 0) return [`${more.join(', ')} is readOnly, and the handler got it`];
  if (isReceivedAsSent(value, meant.value, true)) return [];
  return [`${writeJson(meant.value)} was sent, and the handler got ${writeJson(value ?? null)}`];
}

/** @param hasDefaults whether the handler may receive properties that were not sent, from defaults */
function isReceivedAsSent(got: Json | undefined, sent: Json | undefined, hasDefaults = false): boolean {
  if (isJsonList(got) && isJsonList(sent)) {
    return got.length === sent.length && got.every((item, index) => isReceivedAsSent(item, sent[index]));
  }
  if (!isJsonObject(got) || !isJsonObject(sent)) return isSame(got, sent);
  const isExpected = (name: string): boolean => hasDefaults || Object.hasOwn(sent, name);
  const isThere = (name: string): boolean => Object.hasOwn(got, name) && isReceivedAsSent(got[name], sent[name]);
  return (
    Object.keys(got).every(isExpected) &&
    Object.keys(sent).every((name) => isThere(name) || (!Object.hasOwn(got, name) && UNLISTED_NAMES.has(name)))
  );
}

/** Checks the store: refused requests change nothing, and a POST stores exactly what was sent. */
function judgeStore(
  { model }: Oracle,
  { keeps, version, count }: Target,
  testCase: Case,
  { before, replies }: { before: { version: unknown; count: number }; replies: readonly WireReply[] },
): string[] {
  const accepted = replies.filter(({ status }) => status < 300);
  if (accepted.length === 0) return version && version() !== before.version ? ['the refused request left a trace'] : [];
  if (count && count() - before.count > accepted.length) return ['more is kept than was created'];
  const operation = operationOf(model, testCase);
  const content = sentContent(operation, testCase);
  const sent = sentBody(testCase);
  if (!keeps || !content || !sent || operation.method !== 'POST') return [];
  const created = Object.fromEntries(
    [...propertiesOf(content.schema).keys()].map((name) => [name, sent[name] ?? null]),
  );
  return keeps(operation.id, created) ? [] : ['what was created is not kept as it was sent'];
}

function isSameReply(reply: WireReply, first: WireReply | undefined): boolean {
  return reply.status === first?.status && reply.body.equals(first.body);
}
