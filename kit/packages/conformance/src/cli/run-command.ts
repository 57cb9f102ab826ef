import type { CaseResult } from '../oracle/checks';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { readOptions, USAGE, type Options } from './options';
import { probeServer } from '../runner/probe-server';
import { applyBaseline, loadBaseline, type BaselineResult } from '../report/baseline';
import { groupByCause } from '../report/causes';
import {
  createProgress,
  formatError,
  formatFinding,
  formatUsage,
  print,
  toSafeText,
  UsageError,
  wrap,
} from '../terminal';
import { describeFailure, toSafeLine, truncateReplies } from '../report/failure';
import { toJUnit } from '../report/junit';
import { toMarkdown } from '../report/markdown';
import { hasFailed, describeLeftOut, describeSkippedCases, describeSkipped, type Run } from '../report/run';
import { checkCoverage, loadAccepted, type CheckedCoverage } from '../report/uncovered';
import { describeRun } from '../report/text';
import { assertNoLink, writeReport } from '../report/write-report';
import { createPace, isLimited, type Target } from '../exchange/exchange';
import { findUnproven, NEEDS_DESTRUCTIVE } from '../exchange/proof';
import { isMistake } from '../contract/skipped';
import { createSuite, type Suite } from '../suite';
import { parseFixtures } from '../values/fixtures';
import { chooseCases, runSuite } from '../runner/run-suite';
import { retryAlone } from './restart';
import { otherNameOf, unscopedNameOf } from '../wire/secret';

