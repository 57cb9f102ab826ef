// Checks resources below others, such as `/shelves/{shelf}/books/{book}`, and what a 202 promises.
import { setTimeout as wait } from 'node:timers/promises';
import { findReply, type Operation } from '../contract/model';
import { matchesPath, parametersOf } from '../contract/path-template';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, Finding } from '../oracle/checks';
import { isJsonObject, toText } from '../wire/json';
import { idOf } from './check-list';
import { locationOf } from './find-id';
import { sendValid, type Instance } from './instance-store';
import { findLifecycles, findLinkedOperation, isLinked, type Links } from './links';
import { readPages } from './read-pages';
import { findDifferences, findRepresentation, readRepresentation } from './representation';
import {
  callOnInstance,
  declares404Or410,
  isCompleted,
  isNotFoundReply,
  judgeableReplyOf,
  withFindings,
  withFindingsAtEnd,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { createInstance, deleteInstance, idShownBy, readInstance } from './steps';
import type { InstanceRun } from './run-instance-cases';

/**
 * Looks for an instance below another parent than its own, and after the deletion of its own: it must be in neither
 * place. Creates both parents.
 */
export async function* checkParents(scenario: Scenario, { links, isAllowed }: InstanceRun): AsyncGenerator<CaseResult> {
  const { lifecycle } = scenario;
  const parentLifecycle = findParentLifecycle(links, scenario, isAllowed);
  if (!parentLifecycle || !lifecycle.read || !declares404Or410(lifecycle.read.operation)) return;
  const ofParents: Scenario = { ...scenario, lifecycle: parentLifecycle, created: [] };
  const [own, other] = [yield* createInstance(ofParents), yield* createInstance(ofParents)];
  const child = own && (yield* createInstance(scenario, 0, own.instance));
  if (!other || !child) return;
  yield* readInstance(scenario, child);
  const { instance } = child;
  yield* findBelow(scenario, child, { ...instance, parents: [...other.instance.parents, other.instance] }, (text) => ({
    check: 'wrong-parent',
    text: `${text} below another ${parentLifecycle.resource.path} than its own`,
  }));
  yield* deleteInstance(ofParents, own);
  // One that the server keeps because of its child may show that it has one, such as in its stock.
  if (own.isDeleted) yield* readInstance(ofParents, own);
  if (own.isGone)
    yield* findBelow(scenario, child, instance, (text) => ({
      check: 'deleted-readable',
      text: `${text} below ${parentLifecycle.resource.path} with the id ${toText(own.instance.id)}, which is deleted`,
    }));
  child.isDeleted = own.isDeleted;
  yield* deleteInstance(ofParents, other);
}

function findParentLifecycle(
  links: Links,
  { lifecycle: { create, resource: own } }: Scenario,
  isAllowed: (operation: Operation) => boolean,
): Scenario['lifecycle'] | undefined {
  const origins = [...(findLinkedOperation(links, create)?.origins.values() ?? [])];
  const parent = origins.flatMap((of) => ('resource' in of && of.resource !== own ? [of.resource] : [])).at(-1);
  return findLifecycles(links, isAllowed).find(({ resource }) => resource === parent);
}

/** Reads an instance, and its list, as if it had the given parents. */
async function* findBelow(
  scenario: Scenario,
  child: TrackedInstance,
  instance: Instance,
  toFinding: (text: string) => Finding,
): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const { read, list, writable, resource } = lifecycle;
  const id = toText(child.instance.id);
  const expected = child.lastShown?.value;
  if (!read || !expected) return;
  // A path such as `/books/{bookId}` names no parent.
  if (parametersOf(resource.path).length > 1) {
    const step = { label: 'read it below another parent, or a deleted one', expect: 'answered' } as const;
    const result = await callOnInstance(scenario, read, { ...child, instance }, step);
    const reply = judgeableReplyOf(result);
    const shown = isCompleted(reply) ? readRepresentation(read.operation, reply, writable) : undefined;
    const isShown =
      shown && idShownBy(shown, resource) === id && findDifferences(expected, shown, writable).length === 0;
    yield withFindings(scenario, result, isShown ? [toFinding(`the resource ${id} can be read`)] : []);
  }
  const values = list && (await instances.valuesWithParentIds(list.operation, instance.parents.at(-1)));
  if (!values || !list.operation.path.includes('{')) return;
  const { items, results } = await readPages({ tools, list, values }, undefined);
  const isListed = items.some(
    (item) =>
      isJsonObject(item) &&
      idOf(list, item) === id &&
      findDifferences(expected, findRepresentation(list.itemSchema, item, writable), writable).length === 0,
  );
  yield* withFindingsAtEnd(scenario, results, isListed ? [toFinding(`the resource ${id} is listed`)] : []);
}

// Before it is there, what was accepted may need some time.
const DELAYS = [0, 500, 1_000, 2_000];

/** Reads what the Location of a 202 leads to. */
export async function* followAccepted({
  suite,
  tools,
  links,
  instances,
  isAllowed,
}: InstanceRun): AsyncGenerator<CaseResult> {
  const { operations } = suite.model;
  for (const operation of operations.filter((each) => each.replies.has('202') && isAllowed(each))) {
    const linked = findLinkedOperation(links, operation);
    const instance = linked && (await instances.getShared(linked.resource));
    if (!isLinked(links, operation) || (instance && !instance.isCreatedByRun)) continue;
    const values = linked ? instance && (await instances.bindIds(linked, instance)) : tools.values;
    if (!values) continue;
    const result = await sendValid(tools, operation, validRequest(values, operation), 'to follow its Location');
    yield result;
    const reply = judgeableReplyOf(result);
    const { request } = result.case;
    const targetBelow = ({ server }: Operation): string | undefined =>
      reply?.status === 202 ? locationOf({ request, reply }, tools.target.base, server) : undefined;
    const pathBelow = (each: Operation): string => targetBelow(each)?.split('?', 1)[0] ?? '';
    const read = operations.find((each) => each.method === 'GET' && matchesPath(each.path, pathBelow(each)));
    const target = read && targetBelow(read);
    if (!read || target === undefined || !findReply(read, 404)) continue;
    yield* readAccepted({ tools }, read, target);
  }
}

async function* readAccepted(
  scenario: Pick<Scenario, 'tools'>,
  read: Operation,
  target: string,
): AsyncGenerator<CaseResult> {
  const request = { ...validRequest(scenario.tools.values, read), target };
  for (const [index, delay] of DELAYS.entries()) {
    await wait(delay);
    const result = await sendValid(scenario.tools, read, request, 'read the Location of a 202');
    const isLost = isNotFoundReply(judgeableReplyOf(result));
    const isLast = index === DELAYS.length - 1 || !isLost;
    if (!isLast) continue;
    const text = `Location of a 202 leads to nothing: ${target}`;
    yield withFindings(scenario, result, isLost ? [{ check: 'accepted-lost', text }] : []);
    return;
  }
}
