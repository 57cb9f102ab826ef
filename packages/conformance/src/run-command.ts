// Runs the command `conformance`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readOptions, USAGE, UsageError, type Options } from './options';
import { findObstacle } from './probe/find-obstacle';
import { groupByCause } from './report/causes';
import { describeFailure } from './report/failure';
import { toHtml } from './report/html';
import { toJUnit } from './report/junit';
import { hasFailed, type Run } from './report/run';
import { describeLeftOut, describeUntried } from './report/left-out';
import { toListing } from './report/coverage';
import { checkGaps, loadAccepted, type CheckedGaps } from './report/gaps';
import { toSafeLine } from './report/shown';
import { toText } from './report/text';
import type { CaseResult } from './run-case';
import type { Target } from './target';
import { readSecret, variableOf, variablesOf } from './secret-variables';
import { sendCases } from './send-cases';
import { createSuite, type Suite } from './suite';
import { readGiven } from './values/given';

/**
 * The command: derives the cases of a contract, sends them to a server, and prints what failed.
 *
 * @param args as they were typed, such as `['--url', 'http://127.0.0.1:3000', '--token-env', 'TOKEN']`
 * @returns the status for the process: 0, 1 when a case failed, 2 when the arguments, the contract or the server cannot
 * be used
 * @example process.exitCode = await runCommand(process.argv.slice(2));
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options) return await judgeServer(options);
    console.log(USAGE);
    return 0;
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : (error as Error).message);
    return 2;
  }
}

async function judgeServer(options: Options): Promise<number> {
  const suite = createSuiteFor(options);
  const variables = variablesOf(suite, options);
  const target: Target = {
    base: options.url,
    timeout: options.timeout,
    secrets: Object.fromEntries([...variables].map(([scheme, name]) => [scheme, readSecret(name)])),
    patience: 3,
  };
  const obstacle = await findObstacle(suite, target, variables, options.isWanted);
  if (obstacle !== undefined) {
    console.error(toSafeLine(obstacle, target.secrets));
    return 2;
  }
  // Report a malformed file before any case is sent.
  loadAccepted(options.gate);
  // `stop` is set when the server did not answer any more, so that cases are missing.
  const { results, stop } = await sendCases(suite, target, options);
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = [
    ...(stop === undefined ? [] : [stop]),
    ...describeLeftOut(suite, target, options, results),
    ...describeUntried(suite.untried()),
  ];
  const gaps = options.isWhole && stop === undefined ? judgeGaps(suite, options) : undefined;
  const causes = groupByCause(failed);
  const run = { suite, target, variables: Object.fromEntries(variables), results, failed, causes, notes, gaps };
  console.log(`\n${toText(run, options.isVerbose)}`);
  writeReports(run, options);
  if (hasFailed(run)) return 1;
  return stop === undefined ? 0 : 2;
}

function createSuiteFor({ contract, bodyLimit, tag, level, values, variables, unscoped }: Options): Suite {
  return createSuite(readFileSync(contract, 'utf8'), {
    bodyLimit,
    mark: tag,
    level,
    ...(values !== undefined && { given: readGiven(readFileSync(values, 'utf8')) }),
    // Without any --token-env, the user probably forgot it: `variablesOf` then reports the missing option.
    hasCredentials: (scheme) => variables.size === 0 || variableOf(variables, scheme) !== undefined,
    hasUnscoped: (scheme) => variableOf(unscoped, scheme) !== undefined,
  });
}

// Operations whose valid requests are not sent (DELETE without --destructive) count as unbuilt: they have no gaps.
function judgeGaps(suite: Suite, { gate, isAccepting, isWanted }: Options): CheckedGaps {
  const unsent = suite.model.operations.filter(
    (operation) => !isWanted({ operation, class: 'positive', expect: 'accepted', isMade: true }),
  );
  return checkGaps(suite, { file: gate, isAccepting, unbuilt: new Set(unsent.map(({ id }) => id)) });
}

function writeReports(run: Run, { junit, coverage, html }: Options): void {
  const { suite, target, variables, results } = run;
  const describe = (result: CaseResult): string => describeFailure(result, target, variables);
  if (junit !== undefined) writeFile(junit, toJUnit(results, describe));
  if (coverage !== undefined) {
    const lines = toListing(suite.coverage.list()).split('\n');
    writeFile(coverage, lines.map((line) => toSafeLine(line, target.secrets, Infinity)).join('\n'));
  }
  if (html !== undefined) writeFile(html, toHtml(run));
}

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
