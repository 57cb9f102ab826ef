// Runs the stateful cases: a scenario for each resource, and checks that need an existing instance.
import type { CaseResult } from '../oracle/checks';
import type { Operation } from '../contract/model';
import type { Target } from '../exchange/exchange';
import type { Suite } from '../suite';
import { validRequest } from '../generators/valid-request';
import { valuesOf } from '../wire/reply';
import { isCompleted, conclusiveReplyOf, track, type Scenario, type TrackedInstance } from './scenario';
import { findActions, findBelow, findLifecycles, findLinks, findSingletons, isLinked } from './links';
import type { InstanceRun, StatefulOptions } from './bases';
import { InstanceStore, isIfMatch, sendValid } from './instance-store';
import { changeDeleted, changeOnFalseCondition, updateInstance } from './change-instance';
import { createValidBodies, type ValidBody } from './bodies';
import { unwrapEnvelope } from './representation';
import { checkList, checkPages } from './check-list';
import { includes } from '../contract/standards';
import {
  checkAction,
  callAsOther,
  createConcurrently,
  patchConcurrently,
  patchWithNull,
  checkIdempotencyKey,
} from './check-hazards';
import { checkConditions } from './check-conditions';
import { checkParents, followAccepted } from './check-hierarchy';
import { sendInvalidBodies, sendReadOnly } from './check-storage';
import { createInstance, deleteInstance, followLocation, readInstance } from './steps';

/** Runs the stateful cases, which change and delete only instances that this run created. */
export async function* runStateful(
  suite: Suite,
  target: Target,
  options: StatefulOptions = {},
  preparedRun?: InstanceRun,
): AsyncGenerator<CaseResult> {
  const { model } = suite;
  const state = preparedRun ?? (await prepareRun(suite, target, options));
  const { links, tools, instances } = state;
  for (const { pointer } of model.operations.filter((operation) => !isLinked(links, operation)))
    model.contract.skipped.add({ reason: 'operations with ids that no other operation returns', pointer });
  for (const lifecycle of findLifecycles(links, state.isAllowed)) {
    for (const run of [runScenario, runHazards, ...(includes(suite.level, 'robust') ? [storeEachBody] : [])])
      yield* recordCoverage(suite, run({ tools, instances, lifecycle, created: [] }, state));
  }
  for (const lifecycle of findSingletons(model, links, state.isAllowed))
    yield* recordCoverage(suite, changeSingleton({ tools, instances, lifecycle, created: [] }));
  yield* recordCoverage(suite, checkConditions(state));
  yield* followAccepted(state);
  if (includes(suite.level, 'robust')) yield* checkLongLists(state);
}

async function* recordCoverage({ coverage }: Suite, results: AsyncGenerator<CaseResult>): AsyncGenerator<CaseResult> {
  for await (const result of results) {
    coverage.record(result);
    yield result;
  }
}

/** Runs at the end, when lists are long. */
async function* checkLongLists({ links, tools, instances, isAllowed }: InstanceRun): AsyncGenerator<CaseResult> {
  for (const lifecycle of findLifecycles(links, isAllowed)) {
    yield* checkListing({ tools, instances, lifecycle, created: [] });
  }
  for (const { list } of links.resources) {
    const values = list && isAllowed(list.operation) ? await instances.valuesWithParentIds(list.operation) : undefined;
    if (list && values) yield* checkPages({ tools, list, values });
  }
}

/** Prepares a run, and creates or finds the instances that request bodies refer to. */
export async function prepareRun(suite: Suite, target: Target, options: StatefulOptions): Promise<InstanceRun> {
  const { isWanted = () => true, isControlled: mayControl = () => false } = options;
  const isAllowed = (operation: Operation): boolean => isWanted(operation) && !isUnbuilt(target, operation);
  const isControlled = (operation: Operation): boolean => mayControl(operation) && !isUnbuilt(target, operation);
  const mayCall = (operation: Operation): boolean => isAllowed(operation) || isControlled(operation);
  const links = findLinks(suite.model);
  const tools = { oracle: suite.oracleFor(target.secrets), values: suite.values, target };
  const instances = new InstanceStore(tools, links, mayCall, isAllowed);
  for (const operation of suite.model.operations.filter(mayCall)) await instances.prepareReferences(operation);
  return { suite, tools, links, instances, isAllowed, isControlled };
}

function isUnbuilt({ unbuilt }: Target, { id }: Operation): boolean {
  return unbuilt?.has(id) === true;
}

// The bodies of two more instances. Lists are read two items at a time, so the third one is on the second page.
const OTHER_BODY_NUMBERS = [1, 2];

/** Creates three instances; reads, changes and deletes the first one, and checks that the others stay the same. */
async function* runScenario(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { created } = scenario;
  const first = yield* createInstance(scenario);
  if (!first) return;
  for (const bodyNumber of OTHER_BODY_NUMBERS) yield* createInstance(scenario, bodyNumber);
  for (const tracked of created) {
    yield* readInstance(scenario, tracked);
    yield* followLocation(scenario, tracked);
  }
  if (includes(scenario.tools.oracle.level, 'robust')) yield* sendInvalidBodies(scenario);
  yield* checkList(scenario);
  yield* changeInstance(scenario, first);
  if (scenario.lifecycle.replace) yield* checkList(scenario);
  const bystanders = created.slice(1);
  for (const bystander of bystanders) yield* readInstance(scenario, bystander);
  yield* deleteInstance(scenario, first);
  yield* readInstance(scenario, first);
  yield* deleteInstance(scenario, first);
  for (const bystander of bystanders) yield* readInstance(scenario, bystander);
  yield* checkList(scenario);
  const { replace, patch } = scenario.lifecycle;
  for (const operation of [replace, patch]) yield* changeDeleted(scenario, first, operation);
  for (const tracked of created) if (!tracked.isDeleted) yield* deleteInstance(scenario, tracked);
}

