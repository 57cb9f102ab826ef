// Checks nested resources, such as `/shelves/{shelf}/books/{book}`, and work that a 202 accepts.
import { setTimeout as wait } from 'node:timers/promises';
import { findReply, type Operation } from '../contract/model';
import { matchesPath, parametersOf } from '../contract/path-template';
import { findJsonContent } from '../contract/read-content';
import { propertiesOf, rulesOf } from '../contract/schema';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, Finding } from '../oracle/checks';
import { isJsonObject, toText } from '../wire/json';
import type { WireRequest } from '../wire/request';
import { createValidBodies, type ValidBody } from './bodies';
import { idOf } from './check-list';
import { findId, locationOf } from './find-id';
import { sendValid, type Instance } from './instance-store';
import { findLifecycles, findLinkedOperation, isLinked, type Links } from './links';
import { readPages } from './read-pages';
import {
  findDifferences,
  findRepresentation,
  readRepresentation,
  unwrapEnvelope,
  writableOf,
  type WritableProperties,
} from './representation';
import type { RequestAndReply } from './runtime-expression';
import {
  callOnInstance,
  declares404Or410,
  isCompleted,
  isNotFoundReply,
  conclusiveReplyOf,
  addFindings,
  addFindingsAtEnd,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { createInstance, deleteInstance, idShownBy, readInstance } from './steps';
import type { InstanceRun } from './bases';

/** Looks for an instance below another parent, and below its own parent after deleting that parent. */
export async function* checkParents(scenario: Scenario, { links, isAllowed }: InstanceRun): AsyncGenerator<CaseResult> {
  const { lifecycle } = scenario;
  const parentLifecycle = findParentLifecycle(links, scenario, isAllowed);
  if (!parentLifecycle || !lifecycle.read || !declares404Or410(lifecycle.read.operation)) return;
  const parentScenario: Scenario = { ...scenario, lifecycle: parentLifecycle, created: [] };
  const [ownParent, otherParent] = [yield* createInstance(parentScenario), yield* createInstance(parentScenario)];
  const child = ownParent && (yield* createInstance(scenario, 0, ownParent.instance));
  if (!otherParent || !child) return;
  yield* readInstance(scenario, child);
  const { instance } = child;
  yield* checkAbsence(
    scenario,
    child,
    { ...instance, parents: [...otherParent.instance.parents, otherParent.instance] },
    (text) => ({
      check: 'wrong-parent',
      text: `${text} below another ${parentLifecycle.resource.path} than its own`,
    }),
  );
  yield* deleteInstance(parentScenario, ownParent);
  // If the server still shows the deleted parent, it may show the child too.
  if (ownParent.isDeleted) yield* readInstance(parentScenario, ownParent);
  if (ownParent.isGone)
    yield* checkAbsence(scenario, child, instance, (text) => ({
      check: 'deleted-readable',
      text: `${text} below ${parentLifecycle.resource.path} with the id ${toText(ownParent.instance.id)}, which is deleted`,
    }));
  child.isDeleted = ownParent.isDeleted;
  yield* deleteInstance(parentScenario, otherParent);
}

function findParentLifecycle(
  links: Links,
  { lifecycle: { create, resource: ownResource } }: Scenario,
  isAllowed: (operation: Operation) => boolean,
): Scenario['lifecycle'] | undefined {
  const origins = [...(findLinkedOperation(links, create)?.origins.values() ?? [])];
  const parent = origins
    .flatMap((origin) => ('resource' in origin && origin.resource !== ownResource ? [origin.resource] : []))
    .at(-1);
  return findLifecycles(links, isAllowed).find(({ resource }) => resource === parent);
}

async function* checkAbsence(
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
  // A path such as `/books/{bookId}` has no parent id.
  if (parametersOf(resource.path).length > 1) {
    const step = { label: 'read it below another parent, or a deleted one', expect: 'answered' } as const;
    const result = await callOnInstance(scenario, read, { ...child, instance }, step);
    const reply = conclusiveReplyOf(result);
    const shown = isCompleted(reply) ? readRepresentation(read.operation, reply, writable) : undefined;
    const isShown =
      shown && idShownBy(shown, resource) === id && findDifferences(expected, shown, writable).length === 0;
    yield addFindings(scenario, result, isShown ? [toFinding(`the resource ${id} can be read`)] : []);
  }
  const values = list && (await instances.valuesWithParentIds(list.operation, instance.parents.at(-1)));
  if (!values || !list.operation.path.includes('{')) return;
  const { items, results, pages } = await readPages({ tools, list, values }, undefined);
  const listed = items.find(
    (item) =>
      isJsonObject(item) &&
      idOf(list, item) === id &&
      findDifferences(expected, findRepresentation(list.itemSchema, item, writable), writable).length === 0,
  );
  const findings = listed === undefined ? [] : [{ ...toFinding(`the resource ${id} is listed`), item: listed }];
  yield* addFindingsAtEnd(scenario, results, findings, pages);
}

// The waits before each read, since accepted work may take time to become visible and to finish.
const READ_DELAYS_MS = [0, 250, 500, 1_000, 2_000];

/** Follows a 202's Location or id, and reads the result until its state no longer changes. */
export async function* followAccepted(run: InstanceRun): AsyncGenerator<CaseResult> {
  const { suite, tools, links, instances, isAllowed } = run;
  const { operations } = suite.model;
  for (const operation of operations.filter((candidate) => candidate.replies.has('202') && isAllowed(candidate))) {
    const linkedOperation = findLinkedOperation(links, operation);
    const parent = linkedOperation && (await instances.getShared(linkedOperation.resource));
    if (!isLinked(links, operation) || (parent && !parent.isCreatedByRun)) continue;
    const values = linkedOperation ? parent && (await instances.bindIds(linkedOperation, parent)) : tools.values;
    if (!values) continue;
    const [body] = createValidBodies(values, operation);
    const result = await sendValid(
      tools,
      operation,
      validRequest(values, operation, body),
      'to follow what it accepts',
    );
    yield result;
    const reply = conclusiveReplyOf(result);
    if (reply?.status !== 202) continue;
    const exchange = { operation, request: result.case.request, reply };
    const acceptedRead = createReadFromLocation(run, exchange) ?? (await createReadFromId(run, exchange, parent));
    if (acceptedRead && findReply(acceptedRead.read, 404)) yield* readAccepted(run, acceptedRead, body);
  }
}

/** The request that reads the result of accepted work, and the findings if it still gets 404 in the end. */
interface AcceptedRead {
  readonly read: Operation;
  readonly request: WireRequest;
  readonly findingsIfLost: readonly Finding[];
}

function createReadFromLocation({ suite, tools }: InstanceRun, exchange: RequestAndReply): AcceptedRead | undefined {
  const findTarget = ({ server }: Operation): string => locationOf(exchange, tools.target.base, server) ?? '';
  const read = suite.model.operations.find(
    (candidate) =>
      candidate.method === 'GET' && matchesPath(candidate.path, findTarget(candidate).split('?', 1)[0] ?? ''),
  );
  if (!read) return undefined;
  const target = findTarget(read);
  const findingsIfLost = [{ check: 'accepted-lost', text: `Location of a 202 leads to nothing: ${target}` }] as const;
  return { read, request: { ...validRequest(tools.values, read), target }, findingsIfLost };
}

async function createReadFromId(
  { tools, links, instances }: InstanceRun,
  accepted: RequestAndReply,
  parent: Instance | undefined,
): Promise<AcceptedRead | undefined> {
  const resource = links.resources.find(({ create }) => create === accepted.operation);
  const id = resource && findId(resource, accepted, tools.target.base);
  const linkedOperation = links.linkedOperations.find(
    ({ operation, resource: linkedResource }) =>
      linkedResource === resource && operation.method === 'GET' && operation.path === linkedResource.path,
  );
  if (!linkedOperation || !resource || id === undefined) return undefined;
  const { operation } = linkedOperation;
  const parents = parent ? [...parent.parents, parent] : [];
  const values = await instances.bindIds(linkedOperation, { resource, id, parents });
  const [shown, read] = [findReply(accepted.operation, 202), findReply(operation, 200)].map(
    (reply) => findJsonContent(reply?.contents ?? [])?.schema.schemaObjects[0]?.pointer,
  );
  // If the 202 and the GET have the same schema, the resource must already exist. Otherwise, it may appear much later.
  const text = `the id of a 202 leads to nothing: ${toText(id)}`;
  const findingsIfLost: readonly Finding[] =
    shown !== undefined && shown === read ? [{ check: 'accepted-lost', text }] : [];
  return values && { read: operation, request: validRequest(values, operation), findingsIfLost };
}

async function* readAccepted(
  { tools }: Pick<Scenario, 'tools'>,
  { read, request, findingsIfLost }: AcceptedRead,
  sent: ValidBody | undefined,
): AsyncGenerator<CaseResult> {
  const writable: WritableProperties = sent?.value === undefined ? new Map() : writableOf(sent.content.schema);
  const bodies: string[] = [];
  for (const [index, delay] of READ_DELAYS_MS.entries()) {
    await wait(delay);
    const result = await sendValid(tools, read, request, 'read what a 202 leads to');
    const reply = conclusiveReplyOf(result);
    const isLost = isNotFoundReply(reply);
    if (isLost && index < READ_DELAYS_MS.length - 1) continue;
    const shown = isCompleted(reply) ? readRepresentation(read, reply, writable) : undefined;
    const differences = shown ? findDifferences(unwrapEnvelope(sent?.value, writable), shown, writable) : [];
    const findings = differences.flatMap(({ text, isChanged }): Finding[] =>
      isChanged ? [{ check: 'value-changed', text }] : [],
    );
    yield addFindings({ tools }, result, isLost ? findingsIfLost : findings);
    bodies.push(reply?.body.toString() ?? '');
    const hasState =
      shown && [...propertiesOf(shown.schema).values()].some((property) => rulesOf(property, 'enum').length > 0);
    const isSettled = bodies.at(-1) === bodies.at(-2) && bodies.at(-1) !== bodies[0];
    if (isLost || !hasState || isSettled) return;
  }
}
