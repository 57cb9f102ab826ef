import { levelOf, type Case } from '../case';
import type { Operation } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { includes } from '../level';
import { sentBody } from '../oracle/echo';
import { inOrder } from '../pool';
import { runCase, type CaseResult, type Target, type Tools } from '../run-case';
import { sampleCases, type Sample } from '../sample';
import type { Suite } from '../suite';
import { isSame } from '../wire/json';
import { findLinks, isLinked, type Link, type Links } from './links';
import { deriveMade, redirect } from './made-cases';
import { createThings, type Thing, type Things } from './things';

/** How the layer is run. */
export interface StatefulOptions {
  /** Whether right requests to an operation are sent; all are unless it is set. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** About how many cases of an operation, if not all. */
  readonly sample?: Sample | undefined;
  /** How many cases are under way at once, one unless it is set. */
  readonly workers?: number;
}

/**
 * What takes ids that a server makes: the cases of operations on what the run made. Everything that is changed or deleted
 * is the run's own.
 *
 * @example for await (const { findings } of runStateful(suite, target)) console.log(findings)
 */
export async function* runStateful(
  suite: Suite,
  target: Target,
  options: StatefulOptions = {},
): AsyncGenerator<CaseResult> {
  const { isWanted = () => true } = options;
  const links = findLinks(suite.model);
  const tools = { oracle: suite.oracleFor(target.secrets), values: suite.values, target };
  const isBuilt = ({ id }: Operation): boolean => target.unbuilt?.has(id) !== true;
  const things = createThings(tools, links, (operation) => isWanted(operation) && isBuilt(operation));
  const state = { suite, tools, links, things, options };
  for (const operation of suite.model.operations.filter((one) => !isLinked(links, one)))
    suite.model.contract.untried.add({ reason: 'ids that no operation gives', pointer: operation.pointer });
  for (const link of links.links.filter(({ operation }) => isBuilt(operation))) yield* runLink(state, link);
}

interface State {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly things: Things;
  readonly options: StatefulOptions;
}

async function* runLink(state: State, link: Link): AsyncGenerator<CaseResult> {
  const { suite, things, options } = state;
  const { isWanted = () => true, sample, workers = 1 } = options;
  const { operation, resource } = link;
  const thing = await things.get(resource);
  const values = thing && (await things.bind(link, thing));
  yield* faulty(things);
  if (!values) {
    suite.model.contract.untried.add({ reason: 'ids that nothing was made or found for', pointer: operation.pointer });
    return;
  }
  const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(operation.method);
  const cases = deriveMade(suite.model, values, link).filter(
    (one) =>
      includes(suite.level, levelOf(one)) &&
      (one.expect === 'refused' || isWanted(operation)) &&
      (isReading || thing.isOurs),
  );
  const chosen = sample ? sampleCases(cases, sample) : cases;
  const plain = validRequest(values, operation);
  // Where ids are not the server's to make, what is needed next may be what is needed now.
  const width = resource.isChosen ? 1 : workers;
  for await (const result of inOrder(chosen, width, (one) => runMade(state, link, thing, { one, plain }))) {
    if (!result) continue;
    suite.coverage.record(result);
    yield result;
  }
  yield* faulty(things);
}

/** Sends a case; one that may change something is about a thing of its own. */
async function runMade(
  { suite, tools, links, things }: State,
  link: Link,
  shared: Thing,
  { one, plain }: { readonly one: Case; readonly plain: Case['request'] },
): Promise<CaseResult | undefined> {
  const { oracle, target } = tools;
  const { operation, resource } = link;
  const isMaking = links.resources.some(({ create }) => create === operation);
  if (one.expect !== 'accepted' || isMaking || ['GET', 'HEAD', 'OPTIONS'].includes(operation.method))
    return runCase(oracle, target, one);
  const own = await things.make(resource);
  const thing = own ?? shared;
  // The next that need one are about another.
  if (!own) things.forget(resource);
  const values = await things.bind(link, thing);
  if (!values || contradicts(thing, one)) {
    suite.model.contract.untried.add({ reason: 'bodies that have another id than their path', pointer: one.pointer });
    return undefined;
  }
  return runCase(oracle, target, { ...one, request: redirect(one.request, plain, validRequest(values, operation)) });
}

// Which of them counts, the one in the path or the one in the body, nobody says.
function contradicts({ resource, id }: Thing, one: Case): boolean {
  const names = resource.ids.filter((id) => id.startsWith('$request.body#/')).map((id) => id.split('/').at(-1) ?? '');
  const sent = sentBody(one) ?? {};
  return names.some((name) => sent[name] !== undefined && !isSame(sent[name], id));
}

/** What went wrong on the way to a thing. */
function* faulty(things: Things): Generator<CaseResult> {
  for (const result of things.results.splice(0)) if (result.findings.length > 0) yield result;
}
