// Runs the cases of a suite.
import * as fc from 'fast-check';
import type { Case, CaseKind } from '../generators/case';
import { operationOf, type Operation, type Content } from '../contract/model';
import { isEntityTag } from '../contract/paging';
import type { SkippedError } from '../contract/skipped';
import { type CaseResult, toFindings } from '../oracle/checks';
import { isLimited, type Target } from '../exchange/exchange';
import { mapInOrder } from '../exchange/pool';
import { isPossible, runCase, type Tools } from '../exchange/run-case';
import { runFresh } from '../stateful/run-fresh';
import { prepareRun, runStateful } from '../stateful/run-stateful';
import type { Suite } from '../suite';
import { baseValue } from '../generators/body-values';
import { createRandomCase } from '../generators/parameter';
import { isIdempotencyKey, validRequest, withMarker } from '../generators/valid-request';
import { isReadBack, writeContent } from '../contract/serialization';
import { skipReasonWithin } from '../values/skip-reason';
import { disputeOf, fits, type Values } from '../values/variant';
import { toJson, type Wire } from '../wire/json';
import { arbitraryOf } from '../values/arbitrary';
import { includes } from '../contract/standards';
import { isSuccess, mayBeOwnRule } from '../oracle/judge';

/** Which cases are sent. */
export interface RunOptions {
  readonly random: RandomOptions;
  readonly isWanted: (kind: CaseKind) => boolean;
  /** How many cases are under way at once; one by default. */
  readonly workers?: number;
}

/**
 * The derived cases that are wanted and whose situation the target has.
 *
 * @example chooseCases(suite, target, { isWanted: ({ class: name }) => name === 'positive' })
 */
export function chooseCases(
  { model, cases }: Suite,
  target: Target,
  { isWanted }: Pick<RunOptions, 'isWanted'>,
): Case[] {
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  return cases.filter((testCase) => {
    const operation = operations.get(testCase.operation);
    return operation !== undefined && isPossible(target, testCase) && isWanted({ ...testCase, operation });
  });
}

/**
 * Runs the derived cases, random values, and stateful scenarios, which create, read, change and delete things. The order
 * does not depend on the number of workers. At the end, each operation without any success has a failed result.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { isWanted } = options;
  const workers = target.watch ? 1 : (options.workers ?? 1);
  const successes = trackSuccesses(suite, target);
  const isStateful = (operation: Operation): boolean =>
    isWanted({ operation, class: 'stateful', expect: 'accepted', isOnCreatedResource: true });
  const prepared = await prepareRun(suite, target, { isWanted: isStateful, workers });
  const cases = chooseCases(suite, target, options);
  for await (const result of mapInOrder(cases, workers, (testCase) =>
    runFresh(prepared.tools, testCase, prepared.instances.referencesFrom()),
  )) {
    suite.coverage.record(result);
    successes.note(result, false);
    yield result;
  }
  yield* runRandomValues(suite, target, options, workers);
  for await (const result of runStateful(suite, target, prepared.options, prepared)) {
    successes.note(result, true);
    yield result;
  }
  yield* successes.missing();
}

async function* runRandomValues(
  { model, values, oracleFor, maxCases }: Suite,
  target: Target,
  { random, isWanted }: RunOptions,
  workers: number,
): AsyncGenerator<CaseResult> {
  const tools = { oracle: oracleFor(target.secrets), values, target };
  const operations = model.operations.filter((operation) =>
    isWanted({ operation, class: 'random', expect: 'accepted' }),
  );
  const jobs = operations.flatMap((operation) => [
    ...(operation.body?.contents ?? [])
      .filter(({ kind }) => kind === 'json' || kind === 'sequence')
      .map((content) => createRandomBodies(values, operation, content, random)),
    ...createRandomParameters(values, operation, random),
  ]);
  // All of them together are no more than the derived cases may be.
  const runs = Math.max(1, Math.min(random.runs, Math.floor(maxCases / jobs.length)));
  yield* mapInOrder(jobs, workers, (job) => runRandom(tools, job, { ...random, runs }));
}

/** Random cases, one of which stands for all in a report. */
interface RandomCases {
  /** Undefined for a value that cannot be sent, or of which the suite does not know whether it is valid. */
  readonly cases: fc.Arbitrary<Case | undefined>;
  readonly example: () => Case;
}

function createRandomBodies(
  values: Values,
  operation: Operation,
  content: Content,
  { isMarked, runs, seed }: RandomOptions,
): RandomCases {
  const { schema } = content;
  const skipReason = skipReasonWithin(values.fixtures, schema);
  return {
    cases: arbitraryOf(schema).map((value) => {
      const sent = isMarked ? withMarker(values, schema, toJson(value)) : value;
      if (content.framing && !isReadBack(content.framing, toJson(sent))) return undefined;
      // The validator may be unable to judge it, by a pattern that takes too long, say.
      const create = (): Case => toRandomCase(values, operation, content, sent);
      return unlessUnknown(schema.contract.skipped.attempt(create, undefined), skipReason);
    }),
    example: () => {
      // A valid one, or null if none can be made.
      const body = schema.contract.skipped.attempt(() => baseValue(values, content), null);
      const label = `${String(runs)} random bodies, seed ${String(seed)}`;
      return { ...toRandomCase(values, operation, content, body), label };
    },
  };
}

function unlessUnknown(testCase: Case | undefined, skipReason: SkippedError | undefined): Case | undefined {
  const isUnknown = testCase?.expect === 'accepted' && (skipReason ?? testCase.request.skipReason) !== undefined;
  return isUnknown ? undefined : testCase;
}

