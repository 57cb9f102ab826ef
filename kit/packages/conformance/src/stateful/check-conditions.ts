// Checks conditional requests, ranges and HEAD (RFC 9110 sections 8.6, 9.3.2, 13 and 14).
import { isSamePath } from '../contract/path-template';
import { findReply, type Operation } from '../contract/model';
import { writeParameter } from '../contract/serialization';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import { valuesOf, type WireReply } from '../wire/reply';
import type { Header } from '../wire/request';
import { createFreshValue } from './bodies';
import { sendValid } from './instance-store';
import { findLinkedOperation } from './links';
import type { InstanceRun } from './bases';
import {
  isCompleted,
  isNotFoundReply,
  conclusiveReplyOf,
  omitOptionalParameters,
  addFindings,
  type Scenario,
} from './scenario';

type Send = (label: string, difference?: { headers?: readonly Header[]; operation?: Operation }) => Promise<CaseResult>;

/** Repeats each GET as HEAD, and with the conditions and ranges that the contract declares. */
export async function* checkConditions(run: InstanceRun): AsyncGenerator<CaseResult> {
  const { operations } = run.suite.model;
  for (const get of operations.filter(({ method }) => method === 'GET')) {
    const head = operations.find(({ method, path }) => method === 'HEAD' && isSamePath(get.path, path));
    const hasHead = head !== undefined && run.isAllowed(head);
    if (!hasHead && !declaresSupport(get, '304', 'if-') && !declaresSupport(get, '206', 'range')) continue;
    const send = await createSend(run, get);
    if (!send) continue;
    if (hasHead) {
      const sendUnknown = await createSend(run, get, true);
      yield* compareHead(run, send, head);
      if (sendUnknown) yield* compareHead(run, sendUnknown, head);
    }
    yield* sendConditions(run, get, send);
  }
}

/** A server may ignore conditions and ranges unless the contract declares the status or a header with this prefix. */
function declaresSupport({ replies, parameters }: Operation, status: string, prefix: string): boolean {
  return (
    replies.has(status) || parameters.some(({ in: location, name }) => location === 'header' && hasPrefix(name, prefix))
  );
}

function hasPrefix(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix) && !/^if-(?:match|unmodified)/i.test(name);
}

/** Returns a function that sends a GET, with an unknown last id if `isUnknown`; undefined if that is impossible. */
async function createSend(
  { tools, links, instances, isAllowed }: InstanceRun,
  get: Operation,
  isUnknown = false,
): Promise<Send | undefined> {
  const values = isAllowed(get) ? await instances.valuesWithParentIds(get) : undefined;
  const last = isUnknown ? get.parameters.findLast(({ in: location }) => location === 'path') : undefined;
  if (!values || (isUnknown && !last)) return undefined;
  const ids = new Set(findLinkedOperation(links, get)?.origins.keys());
  const isDeclared = ['206', '304'].some((status) => get.replies.has(status));
  const parameters = new Map(last && [[last, writeParameter(last, createFreshValue(values, last, 987_654_321))]]);
  return (label, { headers = [], operation = get } = {}) => {
    const request = validRequest(values, get, omitOptionalParameters(get, ids, { headers, parameters }));
    const expect = !last && (headers.length === 0 || isDeclared) ? 'accepted' : 'answered';
    return sendValid(tools, operation, { ...request, method: operation.method }, { label, expect });
  };
}

const COMPARED_HEADERS: readonly (readonly [name: string, check: CheckName])[] = [
  ['content-length', 'head-length'],
  ['content-type', 'head-fields'],
  ['etag', 'head-fields'],
  ['last-modified', 'head-fields'],
];

/** Sends GET before and after HEAD, so that a change in between is not reported. */
async function* compareHead(
  scenario: Pick<Scenario, 'tools'>,
  send: Send,
  head: Operation,
): AsyncGenerator<CaseResult> {
  const label = 'to compare HEAD with GET';
  const [first, headResult, last] = [await send(label), await send(label, { operation: head }), await send(label)];
  const [before, headReply, after] = [first, headResult, last].map(conclusiveReplyOf);
  const areComparable = [before, headReply, after].every((reply) => reply?.status === 200);
  const findings = areComparable && before && headReply && after ? findDifferentFields(before, headReply, after) : [];
  const isHeadOnly = isCompleted(headReply) && isNotFoundReply(before) && isNotFoundReply(after);
  const text = `HEAD is answered ${String(headReply?.status)}, and GET ${String(after?.status)}`;
  yield* [first, addFindings(scenario, headResult, isHeadOnly ? [{ check: 'head-status', text }] : findings), last];
}

function findDifferentFields(before: WireReply, head: WireReply, after: WireReply): Finding[] {
  return COMPARED_HEADERS.flatMap(([name, check]): Finding[] => {
    const [first, inHead, last] = [before, head, after].map((reply) => valuesOf(reply, name)[0]);
    const isDifferent = inHead !== undefined && first !== undefined && first === last && inHead !== first;
    return isDifferent
      ? [{ check, text: `${name} is ${inHead} in the reply to HEAD, but ${first} in that to GET` }]
      : [];
  });
}

