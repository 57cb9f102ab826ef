// Runs the cases of an operation with the id of an existing instance.
import type { CaseResult } from '../oracle/checks';
import { levelOf, type Case, type Expectation } from '../generators/case';
import { toBody, validRequest } from '../generators/valid-request';
import { includes } from '../contract/standards';
import { mapInOrder } from '../exchange/pool';
import type { Tools } from '../exchange/run-case';
import type { Instance, InstanceStore } from './instance-store';
import type { LinkedOperation, Links } from './links';
import { isSafeMethod, type Operation, type Model } from '../contract/model';
import { requestBodyOf } from '../oracle/body';
import { isSame, writeJson } from '../wire/json';
import { idsChosenByClient, withChosenId } from './find-id';
import { runFresh } from './run-fresh';
import { generateCases } from '../generators/derive-cases';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { Suite } from '../suite';

/** If there is no instance, the operation is listed as skipped. */
export async function* runInstanceCases(state: InstanceRun, linked: LinkedOperation): AsyncGenerator<CaseResult> {
  const { suite, instances, options } = state;
  const { operation, resource } = linked;
  const instance = await instances.parentFor(linked);
  const values = instance && (await instances.bindIds(linked, instance));
  yield* takeFailedResults(instances);
  if (!values) {
    suite.model.contract.skipped.add({
      reason: `operations on a resource that the run could neither create nor find${instances.reasonFor(resource)}`,
      pointer: operation.pointer,
    });
    return;
  }
  const cases = deriveCasesOnInstance(suite.model, values, linked).filter((testCase) =>
    mayRun(state, linked, instance, testCase),
  );
  const defaultRequest = validRequest(values, operation);
  // With ids that the client chooses, two cases at once could use the same one.
  const workers = resource.isIdChosenByClient ? 1 : (options.workers ?? 1);
  for await (const result of mapInOrder(cases, workers, (testCase) =>
    runOnInstance(state, linked, instance, { testCase, defaultRequest }),
  )) {
    // A case that could not be sent is listed as skipped.
    if (!result) continue;
    suite.coverage.record(result);
    yield result;
  }
  yield* takeFailedResults(instances);
}

// Valid requests are only sent to allowed operations, and only instances that the run created are changed.
function mayRun(
  { suite, isAllowed }: InstanceRun,
  { operation }: LinkedOperation,
  instance: Instance,
  testCase: Case,
): boolean {
  return (
    includes(suite.level, levelOf(testCase)) &&
    (testCase.expect !== 'accepted' || isAllowed(operation)) &&
    (instance.isCreatedByRun || isSafeMethod(operation))
  );
}

// Yields only results with findings.
function* takeFailedResults(instances: InstanceStore): Generator<CaseResult> {
  for (const result of instances.takeResults()) if (result.findings.length > 0) yield result;
}

/**
 * Sends a case to the instance that all cases share, or to a new one if it is a valid request that may change it.
 * Undefined when the case is not sent, but listed as skipped.
 */
async function runOnInstance(
  { suite, tools, links, instances }: InstanceRun,
  linked: LinkedOperation,
  shared: Instance,
  { testCase, defaultRequest }: { readonly testCase: Case; readonly defaultRequest: Case['request'] },
): Promise<CaseResult | undefined> {
  const { operation, resource } = linked;
  // Creating a resource below an instance, such as a copy of a book, does not change the instance.
  const isCreating = operation.method === 'POST' && links.resources.some(({ create }) => create === operation);
  const mayChange = testCase.expect === 'accepted' && !isCreating && !isSafeMethod(operation);
  if (!mayChange) {
    // Only credentials are wrong, so that the body must not be.
    const ofShared = testCase.class === 'auth' ? forInstance(shared, testCase) : undefined;
    return runFresh(tools, ofShared ?? testCase, instances.referencesFrom([shared, ...shared.parents]));
  }
  const created = await instances.createNew(resource);
  // If no other can be created, use up the shared one: the next case then creates another.
  if (!created) instances.forgetShared(resource);
  const instance = created ?? shared;
  const values = await instances.bindIds(linked, instance);
  const ownCase = forInstance(instance, testCase);
  if (!values || !ownCase) {
    suite.model.contract.skipped.add({
      reason: 'bodies whose id differs from the one in the path',
      pointer: testCase.pointer,
    });
    return undefined;
  }
  const request = redirectToInstance(ownCase.request, defaultRequest, validRequest(values, operation));
  return runFresh(tools, { ...ownCase, request }, instances.referencesFrom([instance, ...instance.parents]));
}

