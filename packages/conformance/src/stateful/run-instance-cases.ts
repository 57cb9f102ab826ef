// Runs the cases of an operation with the id of an existing instance.
import { levelOf, type Case } from '../case';
import { validRequest } from '../generators/valid-request';
import { includes } from '../level';
import { inOrder } from '../pool';
import type { CaseResult } from '../run-case';
import { sampleCases } from '../sample';
import type { Instance } from './instance';
import { deriveCasesOnInstance } from './instance-cases';
import type { InstanceStore } from './instance-store';
import type { LinkedOperation } from './link-operation';
import { isSamePath } from './path-template';
import { isReading, runOnInstance } from './run-on-instance';
import { sendValid } from './send-valid';
import type { State } from './state';

/** If there is no instance, the operation is listed as untried. */
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
    // A case that could not be sent is listed as untried.
    if (!result) continue;
    suite.coverage.record(result);
    yield result;
  }
  yield* takeFailedResults(instances);
}

// Valid requests are only sent to allowed operations, and only instances that the run created are changed.
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

// Sends a PUT to a path below that of an instance, such as `/books/{id}/photo`, so that there is something to read.
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

// Results without findings are of no interest here.
function* takeFailedResults(instances: InstanceStore): Generator<CaseResult> {
  for (const result of instances.takeResults()) if (result.findings.length > 0) yield result;
}
