// Runs the stateful cases: journeys through resources, and the cases that need an existing instance.
import type { Operation } from '../contract/model';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import type { Suite } from '../suite';
import type { Journey } from './journey';
import { findLifecycles } from './lifecycle';
import { findLinks, isLinked } from './links';
import { runJourney } from './run-journey';
import { runInstanceCases } from './run-instance-cases';
import { InstanceStore } from './instance-store';
import type { State, StatefulOptions } from './state';

/**
 * Runs everything that needs ids which a server assigns: a journey through each resource, and then the cases of each
 * operation on an instance. Only instances that this run created are changed or deleted.
 *
 * @example for await (const { findings } of runStateful(suite, target)) console.log(findings)
 */
export async function* runStateful(
  suite: Suite,
  target: Target,
  options: StatefulOptions = {},
): AsyncGenerator<CaseResult> {
  const { model, coverage } = suite;
  const state = createState(suite, target, options);
  const { links } = state;
  for (const { pointer } of model.operations.filter((operation) => !isLinked(links, operation)))
    model.contract.untried.add({ reason: 'ids that no operation gives', pointer });
  for (const startJourney of journeyStarters(state)) {
    for await (const result of runJourney(startJourney())) {
      coverage.record(result);
      yield result;
    }
  }
  for (const linked of links.linkedOperations) {
    if (!isUnbuilt(target, linked.operation)) yield* runInstanceCases(state, linked);
  }
}

function createState(suite: Suite, target: Target, options: StatefulOptions): State {
  const { isWanted = () => true } = options;
  const isAllowed = (operation: Operation): boolean => isWanted(operation) && !isUnbuilt(target, operation);
  const links = findLinks(suite.model);
  const tools = { oracle: suite.oracleFor(target.secrets), values: suite.values, target };
  return { suite, tools, links, instances: new InstanceStore(tools, links, isAllowed), isAllowed, options };
}

/** Whether the server has no handler for an operation yet. */
function isUnbuilt({ unbuilt }: Target, { id }: Operation): boolean {
  return unbuilt?.has(id) === true;
}

// Each begins a new journey through one resource that a client can create.
function journeyStarters({ tools, instances, links, isAllowed }: State): (() => Journey)[] {
  return findLifecycles(links, isAllowed).map((lifecycle) => () => ({ tools, instances, lifecycle, created: [] }));
}