/** Creates an instance from each valid body, and reads it at once, when nothing else can have changed it. */
async function* storeEachBody(scenario: Scenario): AsyncGenerator<CaseResult> {
  for (const body of createValidBodies(scenario.tools.values, scenario.lifecycle.create)) {
    const tracked = yield* createInstance(scenario, { ...body, mayBeRefused: true });
    if (!tracked) continue;
    yield* readInstance(scenario, tracked);
    yield* deleteInstance(scenario, tracked);
  }
}

async function* checkListing(scenario: Scenario): AsyncGenerator<CaseResult> {
  const first = yield* createInstance(scenario);
  if (!first) return;
  yield* readInstance(scenario, first);
  yield* checkList(scenario);
  yield* deleteInstance(scenario, first);
}

async function* runHazards(scenario: Scenario, run: InstanceRun): AsyncGenerator<CaseResult> {
  const { links, isAllowed, suite } = run;
  const first = yield* createInstance(scenario);
  if (!first) return;
  if (includes(suite.level, 'robust')) {
    const bystander = yield* createInstance(scenario, 1);
    if (bystander) yield* readInstance(scenario, bystander);
    const actions = findActions(links, scenario.lifecycle.resource, isAllowed);
    yield* createConcurrently(scenario, first);
    yield* checkIdempotencyKey(scenario);
    for (const action of actions) yield* checkAction(scenario, first, action);
    yield* patchConcurrently(scenario, first);
    if (bystander) yield* readInstance(scenario, bystander);
    yield* sendReadOnly(scenario);
    yield* checkParents(scenario, run);
    const protectedInstance = yield* createInstance(scenario);
    if (protectedInstance)
      yield* callAsOther(
        scenario,
        protectedInstance,
        actions,
        findBelow(links, scenario.lifecycle.resource, isAllowed),
      );
  }
  yield* patchWithNull(scenario, first);
  for (const tracked of scenario.created) if (!tracked.isDeleted) yield* deleteInstance(scenario, tracked);
}

/** Changes a resource without an id, which may be below an instance. */
async function* changeSingleton(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { tools, instances, lifecycle, created } = scenario;
  const { read, replace, patch, resource } = lifecycle;
  if (!read) return;
  const isBelow = read.resource !== resource;
  const parent = isBelow ? await instances.parentFor(read) : undefined;
  yield* instances.takeResults();
  if (isBelow && !parent?.isCreatedByRun) return;
  const id = { resource, id: resource.path, parents: parent ? [...parent.parents, parent] : [] };
  const values = await instances.bindIds(read, { ...id, ...(parent && { exchange: parent.exchange }) });
  const request = validRequest(values ?? tools.values, read.operation);
  const first = await sendValid(tools, read.operation, request, { label: 'read it', expect: 'answered' });
  yield first;
  const reply = conclusiveReplyOf(first);
  // If the resource does not exist yet, only a PUT without If-Match can create it.
  if (!reply || (!isCompleted(reply) && replace?.operation.parameters.some(isIfMatch) !== false)) return;
  const exchange = parent?.exchange ?? { operation: read.operation, request, reply };
  // The smallest body leaves the most to the server's defaults.
  const bodies = createValidBodies(tools.values, lifecycle.create);
  const countMembers = ({ value }: ValidBody): number => Object.keys(unwrapEnvelope(value, lifecycle.writable)).length;
  const [body] = bodies.toSorted((left, right) => countMembers(left) - countMembers(right));
  const [etag] = valuesOf(reply, 'etag');
  const tracked = track({ ...id, exchange, isCreatedByRun: true, body, etag });
  yield* updateInstance(scenario, tracked, replace, body);
  if (!isCompleted(reply) && !tracked.unverifiedChange) return;
  yield* readInstance(scenario, tracked);
  created.push({ ...tracked });
  yield* updateInstance(scenario, tracked, replace ?? patch, bodies[0]);
  yield* readInstance(scenario, tracked);
  yield* changeInstance(scenario, tracked);
}

async function* changeInstance(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { replace, patch, remove } = scenario.lifecycle;
  // The PUT may remove properties, so a second patch follows.
  for (const operation of [patch, replace, patch]) {
    yield* updateInstance(scenario, tracked, operation);
    yield* readInstance(scenario, tracked);
  }
  // These must fail: the first entity tag is outdated after the changes above, and the instance exists.
  for (const operation of [replace, patch, remove]) {
    for (const condition of ['no If-Match', 'old If-Match', 'If-None-Match'] as const) {
      yield* changeOnFalseCondition(scenario, tracked, operation, condition);
      if (operation) yield* readInstance(scenario, tracked);
    }
  }
}
