// Runs the command `conformance`.
import type { CaseResult } from '../oracle/checks';
import { readFileSync } from 'node:fs';
import { readOptions, USAGE, UsageError, type Options } from './options';
import { probeServer } from '../runner/probe-server';
import { applyBaseline, loadBaseline, type Judged } from '../report/baseline';
import { groupByCause } from '../report/causes';
import { toSafeText } from '../wire/safe-text';
import { describeFailure, toSafeLine, withoutRests } from '../report/failure';
import { toJUnit } from '../report/junit';
import { hasFailed, describeSkippedCases, describeSkipped, type Run } from '../report/run';
import { checkCoverage, loadAccepted, type CheckedCoverage } from '../report/uncovered';
import { describeRun } from '../report/text';
import { assertNoLink, writeReport } from '../report/write-report';
import { isLimited, type Target } from '../exchange/exchange';
import { createSuite, type Suite } from '../suite';
import { parseFixtures } from '../values/fixtures';
import { chooseCases, runSuite } from '../runner/run-suite';
import { otherNameOf, unscopedNameOf } from '../wire/secret';

/**
 * The command: derives the cases of a contract, sends them to a server, and prints what failed.
 *
 * @param args as they were typed, such as `['--url', 'http://127.0.0.1:3000', '--token-env', 'TOKEN']`
 * @returns the status for the process: 0; 1 when a case failed, or something is uncovered that --coverage does not accept;
 * 2 when the arguments, the contract or the server cannot be used, or the server stopped answering
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options) return await judgeServer(options);
    console.log(USAGE);
    return 0;
  } catch (error) {
    const message = toSafeText((error as Error).message);
    console.error(error instanceof UsageError ? `${message}\n\n${USAGE}` : message);
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
    ...(options.headers.length > 0 && { headers: options.headers }),
    hasOtherCaller: options.variablesOfOther.size > 0,
  };
  const obstacle = await probeServer(suite, target, variables, options.isWanted);
  if (obstacle !== undefined) {
    console.error(toSafeLine(obstacle, target.secrets));
    return 2;
  }
  // A malformed file of --coverage, and a link that would be written through, are reported before any case is sent.
  const { coverage: accepted, baseline, junit, isAccepting } = options;
  for (const file of [junit, ...(isAccepting ? [accepted, baseline] : [])]) if (file !== undefined) assertNoLink(file);
  loadAccepted(options.coverage);
  if (options.baseline !== undefined && !options.isAccepting) loadBaseline(options.baseline);
  // `stopReason` is set when the server stopped answering, so that cases are missing.
  const { results: all, stopReason } = await sendCases(suite, target, options);
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  const { results, notes: baselineNotes }: Judged =
    options.baseline === undefined
      ? { results: all, notes: [] }
      : applyBaseline(all, { file: options.baseline, isAccepting: options.isAccepting });
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = [
    ...(stopReason === undefined ? [] : [stopReason]),
    ...baselineNotes,
    ...describeSkippedCases(suite, target, options, results),
    ...describeSkipped(suite.skipped()),
  ];
  const coverage = options.sendsAllCases && stopReason === undefined ? judgeCoverage(suite, options) : undefined;
  const causes = groupByCause(failed);
  const run: Run = {
    suite,
    target,
    variables: Object.fromEntries(variables),
    results,
    failed,
    causes,
    notes,
    coverage,
  };
  console.log(`\n${describeRun(run, options.isVerbose)}`);
  if (options.junit !== undefined)
    writeReport(
      options.junit,
      toJUnit(results, (result) => describeFailure(result, target, run.variables)),
    );
  if (stopReason === undefined && results.length === 0) return 2;
  if (hasFailed(run)) return 1;
  return stopReason === undefined ? 0 : 2;
}

function createSuiteFor(
  contract: string,
  { bodyLimit, tag, level, fixtures, allowedHeaders, variables, variablesWithoutScopes }: Options,
): Suite {
  return createSuite(contract, {
    bodyLimit,
    marker: tag,
    level,
    headers: allowedHeaders,
    ...(fixtures !== undefined && { fixtures: parseFixtures(readFileSync(fixtures, 'utf8')) }),
    // Without any --token-env, the user probably forgot it: `variablesOf` then reports the missing option.
    hasCredentials: (scheme) => variables.size === 0 || variableOf(variables, scheme) !== undefined,
    hasUnscoped: (scheme) => variableOf(variablesWithoutScopes, scheme) !== undefined,
  });
}

// Operations whose valid requests are not sent (DELETE without --destructive) count as unbuilt: none of their parts is uncovered.
function judgeCoverage(suite: Suite, { coverage, isAccepting, isWanted }: Options): CheckedCoverage {
  const unsent = suite.model.operations.filter(
    (operation) => !isWanted({ operation, class: 'positive', expect: 'accepted', isOnCreatedResource: true }),
  );
  return checkCoverage(suite, { file: coverage, isAccepting, unbuilt: new Set(unsent.map(({ id }) => id)) });
}

// After this many cases without a reply, the server is down, and each further case would take the whole --timeout.
const MAX_UNANSWERED = 10;

/** Stops early when the server stops answering: then `stopReason` is a sentence that says so. */
async function sendCases(
  suite: Suite,
  target: Target,
  options: Options,
): Promise<{ results: CaseResult[]; stopReason?: string }> {
  const { isWanted, seed, runs, tag, workers } = options;
  const total = chooseCases(suite, target, options).length;
  console.log(
    `Sending ${String(total)} cases, then ${String(runs)} random bodies for each operation, ${String(workers)} at a time. Created data is marked ${toSafeText(JSON.stringify(tag))}.`,
  );
  const results: CaseResult[] = [];
  let failed = 0;
  const random = { seed, runs, isMarked: true };
  for await (const result of runSuite(suite, target, { random, isWanted, workers })) {
    results.push(withoutRests(result));
    if (result.findings.length > 0) failed++;
    showProgress(results.length, total, failed);
    const latest = results.slice(-MAX_UNANSWERED);
    if (latest.length === MAX_UNANSWERED && latest.every((latestResult) => isUnanswered(target, latestResult)))
      return {
        results,
        stopReason: `Stopped early: the server did not answer ${String(MAX_UNANSWERED)} cases in a row, or answered only 429.`,
      };
  }
  return { results };
}