/**
 * Runs the command: derives the cases of a contract, sends them to a server, and prints which of them failed.
 *
 * @param args such as `['--url', 'http://127.0.0.1:3000', '--token-env', 'TOKEN']`
 * @returns the exit status:
 * 0: all cases passed and are proven, apart from those that need --destructive
 * 1: a case failed, or an uncovered part of the contract is not accepted by --coverage
 * 2: the arguments, the contract or the server cannot be used, or the run stopped early without a failed case
 * 3: no case failed, but some are unproven, or the contract has mistakes
 * 130 or 143: stopped by SIGINT or SIGTERM
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options) return await judgeServer(options);
    print(formatUsage(USAGE, process.stdout));
    return 0;
  } catch (error) {
    print(formatError(error as Error, USAGE, process.stderr), process.stderr);
    return 2;
  }
}

async function judgeServer(options: Options): Promise<number> {
  const contract = readFileSync(options.contract, 'utf8');
  const suite = createSuiteFor(contract, options);
  const variables = variablesOf(suite, options);
  const target: Target = {
    base: options.url,
    timeout: options.timeout,
    secrets: Object.fromEntries([...variables].map(([scheme, name]) => [scheme, readSecret(name)])),
    retries: 3,
    ...(options.rate !== undefined && { pace: createPace(options.rate) }),
    onWait: (ms) => {
      if (ms > 2_000)
        print(`Waiting ${String(Math.ceil(ms / 1_000))} s: the server answers 429 and Retry-After.`, process.stderr);
    },
    ...(options.headers.length > 0 && { headers: options.headers }),
    hasOtherCaller: options.variablesOfOther.size > 0,
  };
  const problem = await probeServer(suite, target, variables, options.isWanted);
  if (problem !== undefined) {
    const text = toSafeLine(problem, target.secrets);
    print(formatFinding({ level: 'error', text }, process.stderr), process.stderr);
    return 2;
  }
  // Check all files now, so that a mistake is reported before any case is sent.
  const { coverage: accepted, baseline, junit, markdown, isAccepting } = options;
  for (const file of [junit, markdown, ...(isAccepting ? [accepted, baseline] : [])])
    if (file !== undefined) assertNoLink(file);
  loadAccepted(options.coverage);
  if (options.baseline !== undefined && !options.isAccepting) loadBaseline(options.baseline);
  const { results: sentResults, stopReason, signal } = await sendCases(suite, target, options);
  const { restart } = options;
  const allResults =
    restart === undefined || signal ? sentResults : await retryAlone(suite, target, restart, sentResults);
  const coversAllCases = options.sendsAllCases && suite.leftOut.size === 0 && stopReason === undefined;
  const allUnprovenCases = findUnproven(suite, target, allResults);
  const {
    results,
    unproven,
    notes: baselineNotes,
  }: BaselineResult = options.baseline === undefined
    ? { results: allResults, unproven: allUnprovenCases, notes: [] }
    : applyBaseline(allResults, allUnprovenCases, { ...options, file: options.baseline, isWhole: coversAllCases });
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = [
    ...(stopReason === undefined ? [] : [stopReason]),
    ...describeLeftOut(suite),
    ...baselineNotes,
    ...describeSkippedCases(suite, target, options),
    ...describeSkipped(suite.skipped()),
  ];
  const coverage = coversAllCases ? judgeCoverage(suite, options) : undefined;
  const causes = groupByCause(failed);
  const run: Run = {
    suite,
    target,
    variables: Object.fromEntries(variables),
    results,
    failed,
    causes,
    unproven,
    notes,
    stopReason,
    coverage,
  };
  print(`\n${describeRun(run, options.isVerbose, process.stdout)}`);
  if (markdown !== undefined) writeReport(markdown, toMarkdown(run));
  if (options.junit !== undefined)
    writeReport(
      options.junit,
      toJUnit(results, (result) => describeFailure(result, target, run.variables), unproven, notes),
    );
  if (signal !== undefined) return 128 + constants.signals[signal];
  if (stopReason === undefined && results.length === 0) return 2;
  if (hasFailed(run)) return 1;
  if (stopReason !== undefined) return 2;
  return suite.skipped().some(isMistake) || unproven.some(({ reason }) => reason !== NEEDS_DESTRUCTIVE) ? 3 : 0;
}

function createSuiteFor(
  contract: string,
  { tag, fixtures, variables, variablesWithoutScopes, ...options }: Options,
): Suite {
  const { level, maxCases, isTried, isWanted } = options;
  const show = createProgress();
  let count = 0;
  const suite = createSuite(contract, {
    maxCases,
    isTried,
    // The command cannot cause failures inside the server.
    isWanted: (kind) => kind.class !== 'fault' && isWanted(kind),
    onOperation: () => {
      count++;
      show(`Deriving cases: ${String(count)} operations so far`);
    },
    marker: tag,
    level,
    ...(fixtures !== undefined && { fixtures: parseFixtures(readFileSync(fixtures, 'utf8')) }),
    // If --token-env is missing altogether, the user probably forgot it. Then `variablesOf` reports the missing option.
    hasCredentials: (scheme) => variables.size === 0 || variableOf(variables, scheme) !== undefined,
    hasUnscoped: (scheme) => variableOf(variablesWithoutScopes, scheme) !== undefined,
  });
  show();
  const { operations } = suite.model;
  for (const [option, names, exists] of [
    ['operation', options.operations, (name: string) => operations.some(({ id }) => id === name)],
    ['path', options.paths, (name: string) => operations.some(({ path }) => path === name)],
  ] as const) {
    const badName = names.find((name) => !exists(name));
    if (badName !== undefined) throw new UsageError(`--${option} ${badName}: the contract has no such ${option}`);
  }
  return suite;
}

// An operation that gets no valid requests (DELETE without --destructive) counts as unbuilt, so that its parts are not
// reported as uncovered.
function judgeCoverage(suite: Suite, { coverage, isAccepting, isWanted }: Options): CheckedCoverage {
  const unsentOperations = suite.model.operations.filter(
    (operation) => !isWanted({ operation, class: 'positive', expect: 'accepted', isOnCreatedResource: true }),
  );
  return checkCoverage(suite, { file: coverage, isAccepting, unbuilt: new Set(unsentOperations.map(({ id }) => id)) });
}

// After this many cases without a reply in a row, the server is probably down, and each further case would have to wait
// for --timeout.
const MAX_UNANSWERED = 10;

interface SentCases {
  readonly results: readonly CaseResult[];
  /** A sentence that says why some cases were not sent. */
  readonly stopReason?: string;
  readonly signal?: Signal;
}

