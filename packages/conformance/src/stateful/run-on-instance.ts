// Runs one case of an operation on an existing instance.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { sentBody } from '../oracle/echo';
import { runCase, type CaseResult } from '../run-case';
import { isSame } from '../wire/json';
import { idsChosenIn } from './find-id';
import type { Instance } from './instance';
import { redirectToInstance } from './instance-cases';
import type { LinkedOperation } from './link-operation';
import type { State } from './state';

/**
 * Sends a case to the instance that all cases share, or to a new one if it is a valid request that may change it.
 * Undefined when the case is not sent, but listed as untried.
 */
export async function runOnInstance(
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

export function isReading({ method }: Operation): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}