/**
 * The case with the id of the instance in its body: no standard says whether the id in path or body counts. Undefined for
 * a body with another id that is spelled in a way of its own.
 */
function forInstance({ resource: { idExpressions }, id }: Instance, testCase: Case): Case | undefined {
  const value = requestBodyOf(testCase);
  if (idsChosenByClient(value, idExpressions).every((chosenId) => isSame(chosenId, id))) return testCase;
  const { request, interpretation } = testCase;
  if (value === undefined || request.body?.equals(toBody(writeJson(value))) !== true) return undefined;
  const own = withChosenId(value, idExpressions, id);
  return {
    ...testCase,
    request: { ...request, body: toBody(writeJson(own)) },
    ...(interpretation && { interpretation: { ...interpretation, value: own } }),
  };
}

/**
 * Derives the cases of an operation that need an existing instance: valid requests, requests that are invalid in anything
 * but the ids, and at last those without credentials and with wrong ones, since a server may look for the instance first.
 */
function deriveCasesOnInstance(model: Model, values: Values, { operation, origins }: LinkedOperation): Case[] {
  const idPointers = new Set([...origins.keys()].map(({ pointer }) => pointer));
  const derived = generateCases(
    ['positive', 'negative', 'parameter', 'media-type', 'auth'],
    { model, values },
    operation,
  );
  const isAboutId = ({ class: name, pointer }: Case): boolean => name === 'parameter' && idPointers.has(pointer);
  // A request with a `skipReason` may be invalid: the suite could make no valid value for a part of it.
  const isValid = ({ expect, request }: Case): boolean => expect === 'accepted' && request.skipReason === undefined;
  const isInvalid = ({ class: name, expect }: Case): boolean => name !== 'auth' && expect === 'refused';
  const firstOf = (expected: Expectation): Case[] => derived.filter(({ expect }) => expect === expected).slice(0, 1);
  return [
    ...derived.filter((testCase) => !isAboutId(testCase) && (isInvalid(testCase) || isValid(testCase))),
    ...firstOf('wrong credentials'),
    ...firstOf('no credentials'),
  ].map((testCase) => ({ ...testCase, label: `on an existing resource, ${testCase.label}` }));
}

/**
 * Replaces the path and the entity tag in `If-Match`, where the request has those of its instance.
 *
 * @param from the default request of the operation on the instance that the request is for
 * @param to the default request of the operation on the other instance
 */
function redirectToInstance(request: WireRequest, from: WireRequest, to: WireRequest): WireRequest {
  const [oldPath = ''] = from.target.split('?', 1);
  const [newPath = ''] = to.target.split('?', 1);
  const oldEtag = ifMatchOf(from);
  const newEtag = ifMatchOf(to);
  const { target, headers } = request;
  return {
    ...request,
    target: target.startsWith(oldPath) ? `${newPath}${target.slice(oldPath.length)}` : target,
    headers: headers.map(([name, value]) => [
      name,
      isIfMatchName(name) && value === oldEtag ? (newEtag ?? value) : value,
    ]),
  };
}

function ifMatchOf({ headers }: WireRequest): string | undefined {
  return headers.find(([name]) => isIfMatchName(name))?.[1];
}

function isIfMatchName(name: string): boolean {
  return name.toLowerCase() === 'if-match';
}

/** How the stateful cases are run. */
export interface StatefulOptions {
  /** Whether valid requests to an operation are sent; all are unless it is set. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** How many cases are under way at once, one unless it is set. */
  readonly workers?: number;
}

export interface InstanceRun {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly instances: InstanceStore;
  /** Whether valid requests are sent to an operation. */
  readonly isAllowed: (operation: Operation) => boolean;
  readonly options: StatefulOptions;
}