/** Stops early on a signal, or if the server no longer answers. */
async function sendCases(suite: Suite, target: Target, options: Options): Promise<SentCases> {
  const { isWanted, tag, workers } = options;
  const total = chooseCases(suite, target, options).length;
  const start = `Sending ${String(total)} cases, ${String(workers)} at a time, then scenarios of resources with ids. Created data is marked ${toSafeText(JSON.stringify(tag))}.`;
  print(wrap(start, process.stdout));
  const results: CaseResult[] = [];
  const show = createProgress();
  let failedCount = 0;
  // The total does not include the stateful scenarios, which are sent last.
  const showCounts = (): void => {
    const count = results.length;
    const totalSuffix = count <= total ? ` of ${String(total)}` : '';
    show(`${String(count)}${totalSuffix} cases, ${String(failedCount)} failed`, count, total);
  };
  const resultIterator = runSuite(suite, target, { isWanted, workers });
  using watch = watchRun(showCounts, show);
  for (;;) {
    const next = await Promise.race([resultIterator.next(), watch.signal]);
    if (typeof next === 'string') {
      // Do not wait for requests in flight.
      void resultIterator.return(undefined);
      return { results, signal: next, stopReason: `Stopped by ${next}: ${describeUnsentCases(results, total)}` };
    }
    if (next.done === true) return { results };
    results.push(truncateReplies(next.value));
    if (next.value.findings.length > 0) failedCount++;
    showCounts();
    const latestResults = results.slice(-MAX_UNANSWERED);
    if (latestResults.length === MAX_UNANSWERED && latestResults.every((result) => isUnanswered(target, result))) {
      await resultIterator.return(undefined);
      const serverReaction = latestResults.every(({ replies }) => isLimited(target, replies))
        ? 'answered 429 to'
        : 'did not answer';
      return {
        results,
        stopReason: `Stopped early: the server ${serverReaction} ${String(MAX_UNANSWERED)} cases in a row. ${describeUnsentCases(results, total)}`,
      };
    }
  }
}

// Counts neither controls nor scenarios. Scenarios are sent last.
function describeUnsentCases(results: readonly CaseResult[], total: number): string {
  const sentCount = results.filter(({ case: { class: name } }) => name !== 'control' && name !== 'stateful').length;
  return `${String(total - sentCount)} of ${String(total)} cases were not sent, nor the rest of the scenarios.`;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Signal = (typeof SIGNALS)[number];

/** Catches the first signal; a second one ends the process. Calls `onTick` every second, to keep the progress moving. */
function watchRun(onTick: () => void, onEnd: () => void): Disposable & { readonly signal: Promise<Signal> } {
  const { promise, resolve } = Promise.withResolvers<Signal>();
  const timer = setInterval(onTick, 1_000);
  for (const signal of SIGNALS) process.once(signal, resolve);
  return {
    signal: promise,
    [Symbol.dispose]() {
      clearInterval(timer);
      onEnd();
      for (const signal of SIGNALS) process.off(signal, resolve);
    },
  };
}

function isUnanswered(target: Target, { replies, findings }: CaseResult): boolean {
  return (
    isLimited(target, replies) || findings.some(({ check }) => check === 'no-response' || check === 'server-alive')
  );
}

/** Falls back to the variable for all schemes, whose key is ''. */
function variableOf(variables: Options['variables'], scheme: string): string | undefined {
  return variables.get(scheme) ?? variables.get('');
}

/**
 * Maps the keys of `Secrets` to environment variables.
 *
 * @throws Error if a scheme has no variable
 */
function variablesOf(
  { model }: Suite,
  { variables, variablesWithoutScopes, variablesOfOther }: Options,
): Map<string, string> {
  const schemes = model.operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const names = new Set(schemes.map(({ name }) => name));
  const unscopedVariables = schemes.flatMap(({ name, scopes }): [string, string][] => {
    const variable = scopes.length > 0 ? variableOf(variablesWithoutScopes, name) : undefined;
    return variable === undefined ? [] : [[unscopedNameOf(name), variable]];
  });
  const primaryVariables = [...names].map((name): [string, string] => {
    const variable = variableOf(variables, name);
    if (variable !== undefined) return [name, variable];
    throw new Error(
      `the security scheme ${name} needs credentials: name the environment variable of each scheme with --token-env SCHEME=NAME. Where the contract offers either of several schemes, one is enough.`,
    );
  });
  const otherVariables = [...names].flatMap((name): [string, string][] => {
    // If a scheme has no variable for the other caller, both callers use the same credentials.
    const variable = variableOf(variablesOfOther, name) ?? variableOf(variables, name);
    return variable === undefined || variablesOfOther.size === 0 ? [] : [[otherNameOf(name), variable]];
  });
  return new Map([...unscopedVariables, ...otherVariables, ...primaryVariables]);
}

/** @throws UsageError if the environment variable is unset or empty */
function readSecret(variable: string): string {
  const secret = process.env[variable];
  if (secret === undefined || secret === '')
    throw new UsageError(`the environment variable ${variable} is unset or empty`);
  return secret;
}
