// Checks what HTTP says of conditional requests and of HEAD (RFC 9110 sections 8.6, 9.3.2 and 13).
import { isSamePath } from '../contract/path-template';
import type { Operation, Parameter } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import { isSame } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { createSingleMemberBodies, createValidBodies } from './bodies';
import { isIfMatch, sendValid } from './instance-store';
import { findLinkedOperation } from './links';
import type { InstanceRun } from './run-instance-cases';
import {
  callOnInstance,
  isCompleted,
  judgeableReplyOf,
  withFindings,
  withFindingsAtEnd,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { readInstance } from './steps';

/** Reads an instance with its current entity tag in If-None-Match: the reply must be 304. */
export async function* readUnchanged(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { read } = scenario.lifecycle;
  yield* readInstance(scenario, tracked);
  const { etag } = tracked;
  // A contract that declares neither says that its entity tags are for changes.
  const isDeclared = read && (read.operation.replies.has('304') || read.operation.parameters.some(isIfNoneMatch));
  if (!isDeclared || etag === undefined || tracked.isDeleted) return;
  const result = await callOnInstance(scenario, read, tracked, {
    label: 'read it with its entity tag in If-None-Match',
    headers: [['If-None-Match', etag]],
    expect: read.operation.replies.has('304') ? 'accepted' : 'answered',
  });
  const reply = judgeableReplyOf(result);
  // With another tag, somebody has changed it meanwhile.
  const isIgnored = isCompleted(reply) && valuesOf(reply, 'etag')[0] === etag;
  const text = `the status is ${String(reply?.status)} and not 304, although ETag is still ${etag} as in If-None-Match`;
  yield withFindings(scenario, result, isIgnored ? [{ check: 'if-none-match-ignored', text }] : []);
}

function isIfNoneMatch({ in: place, name }: Parameter): boolean {
  return place === 'header' && name.toLowerCase() === 'if-none-match';
}

// A race is won by chance.
const ROUNDS = 4;

/** Sends two different changes at once with the same current If-Match: at most one may have success. */
export async function* changeAtOnce(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const linked = [lifecycle.patch, lifecycle.replace].find((each) => each?.operation.parameters.some(isIfMatch));
  if (!linked || tools.target.watch) return;
  const whole = createValidBodies(tools.values, linked.operation);
  const single = linked.operation.method === 'PATCH' ? createSingleMemberBodies(tools.values, whole) : whole;
  for (let round = 0; round < ROUNDS; round++) {
    yield* readInstance(scenario, tracked);
    const { etag: ifMatch } = tracked;
    const [base] = single;
    if (ifMatch === undefined || !base || tracked.isDeleted) return;
    const bodies = [base, base].map((body) => instances.freshen(body, tracked.instance));
    if (isSame(bodies[0]?.value, bodies[1]?.value)) return;
    const label = 'change it, two concurrently with the same If-Match';
    const sent = await Promise.all(
      bodies.map((body) => callOnInstance(scenario, linked, tracked, { ...body, label, ifMatch })),
    );
    Object.assign(tracked, { expected: undefined, unverifiedChange: undefined, lastShown: undefined });
    const reads = await Array.fromAsync(readInstance(scenario, tracked));
    // A change that no reply shows, such as that of a password, need not change the entity tag.
    const areBothDone = tracked.etag !== ifMatch && sent.every((result) => isCompleted(judgeableReplyOf(result)));
    const text = `two concurrent changes with the same If-Match ${ifMatch} both succeed`;
    yield* withFindingsAtEnd(scenario, sent, areBothDone ? [{ check: 'if-match-race', text }] : []);
    yield* reads;
    if (areBothDone) return;
  }
}

const HEAD_FIELDS: readonly (readonly [name: string, check: CheckName])[] = [
  ['content-length', 'head-length'],
  ['content-type', 'head-fields'],
  ['etag', 'head-fields'],
  ['last-modified', 'head-fields'],
];

/** Compares the fields of the reply to HEAD with those of GET, before and after it; HEAD may leave out fields. */
export async function* compareHeads(state: InstanceRun): AsyncGenerator<CaseResult> {
  const { operations } = state.suite.model;
  for (const head of operations.filter(({ method }) => method === 'HEAD')) {
    const get = operations.find(({ method, path }) => method === 'GET' && isSamePath(path, head.path));
    if (get) yield* compareHead(state, get, head);
  }
}

async function* compareHead(
  { tools, links, instances, isAllowed }: InstanceRun,
  get: Operation,
  head: Operation,
): AsyncGenerator<CaseResult> {
  if (!isAllowed(get) || !isAllowed(head)) return;
  const linked = findLinkedOperation(links, get);
  const instance = linked && (await instances.getShared(linked.resource));
  const values = linked ? instance && (await instances.bindIds(linked, instance)) : tools.values;
  if (!values || (!linked && get.path.includes('{'))) return;
  const request = validRequest(values, get);
  const send = (operation: Operation): Promise<CaseResult> =>
    sendValid(tools, operation, { ...request, method: operation.method }, 'to compare HEAD with GET');
  const [first, own, last] = [await send(get), await send(head), await send(get)];
  const [before, inHead, after] = [first, own, last].map(judgeableReplyOf);
  const areComparable = [before, inHead, after].every((reply) => reply?.status === 200);
  const findings = areComparable && before && inHead && after ? findOtherFields(before, inHead, after) : [];
  yield* [first, withFindings({ tools }, own, findings), last];
}

function findOtherFields(before: WireReply, own: WireReply, after: WireReply): Finding[] {
  return HEAD_FIELDS.flatMap(([name, check]): Finding[] => {
    const [first, inHead, last] = [before, own, after].map((reply) => valuesOf(reply, name)[0]);
    const isOther = inHead !== undefined && first !== undefined && first === last && inHead !== first;
    return isOther ? [{ check, text: `${name} is ${inHead} in the reply to HEAD, but ${first} in that to GET` }] : [];
  });
}