/** An entity tag that no server would choose. */
export const OTHER_TAG = '"of-something-else"';
const DAY_MS = 86_400_000;

type Condition = readonly [headers: readonly Header[], findViolations: (reply: WireReply) => Finding[]];

async function* sendConditions(
  scenario: Pick<Scenario, 'tools'>,
  get: Operation,
  send: Send,
): AsyncGenerator<CaseResult> {
  const result = await send('read it, to ask again');
  yield result;
  const first = conclusiveReplyOf(result);
  if (first?.status !== 200 || first.isClosedEarly) return;
  const conditions = [
    ...(declaresSupport(get, '304', 'if-') ? createConditions(get, first) : []),
    ...(declaresSupport(get, '206', 'range') ? createRangeConditions(get, first) : []),
  ];
  for (const [headers, findViolations] of conditions) {
    const label = `read it with ${headers.map(([name, value]) => `${name}: ${value}`).join(', ')}`;
    const conditionalResult = await send(label, { headers });
    const reply = conclusiveReplyOf(conditionalResult);
    yield addFindings(scenario, conditionalResult, reply ? findViolations(reply) : []);
  }
}

function createConditions(get: Operation, first: WireReply): Condition[] {
  const [etag] = valuesOf(first, 'etag');
  const lastModified = Date.parse(valuesOf(first, 'last-modified')[0] ?? '');
  // If the reply has another tag, the resource has changed in the meantime.
  const findIgnoredCondition = (reply: WireReply): Finding[] => {
    const isIgnored = isCompleted(reply) && valuesOf(reply, 'etag')[0] === etag;
    const text = `the status is ${String(reply.status)} and not 304, although ETag is still ${String(etag)} as in If-None-Match`;
    return isIgnored ? [{ check: 'if-none-match-ignored', text }] : [];
  };
  const findWrong304 = ({ status }: WireReply): Finding[] =>
    status === 304
      ? [{ check: 'not-modified', text: 'the status is 304, although the client has something else' }]
      : [];
  const hasTestableEtag = declaresSupport(get, '304', 'if-none-match') && etag !== undefined;
  return [
    ...(hasTestableEtag
      ? ([
          [[['If-None-Match', etag]], findIgnoredCondition],
          [[['If-None-Match', `${OTHER_TAG}, ${etag}`]], findIgnoredCondition],
          [[['If-None-Match', OTHER_TAG]], findWrong304],
        ] as const)
      : []),
    ...(Number.isNaN(lastModified)
      ? []
      : ([[[['If-Modified-Since', new Date(lastModified - DAY_MS).toUTCString()]], findWrong304]] as const)),
  ];
}

function createRangeConditions(get: Operation, first: WireReply): Condition[] {
  const [etag] = valuesOf(first, 'etag');
  const findWrongPart = (reply: WireReply): Finding[] => {
    const [, from, to, length] = readContentRange(reply);
    const isPart = reply.status === 206 && from !== undefined;
    const bytes = isPart ? first.body.subarray(Number(from), Number(to) + 1) : first.body;
    // Unless a strong entity tag has stayed the same, the resource may have changed in the meantime.
    const isSameVersion = etag?.startsWith('"') === true && valuesOf(reply, 'etag')[0] === etag;
    const isWrong =
      (isPart && (reply.body.length !== Number(to) - Number(from) + 1 || Number(to) >= Number(length))) ||
      (isSameVersion && (isPart || reply.status === 200) && !reply.body.equals(bytes));
    const text = `the ${String(reply.status)} has ${String(reply.body.length)} bytes, which are not those of ${isPart ? `Content-Range ${from}-${String(to)}/${String(length)}` : 'the whole'}`;
    return isWrong ? [{ check: 'range', text }] : [];
  };
  const findWrongIfRange = ({ status }: WireReply): Finding[] =>
    status === 206 ? [{ check: 'range', text: 'the status is 206, although If-Range has another entity tag' }] : [];
  const findPartBeyondEnd = (reply: WireReply): Finding[] => {
    // The resource may have grown, so the length in this reply counts too.
    const isBeyond = reply.status === 206 && !(Number(readContentRange(reply)[3]) > first.body.length);
    return isBeyond ? [{ check: 'range', text: 'the status is 206, although the range begins behind the end' }] : [];
  };
  if (first.body.length < 3) return [];
  return [
    [[['Range', 'bytes=1-1']], findWrongPart],
    ...(findReply(get, 416) ? [[[['Range', `bytes=${String(first.body.length)}-`]], findPartBeyondEnd] as const] : []),
    [
      [
        ['Range', 'bytes=1-1'],
        ['If-Range', OTHER_TAG],
      ],
      findWrongIfRange,
    ],
  ];
}

function readContentRange(reply: WireReply): readonly (string | undefined)[] {
  return /^bytes (\d+)-(\d+)\/(\d+)$/.exec(valuesOf(reply, 'content-range')[0] ?? '') ?? [];
}
