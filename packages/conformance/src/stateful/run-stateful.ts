import type { Operation } from '../contract/model';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import type { Suite } from '../suite';
import type { Journey } from './journey';
import { findLifecycles } from './lifecycle';
import { findLinks, isLinked } from './links';
import { runJourney } from './run-journey';
import { runLink, type State, type StatefulOptions } from './run-link';
import { findShortest, type SequenceOptions } from './sequences';
import { createThings } from './things';

/**
 * Runs everything that needs ids which a server assigns: a journey through each resource, and then the cases of each
 * operation on it. Only things that this run created are changed or deleted.
 *
 * @example for await (const { findings } of runStateful(suite, target)) console.log(findings)
 */
export async function* runStateful(
  suite: Suite,
  target: Target,
  options: StatefulOptions = {},
): AsyncGenerator<CaseResult> {
  const state = createState(suite, target, options);
  const { links } = state;
  const { untried } = suite.model.contract;
  for (const { pointer } of suite.model.operations.filter((operation) => !isLinked(links, operation)))
    untried.add({ reason: 'ids that no operation gives', pointer });
  for (const start of journeyStarters(state)) {
    for await (const result of runJourney(start())) {
      suite.coverage.record(result);
      yield result;
    }
  }
  for (const link of links.links.filter(({ operation }) => target.unbuilt?.has(operation.id) !== true))
    yield* runLink(state, link);
}

/**
 * Random journeys through each resource of a contract.
 *
 * @returns for each resource with findings, the results of the shortest journey that shows them
 * @example for (const trace of await runSequences(suite, target, { seed: 1, runs: 20, length: 12 })) console.log(describeJourney(trace, target, {}))
 */
export async function runSequences(
  suite: Suite,
  target: Target,
  options: SequenceOptions & Pick<StatefulOptions, 'isWanted'>,
): Promise<(readonly CaseResult[])[]> {
  const traces: (readonly CaseResult[])[] = [];
  for (const start of journeyStarters(createState(suite, target, options)))
    traces.push(await findShortest(start, options));
  return traces.filter((trace) => trace.length > 0);
}

function createState(suite: Suite, target: Target, options: StatefulOptions): State {
  const { isWanted = () => true } = options;
  const isOpen = (operation: Operation): boolean => isWanted(operation) && target.unbuilt?.has(operation.id) !== true;
  const links = findLinks(suite.model);
  const tools = { oracle: suite.oracleFor(target.secrets), values: suite.values, target };
  return { suite, tools, links, things: createThings(tools, links, isOpen), isOpen, options };
}

/** Functions that begin a new journey, one for each resource. */
function journeyStarters({ tools, things, links, isOpen }: State): (() => Journey)[] {
  return findLifecycles(links, isOpen).map((lifecycle) => () => ({ tools, things, lifecycle, made: [] }));
}