// Each case has a random value of one parameter.
function createRandomParameters(values: Values, operation: Operation, { runs, seed }: RandomOptions): RandomCases[] {
  const parameters = operation.parameters.filter(
    (parameter) => !parameter.skipReason && !isEntityTag(parameter) && !isIdempotencyKey(parameter),
  );
  if (parameters.length === 0) return [];
  const ofClass = { operation: operation.id, class: 'random' } as const;
  const cases = parameters.map((parameter) =>
    arbitraryOf(parameter.schema).map((value) => {
      const draft = parameter.schema.contract.skipped.attempt(
        () => createRandomCase(values, operation, parameter, value),
        undefined,
      );
      return unlessUnknown(draft && { ...draft, ...ofClass }, skipReasonWithin(values.fixtures, parameter.schema));
    }),
  );
  return [
    {
      cases: fc.oneof(...cases),
      example: () => ({
        ...ofClass,
        pointer: operation.pointer,
        label: `${String(runs)} random parameters, seed ${String(seed)}`,
        expect: 'answered',
        request: validRequest(values, operation),
      }),
    },
  ];
}

interface Successes {
  /** @param isOnCreatedResource whether the request is about an existing thing */
  readonly note: (result: CaseResult, isOnCreatedResource: boolean) => void;
  /** For each operation whose valid requests all failed: the first such result, with a finding that says so. */
  readonly missing: () => CaseResult[];
}

// Finds operations that never succeed: a 404 or 409 may be right for one valid request, but not for all of them. At level
// `contract` a rule of the service may refuse all: no standard says which it has.
function trackSuccesses({ model, level }: Suite, target: Target): Successes {
  const hasOwnRule = (operation: Operation, { replies }: CaseResult): boolean =>
    !includes(level, 'robust') && replies.some(({ status }) => mayBeOwnRule(operation, status));
  // What only a PUT creates, such as `/books/{id}/cover`, may be missing.
  const mayBeMissing = ({ path }: Operation): boolean =>
    !path.endsWith('}') && model.operations.some((other) => other.method === 'PUT' && other.path === path);
  // The first failure of each operation; undefined once a request succeeded.
  const firstFailures = new Map<string, CaseResult | undefined>();
  return {
    // Only requests that are certainly valid count, and operations with a handler.
    note(result, isOnCreatedResource) {
      const { expect, request, implementationDefined } = result.case;
      const operation = operationOf(model, result.case);
      if (expect !== 'accepted' || request.skipReason || implementationDefined !== undefined) return;
      if (target.unbuilt?.has(operation.id) === true) return;
      const isFirst = !firstFailures.has(operation.id);
      const isThere = isOnCreatedResource && !mayBeMissing(operation);
      if (result.replies.some(({ status }) => isSuccess(operation, status))) firstFailures.set(operation.id, undefined);
      else if (isFirst && !mayDependOnState(operation, result, isThere) && !hasOwnRule(operation, result))
        firstFailures.set(operation.id, result);
    },
    missing: () =>
      [...firstFailures.values()]
        .filter((result) => result !== undefined)
        .filter(({ replies }) => !isLimited(target, replies))
        .map((result) => ({ ...result, findings: [...result.findings, ...toFindings('valid-refused', [NO_SUCCESS])] })),
  };
}

// Whether a refusal may be right for every valid request: a guessed id does not exist (404, 410), things conflict with
// those of an earlier run (409), or the entity tag is unknown (412, 428).
function mayDependOnState({ method, path }: Operation, { replies }: CaseResult, isOnCreatedResource: boolean): boolean {
  const statusesOfPath = path.includes('{') ? [...(isOnCreatedResource ? [] : [404, 410]), 412, 428] : [];
  const statuses = [...statusesOfPath, ...(method === 'POST' ? [409] : [])];
  return replies.some(({ status }) => statuses.includes(status));
}

const NO_SUCCESS = 'the server accepted none of the valid requests to this operation';

/** The options of random bodies and parameters. */
export interface RandomOptions {
  /** The same seed gives the same bodies. */
  readonly seed: number;
  readonly runs: number;
  /** Whether bodies must carry the marker, so that one property is not random. */
  readonly isMarked: boolean;
}

/**
 * Sends random values: expects a success for each that an independent validator finds valid, and a refusal for others.
 * Returns the result of the smallest failing one, or else one result without findings for all.
 */
async function runRandom(
  { oracle, target }: Tools,
  { cases, example }: RandomCases,
  { seed, runs }: RandomOptions,
): Promise<CaseResult> {
  // Each failing case is smaller than the one before, since fast-check shrinks it.
  let lastFailure: CaseResult | undefined;
  // Each request without a reply takes the whole timeout: one is enough.
  let isSilent = false;
  const property = fc.asyncProperty(cases, async (testCase) => {
    if (!testCase || isSilent) return true;
    const result = await runCase(oracle, target, testCase);
    isSilent = result.findings.some(({ check }) => check === 'no-response');
    const hasFailed = result.findings.length > 0;
    if (hasFailed) lastFailure = result;
    return !hasFailed;
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
  if (lastFailure) return lastFailure;
  // An error of the suite itself must not count as success.
  if (failed) throw new Error('the suite failed to make or judge the random values', { cause: errorInstance });
  return { case: example(), replies: [], findings: [] };
}

function toRandomCase(values: Values, operation: Operation, content: Content, value: Wire): Case {
  const { schema, pointer } = content;
  const isValid = fits(values, schema, value);
  return {
    operation: operation.id,
    class: 'random',
    pointer,
    label: isValid ? 'a valid random body' : 'an invalid random body',
    request: validRequest(values, operation, { content, body: writeContent(content, value) }),
    expect: isValid ? 'accepted' : 'refused',
    implementationDefined: disputeOf(values, schema, value),
  };
}
