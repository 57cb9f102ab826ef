// Runs the cases of an operation with the id of an existing thing.
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
import { chosenIds } from './find-id';
import { send } from './journey';
import type { Link, Links } from './links';
import { deriveCasesOfThing, retarget } from './made-cases';
import { shapeOf } from './path-template';
import type { Thing } from './thing';
import type { Things } from './things';

/** How the stateful cases are run. */
export interface StatefulOptions {
  /** Whether right requests to an operation are sent; all are unless it is set. */
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
  readonly things: Things;
  /** Whether right requests are sent to an operation. */
  readonly isOpen: (operation: Operation) => boolean;
  readonly options: StatefulOptions;
}

/** Runs the cases of an operation on an existing thing. */
export async function* runLink(state: State, link: Link): AsyncGenerator<CaseResult> {
  const { suite, things, isOpen, options } = state;
  const { sample, workers = 1 } = options;
  const { operation, resource } = link;
  const thing = await things.get(resource);
  const values = thing && (await things.bind(link, thing));
  yield* takeFaultyResults(things);
  if (!values) {
    suite.model.contract.untried.add({ reason: 'ids that nothing was made or found for', pointer: operation.pointer });
    return;
  }
  const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(operation.method);
  if (isReading) yield* createByPut(state, link, thing);
  const cases = deriveCasesOfThing(suite.model, values, link).filter(
    (testCase) =>
      includes(suite.level, levelOf(testCase)) &&
      (testCase.expect === 'refused' || isOpen(operation)) &&
      (isReading || thing.isOurs),
  );
  const chosen = sample ? sampleCases(cases, sample) : cases;
  const plain = validRequest(values, operation);
  // With ids that the client chooses, two cases at once could use the same one.
  const width = resource.isChosen ? 1 : workers;
  for await (const result of inOrder(chosen, width, (testCase) =>
    runOnThing(state, link, thing, { one: testCase, plain }),
  )) {
    if (!result) continue;
    suite.coverage.record(result);
    yield result;
  }
  yield* takeFaultyResults(things);
}

// A path below the thing, such as its photo, may exist only after a PUT.
async function* createByPut(
  { tools, links, things, isOpen }: State,
  { operation, resource }: Link,
  thing: Thing,
): AsyncGenerator<CaseResult> {
  const isBelow = shapeOf(operation.path) !== shapeOf(resource.path);
  const put = links.links.find((link) => link.operation.method === 'PUT' && link.operation.path === operation.path);
  const values = isBelow && thing.isOurs && put && isOpen(put.operation) ? await things.bind(put, thing) : undefined;
  if (!put || !values) return;
  yield await send(tools, put.operation, validRequest(values, put.operation), { label: 'puts what is read next' });
}

/** Sends a case; a valid request that may change something gets a new thing. */
async function runOnThing(
  { suite, tools, links, things }: State,
  link: Link,
  shared: Thing,
  { one: testCase, plain }: { readonly one: Case; readonly plain: Case['request'] },
): Promise<CaseResult | undefined> {
  const { oracle, target } = tools;
  const { operation, resource } = link;
  const isMaking = links.resources.some(({ create }) => create === operation);
  if (testCase.expect !== 'accepted' || isMaking || ['GET', 'HEAD', 'OPTIONS'].includes(operation.method))
    return runCase(oracle, target, testCase);
  const own = await things.make(resource);
  const thing = own ?? shared;
  // The shared thing is used up: the next case creates another.
  if (!own) things.forget(resource);
  const values = await things.bind(link, thing);
  if (!values || hasOtherId(thing, testCase)) {
    suite.model.contract.untried.add({
      reason: 'bodies that have another id than their path',
      pointer: testCase.pointer,
    });
    return undefined;
  }
  return runCase(oracle, target, {
    ...testCase,
    request: retarget(testCase.request, plain, validRequest(values, operation)),
  });
}

// No standard says whether the id in the path or the one in the body counts.
function hasOtherId({ resource: { ids }, id }: Thing, testCase: Case): boolean {
  return chosenIds(ids, sentBody(testCase)).some((other) => !isSame(other, id));
}

/** Takes the results with findings of the requests that created or found a thing. */
function* takeFaultyResults(things: Things): Generator<CaseResult> {
  for (const result of things.results.splice(0)) if (result.findings.length > 0) yield result;
}
