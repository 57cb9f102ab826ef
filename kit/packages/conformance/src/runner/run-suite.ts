// Runs the cases of a suite.
import * as fc from 'fast-check';
import type { Case, CaseKind } from '../generators/case';
import type { Operation, Content } from '../contract/model';
import { isEntityTag } from '../contract/paging';
import type { SkippedError } from '../contract/skipped';
import { type CaseResult, toFindings } from '../oracle/checks';
import type { Target } from '../exchange/exchange';
import { mapInOrder } from '../exchange/pool';
import { isPossible } from '../exchange/run-case';
import { Bases } from '../stateful/bases';
import { checkDefaults } from '../stateful/check-defaults';
import { findLinks, isLinked } from '../stateful/links';
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
import { ASTRAL_MAX_LENGTH } from '../values/strings';
import { includes } from '../contract/standards';
import { ControlLog, planJobs, type Job } from './controls';

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
  const links = findLinks(model);
  const operations = new Map(model.operations.map((operation) => [operation.id, operation]));
  return cases.filter((testCase) => {
    const operation = operations.get(testCase.operation);
    if (operation === undefined || !isPossible(target, testCase)) return false;
    // Where the id is known, a case that may change something is sent only to what the run has created.
    const isOnCreatedResource = operation.path.includes('{') && isLinked(links, operation);
    return isWanted({ ...testCase, operation, isOnCreatedResource });
  });
}

/**
 * Runs the derived cases, random values, and stateful scenarios, which create, read, change and delete things. The order
 * does not depend on the number of workers. Before the cases of an operation, and now and then after them, a valid request
 * is sent as a control. An operation that accepts none has a finding. `findUnproven` says which
 * results prove nothing.
 *
 * @example for await (const { findings } of runSuite(suite, target, options)) console.log(findings)
 */
export async function* runSuite(suite: Suite, target: Target, options: RunOptions): AsyncGenerator<CaseResult> {
  const { isWanted } = options;
  const workers = target.watch ? 1 : (options.workers ?? 1);
  const isStateful = (operation: Operation): boolean =>
    isWanted({ operation, class: 'stateful', expect: 'accepted', isOnCreatedResource: true });
  const isControlled = (operation: Operation): boolean =>
    isWanted({ operation, class: 'control', expect: 'accepted', isOnCreatedResource: true });
  const prepared = await prepareRun(suite, target, { isWanted: isStateful, isControlled });
  const bases = new Bases(prepared);
  const log = new ControlLog(suite.model, target);
  const cases = chooseCases(suite, target, options);
  const judgeLength = createLengthJudge();
  const runJobs = async function* (some: readonly Job[]): AsyncGenerator<CaseResult> {
    for await (const results of mapInOrder(some, workers, (job) => job()))
      for (const result of results) {
        suite.coverage.record(result);
        yield judgeLength(log.note(result));
      }
  };
  yield* runJobs(planJobs(suite.model, cases, bases));
  // Of what was sent to find or create what the cases needed.
  yield* prepared.instances.takeResults().filter(({ findings }) => findings.length > 0);
  yield* runRandomValues(suite, bases, options, workers);
  yield* runStateful(suite, target, {}, prepared);
  if (includes(suite.level, 'robust')) yield* checkDefaults(prepared, bases);
  yield* runJobs(bases.controlled().map((operation) => () => bases.repeat(operation)));
}

/**
 * Finds strings that are refused only because they have more UTF-16 units than maxLength: a rule of the service would also
 * refuse the ASCII string of as many characters, which comes before.
 */
function createLengthJudge(): (result: CaseResult) => CaseResult {
  const accepted = new Set<string>();
  return (result) => {
    const { case: testCase, findings, replies } = result;
    const { operation, pointer, keyword, label, expect } = testCase;
    const key = `${operation}\n${pointer}\n${label.replace(ASTRAL_MAX_LENGTH, 'maxLength')}`;
    if (keyword !== 'maxLength' || expect !== 'accepted') return result;
    const isAccepted = replies.some(({ status }) => status < 300);
    if (isAccepted) accepted.add(key);
    // Not what depends on the state, such as 409.
    const isRefused = replies.some(({ status }) => status === 400 || status === 422);
    const isWrong = isRefused && findings.length === 0 && label.includes(ASTRAL_MAX_LENGTH) && accepted.has(key);
    return isWrong ? { ...result, findings: toFindings('valid-refused', [UNITS_COUNTED]) } : result;
  };
}

const UNITS_COUNTED = 'the server counts UTF-16 units or bytes and not characters: it accepts as many in ASCII';

async function* runRandomValues(
  { model, values, maxCases }: Suite,
  bases: Bases,
  { random, isWanted }: RunOptions,
  workers: number,
): AsyncGenerator<CaseResult> {
  const links = findLinks(model);
  const operations = model.operations.filter((operation) => {
    const isOnCreatedResource = operation.path.includes('{') && isLinked(links, operation);
    return isWanted({ operation, class: 'random', expect: 'accepted', isOnCreatedResource });
  });
  const jobs = operations.flatMap((operation) => [
    ...(operation.body?.contents ?? [])
      .filter(({ kind }) => kind === 'json' || kind === 'sequence')
      .map((content) => createRandomBodies(values, operation, content, random)),
    ...createRandomParameters(values, operation, random),
  ]);
  // All of them together are no more than the derived cases may be.
  const runs = Math.max(1, Math.min(random.runs, Math.floor(maxCases / jobs.length)));
  yield* mapInOrder(jobs, workers, (job) => runRandom(bases, job, { ...random, runs }));
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
  const ofClass = { operation: operation.id, place: `${operation.method} ${operation.path}`, class: 'random' } as const;
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
  bases: Bases,
  { cases, example }: RandomCases,
  { seed, runs }: RandomOptions,
): Promise<CaseResult> {
  // Each failing case is smaller than the one before, since fast-check shrinks it.
  let lastFailure: CaseResult | undefined;
  // Each request without a reply takes the whole timeout: one is enough.
  let isSilent = false;
  const property = fc.asyncProperty(cases, async (testCase) => {
    if (!testCase || isSilent) return true;
    const result = await bases.run(testCase);
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
    place: `${operation.method} ${operation.path}`,
    class: 'random',
    pointer,
    label: isValid ? 'a valid random body' : 'an invalid random body',
    request: validRequest(values, operation, { content, body: writeContent(content, value) }),
    expect: isValid ? 'accepted' : 'refused',
    implementationDefined: disputeOf(values, schema, value),
  };
}
