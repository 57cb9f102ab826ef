import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkGaps, loadAccepted, type CheckedGaps } from './gate/check-gaps';
import { readOptions, USAGE, UsageError, type Options } from './options';
import { findObstacle } from './probe/find-obstacle';
import { groupByCause } from './report/causes';
import { describeFailure } from './report/failure';
import { toHtml } from './report/html/page';
import { toJUnit } from './report/junit';
import { hasFailed } from './report/run';
import { describeLeftOut, describeUntried } from './report/left-out';
import { toListing } from './report/listing';
import { toSafeLine } from './report/shown';
import { toText } from './report/text';
import type { CaseResult, Target } from './run-case';
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
    return await judge(args);
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : (error as Error).message);
    return 2;
  }
}

async function judge(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const given = options.variables;
  const suite = createSuite(readFileSync(options.contract, 'utf8'), {
    bodyLimit: options.bodyLimit,
    mark: options.tag,
    level: options.level,
    ...(options.values !== undefined && { given: readGiven(readFileSync(options.values, 'utf8')) }),
    // Without any --token-env, the user probably forgot it: `variablesOf` then reports the missing option.
    hasCredentials: (scheme) => given.size === 0 || given.has('') || given.has(scheme),
    hasUnscoped: (scheme) => variableOf(options.unscoped, scheme) !== undefined,
  });
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
  const { results, stop } = await sendCases(suite, target, options);
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = [
    ...(stop === undefined ? [] : [stop]),
    ...describeLeftOut(suite, target, options, results),
    ...describeUntried(suite.untried()),
  ];
  const gaps = options.isWhole && stop === undefined ? judgeGaps(suite, options) : undefined;
  const run = {
    suite,
    target,
    variables: Object.fromEntries(variables),
    results,
    failed,
    causes: groupByCause(failed),
    notes,
    gaps,
  };
  console.log(`\n${toText(run, options.isVerbose)}`);
  const describe = (result: CaseResult): string => describeFailure(result, target, run.variables);
  if (options.junit !== undefined) write(options.junit, toJUnit(results, describe));
  if (options.coverage !== undefined) {
    const lines = toListing(suite.coverage.list()).split('\n');
    write(options.coverage, lines.map((line) => toSafeLine(line, target.secrets, Infinity)).join('\n'));
  }
  if (options.html !== undefined) write(options.html, toHtml(run));
  if (hasFailed(run)) return 1;
  return stop === undefined ? 0 : 2;
}

// An operation whose valid requests are not sent has no gaps.
function judgeGaps(suite: Suite, { gate, isAccepting, isWanted }: Options): CheckedGaps {
  const unsent = suite.model.operations.filter(
    (operation) => !isWanted({ operation, class: 'positive', expect: 'accepted', isMade: true }),
  );
  return checkGaps(suite, { file: gate, isAccepting, unbuilt: new Set(unsent.map(({ id }) => id)) });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
