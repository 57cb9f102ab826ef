// Runs the cases of an operation with the id of an existing instance.
import { levelOf, type Case } from '../case';
import type { Operation } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { includes } from '../level';
import { sentBody } from '../oracle/echo';
import { inOrder } from '../pool';
import { runCase, type CaseResult, type Tools } from '../run-case';
import { sampleCases, type Sample } from '../sample';
import type { Suite } from '../suite';
import { isSame } from '../wire/json';
import { idsChosenIn } from './find-id';
import type { Instance } from './instance';
import { deriveCasesOnInstance, redirectToInstance } from './instance-cases';
import type { InstanceStore } from './instance-store';
import type { LinkedOperation, Links } from './links';
import { isSamePath } from './path-template';
import { sendValid } from './send-valid';

/** How the stateful cases are run. */
export interface StatefulOptions {
  /** Whether valid requests to an operation are sent; all are unless it is set. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** About how many cases of an operation, if not all. */
  readonly sample?: Sample | undefined;
  /** How many cases are under way at once, one unless it is set. */
  readonly workers?: number;
}

/** What the stateful cases work with. */
export interface State {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly instances: InstanceStore;
  /** Whether valid requests are sent to an operation. */
  readonly isAllowed: (operation: Operation) => boolean;
  readonly options: StatefulOptions;
}

/** Runs the cases of an operation on an existing instance; if there is none, the operation is listed as untried. */
export async function* runInstanceCases(state: State, linked: LinkedOperation): AsyncGenerator<CaseResult> {
  const { suite, instances, options } = state;
  const { operation, resource } = linked;
  const instance = await instances.getShared(resource);
  const values = instance && (await instances.bindIds(linked, instance));
  yield* takeFailedResults(instances);
  if (!values) {
    suite.model.contract.untried.add({ reason: 'ids that nothing was made or found for', pointer: operation.pointer });
    return;
  }
  if (isReading(operation)) yield* createByPut(state, linked, instance);
  const cases = deriveCasesOnInstance(suite.model, values, linked).filter((testCase) =>
    mayRun(state, linked, instance, testCase),
  );
  const chosen = options.sample ? sampleCases(cases, options.sample) : cases;
  const defaultRequest = validRequest(values, operation);
  // With ids that the client chooses, two cases at once could use the same one.
  const workers = resource.isIdChosenByClient ? 1 : (options.workers ?? 1);
  for await (const result of inOrder(chosen, workers, (testCase) =>
    runOnInstance(state, linked, instance, { testCase, defaultRequest }),
  )) {
    if (!result) continue;
    suite.coverage.record(result);
    yield result;
  }
  yield* takeFailedResults(instances);
}

/**
 * Whether a case may be sent: it is of the level of the run, a valid request is to an operation that is allowed, and
 * only instances that the run created are changed.
 */
function mayRun(
  { suite, isAllowed }: State,
  { operation }: LinkedOperation,
  instance: Instance,
  testCase: Case,
): boolean {
  return (
    includes(suite.level, levelOf(testCase)) &&
    (testCase.expect === 'refused' || isAllowed(operation)) &&
    (instance.isOurs || isReading(operation))
  );
}

function isReading({ method }: Operation): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/**
 * Sends a PUT to the path of an operation that reads, so that there is something to read, if the path is below that of
 * an instance: `/books/{id}/photo`. Sends nothing if there is no such PUT, or the run did not create the instance.
 */
async function* createByPut(
  { tools, links, instances, isAllowed }: State,
  { operation, resource }: LinkedOperation,
  instance: Instance,
): AsyncGenerator<CaseResult> {
  const isBelowInstance = !isSamePath(operation.path, resource.path);
  const put = links.linkedOperations.find(
    (linked) => linked.operation.method === 'PUT' && linked.operation.path === operation.path,
  );
  if (!put || !isBelowInstance || !instance.isOurs || !isAllowed(put.operation)) return;
  const values = await instances.bindIds(put, instance);
  if (!values) return;
  yield await sendValid(tools, put.operation, validRequest(values, put.operation), 'puts what is read next');
}

/**
 * Sends a case to the instance that all cases share, or to a new one if it is a valid request that may change it.
 *
 * @param defaultRequest the default request of the operation on the shared instance
 * @returns undefined when the case is not sent, but listed as untried
 */
async function runOnInstance(
  { suite, tools, links, instances }: State,
  linked: LinkedOperation,
  shared: Instance,
  { testCase, defaultRequest }: { readonly testCase: Case; readonly defaultRequest: Case['request'] },
): Promise<CaseResult | undefined> {
  const { oracle, target } = tools;
  const { operation, resource } = linked;
  // To create something below an instance, such as a copy of a book, does not change the instance.
  const isCreating = links.resources.some(({ create }) => create === operation);
  const mayChange = testCase.expect === 'accepted' && !isCreating && !isReading(operation);
  if (!mayChange) return runCase(oracle, target, testCase);
  const created = await instances.createNew(resource);
  // If no other can be created, use up the shared one: the next case then creates another.
  if (!created) instances.forgetShared(resource);
  const instance = created ?? shared;
  const values = await instances.bindIds(linked, instance);
  if (!values || hasOtherId(instance, testCase)) {
    suite.model.contract.untried.add({
      reason: 'bodies that have another id than their path',
      pointer: testCase.pointer,
    });
    return undefined;
  }
  const request = redirectToInstance(testCase.request, defaultRequest, validRequest(values, operation));
  return runCase(oracle, target, { ...testCase, request });
}

/** Whether the body has another id than the instance: no standard says whether the id in path or body counts then. */
function hasOtherId({ resource: { idExpressions }, id }: Instance, testCase: Case): boolean {
  return idsChosenIn(sentBody(testCase), idExpressions).some((chosenId) => !isSame(chosenId, id));
}

/** The results with findings of the requests that created or found instances; those without are of no interest. */
function* takeFailedResults(instances: InstanceStore): Generator<CaseResult> {
  for (const result of instances.takeResults()) if (result.findings.length > 0) yield result;
}