// Whether a case had no reply, or only 429 (Too Many Requests), or the server was down after it.
function isUnanswered(target: Target, { replies, findings }: CaseResult): boolean {
  return (
    isLimited(target, replies) || findings.some(({ check }) => check === 'no-response' || check === 'server-alive')
  );
}

/** The variable of the scheme, or the one for all schemes, which is under the key ''. */
function variableOf(variables: Options['variables'], scheme: string): string | undefined {
  return variables.get(scheme) ?? variables.get('');
}

/**
 * The keys are those of `Secrets`: the name of a scheme, or `unscopedNameOf` it for its credentials without scopes.
 *
 * @throws UsageError when a scheme has no variable
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
  const usualVariables = [...names].map((name): [string, string] => {
    const variable = variableOf(variables, name);
    if (variable !== undefined) return [name, variable];
    throw new UsageError(
      `the security scheme ${name} needs credentials: name their environment variable with --token-env`,
    );
  });
  const otherVariables = [...names].flatMap((name): [string, string][] => {
    // A scheme without one of its own has the same credentials for both callers.
    const variable = variableOf(variablesOfOther, name) ?? variableOf(variables, name);
    return variable === undefined || variablesOfOther.size === 0 ? [] : [[otherNameOf(name), variable]];
  });
  return new Map([...unscopedVariables, ...otherVariables, ...usualVariables]);
}

/** @throws UsageError when the environment variable is unset or empty */
function readSecret(variable: string): string {
  const secret = process.env[variable];
  if (secret === undefined || secret === '')
    throw new UsageError(`the environment variable ${variable} is unset or empty`);
  return secret;
}

// Where stderr is not a terminal, only runs with at least this many cases print their progress.
const LONG_RUN = 1_000;

const CLEAR_LINE = '\r\x1b[K';

/** A terminal has one line that is rewritten; in a log, a long run prints a line after each quarter. */
function showProgress(count: number, total: number, failed: number): void {
  // After the derived cases come random bodies, and resources with ids.
  const text = count > total ? `${String(count)} cases` : `${String(count)} of ${String(total)}`;
  const line = `${text}, ${String(failed)} failed`;
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${line}`);
  else if (total >= LONG_RUN && count % Math.ceil(total / 4) === 0) process.stderr.write(`${line}\n`);
}
