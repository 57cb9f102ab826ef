import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toListing } from './report/listing';
import type { Level } from './level';
import { describeCause, groupByCause, type Cause } from './report/causes';
import { describeFailure, toShown } from './report/failure';
import { toJUnit } from './report/junit';
import { toTable } from './report/table';
import { type CaseResult, type Target } from './run-case';
import { chooseCases, runSuite } from './run-suite';
import { createSuite, type Suite } from './suite';
import { redact } from './wire/secret';
import { readOptions, USAGE, UsageError, type Options } from './options';

/**
 * The command: derives the cases of a contract, sends them to a server, and prints what failed.
 *
 * @param args as they were typed, such as `['--url', 'http://127.0.0.1:3000', '--token-env', 'TOKEN']`
 * @returns the status for the process: 0, 1 when a case failed, 2 when the arguments or the contract cannot be used
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
  const suite = createSuite(readFileSync(options.contract, 'utf8'), {
    bodyLimit: options.bodyLimit,
    mark: options.tag,
    level: options.level,
  });
  const variables = variablesOf(suite, options);
  const target = {
    base: options.url,
    timeout: options.timeout,
    secrets: Object.fromEntries([...variables].map(([scheme, name]) => [scheme, readSecret(name)])),
  };
  const describe = (result: CaseResult): string => describeFailure(result, target, Object.fromEntries(variables));
  const results = await run(suite, target, options);

  const failed = results.filter(({ findings }) => findings.length > 0);
  const causes = groupByCause(failed);
  const summary = describeSummary(options.level, causes, failed.length, results.length);
  console.log(`\n${summary}`);
  for (const cause of causes) console.log(toShown(describeCause(cause), target.secrets));
  const worst = options.isVerbose
    ? failed
    : [...new Set(causes.flatMap(({ results: [first] }) => first ?? []))].slice(0, WORST);
  for (const result of worst) console.log(`\n${describe(result)}`);
  console.log(`\n${toTable(results)}`);
  const untried = suite.cases.length - chooseCases(suite, target, options).length;
  if (untried > 0)
    console.log(
      `\n${String(untried)} cases were not tried: of other classes, of what would change or delete what is there, and of failures that nobody outside can bring about.`,
    );
  if (failed.length > 0) console.log(`\n${summary}`);
  if (options.junit !== undefined) write(options.junit, toJUnit(results, describe));
  if (options.coverage !== undefined) write(options.coverage, redact(toListing(suite.coverage.list()), target.secrets));
  return failed.length > 0 ? 1 : 0;
}

// Of these causes a case is shown whole.
const WORST = 3;

function describeSummary(level: Level, causes: readonly Cause[], failed: number, all: number): string {
  const found = failed === 0 ? 'nothing is wrong' : `${String(causes.length)} causes, in ${String(failed)}`;
  return `Level ${level}: ${found}${failed === 0 ? ', in' : ' of'} ${String(all)} cases`;
}

async function run(suite: Suite, target: Target, options: Options): Promise<CaseResult[]> {
  const { isWanted, seed, runs, tag } = options;
  const total = chooseCases(suite, target, options).length;
  console.log(
    `${String(total)} cases and ${String(runs)} random bodies an operation, one after the other; what they create is marked ${JSON.stringify(tag)}`,
  );
  const results: CaseResult[] = [];
  const random = { seed, runs, isMarked: true };
  for await (const result of runSuite(suite, target, { random, isWanted })) {
    results.push(result);
    const failed = results.filter(({ findings }) => findings.length > 0).length;
    tell(`${String(results.length)} of ${String(total)}, ${String(failed)} failed`, results.length);
    if (results.length >= PATIENCE && results.slice(-PATIENCE).every(({ replies }) => replies.length === 0)) {
      console.log(`\nStopped: ${String(PATIENCE)} cases in a row had no reply.`);
      break;
    }
  }
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  return results;
}

// Whoever does not answer so often will not, and each of them takes as long as --timeout says.
const PATIENCE = 10;

const CLEAR_LINE = '\r\x1b[K';

// One line that changes on a terminal; elsewhere a line now and then.
function tell(text: string, count: number): void {
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE + text);
  else if (count % 100 === 0) process.stderr.write(`${text}\n`);
}

function variablesOf({ model }: Suite, { variables }: Options): Map<string, string> {
  const names = new Set(model.operations.flatMap(({ alternatives }) => alternatives.flat().map(({ name }) => name)));
  return new Map(
    [...names].map((scheme) => {
      const variable = variables.get(scheme) ?? variables.get('');
      if (variable === undefined)
        throw new UsageError(`--token-env must name the variable with the credentials of ${scheme}`);
      return [scheme, variable];
    }),
  );
}

function readSecret(variable: string): string {
  const secret = process.env[variable];
  if (secret === undefined || secret === '') throw new UsageError(`the environment variable ${variable} is empty`);
  return secret;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
