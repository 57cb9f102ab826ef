import { join } from 'node:path';
import {
  createProgress,
  formatUsage,
  print,
  readArguments,
  toSafeText,
  UsageError,
  wrap,
} from '@contract-kit/conformance/terminal';
import { printError, printFindings } from '../diagnostics/diagnostic';
import { type NewProject, type ProjectOptions, type TestRun, createProject } from './create-project';
import { quotePath } from './example';
import { listUnwrittenSchemes } from './project-files';

const USAGE = `npm run new -- --contract FILE DIR
  Creates a project in DIR, a new or empty folder, that serves the contract in FILE. The project contains the kit's packages in vendor/, a conformance test, and a handler stub for each operation.

  --contract FILE       the contract, OpenAPI 3.0 to 3.2 in YAML or JSON
  --name NAME           the package name (the default is derived from the title of the contract)
  --store               give the handlers a store in SQLite or PostgreSQL
  --esm                 use ES modules instead of CommonJS
  --help                print this text`;

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Parses the arguments; undefined for --help. @throws UsageError if arguments are missing or cannot be combined */
export function readOptions(args: readonly string[]): ProjectOptions | undefined {
  const { positionals, has, text } = readArguments(USAGE, args);
  if (has('help')) return undefined;
  const [contract, name] = [text('contract'), text('name')];
  const [folder, ...extraFolders] = positionals;
  if (contract === undefined) throw new UsageError('name the contract with --contract FILE');
  if (folder === undefined) throw new UsageError('specify the folder of the project');
  if (extraFolders.length > 0)
    throw new UsageError(`name one folder, not ${String(positionals.length)} (${positionals.join(' ')})`);
  if (name !== undefined && !PACKAGE_NAME.test(name)) {
    throw new UsageError(`--name ${name} is not a valid package name; write one such as lending-library`);
  }
  return { folder, contract, name, isModule: has('esm'), hasStore: has('store') };
}

/**
 * Runs the command that creates projects (`npm run new` in the kit's repository).
 *
 * @returns the exit status: 0 for success, 1 for a failure, 2 for wrong arguments
 * @example process.exitCode = await runNew(process.argv.slice(2))
 */
export async function runNew(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (!options) {
      print(formatUsage(USAGE, process.stdout));
      return 0;
    }
    const showProgress = createProgress();
    const project = await createProject(options, undefined, showProgress).finally(showProgress);
    printFindings('advice', project.contract.advice, process.stdout);
    for (const line of describeProject(options.folder, project).split('\n'))
      print(wrap(toSafeText(line), process.stdout, '    '));
    return 0;
  } catch (error) {
    printError(error, USAGE);
    return error instanceof UsageError ? 2 : 1;
  }
}

function describeProject(folder: string, { name, contract, size, tests }: NewProject): string {
  const { operations, errorSamples, untried } = contract;
  const schemes = listUnwrittenSchemes(operations);
  const tasks = [
    ...(operations.length > 0 ? [] : ['No operation of the contract can be served.']),
    ...listFirst(
      'Write these handlers in src/handlers/:',
      operations.map(({ id }) => id),
    ),
    ...(schemes.length > 0
      ? [`Write verifiers in src/service.ts for these security schemes, which accept nobody yet: ${schemes.join(', ')}`]
      : []),
    ...(errorSamples.code === undefined
      ? []
      : ['Replace the sample errors in src/render-error.ts, which are marked with todo().']),
    ...listFirst('The contract does not allow these sample errors; nothing better was found:', errorSamples.problems),
    ...listFirst(
      'Write tests for these operations, since the conformance suite cannot make a valid request:',
      untried.map(({ request, reason }) => `${request} (no cases for ${reason})`),
    ),
  ];
  return `Created ${name} in ${folder}, with ${String(size)} files besides generated/ and vendor/. It compiles and starts.
${tasks.join('\n')}

${describeTests(tests)}

  cd ${quotePath(folder)} && npm ci && npm test

${join(folder, 'README.md')} says how to continue.`;
}

function describeTests({ output, failures, isCutOff }: TestRun): string {
  const reasons = failures.map((failure) => failure.trim().replace(/\s*\n\s*/g, '\n    '));
  const isGreen = failures.length === 0 && !isCutOff;
  return [
    ...output.split('\n').filter((line) => line !== ''),
    ...(isGreen ? ['Its tests pass.'] : []),
    ...(isCutOff ? ['There was no time for the rest of its tests, in which npm test may find more.'] : []),
    // There are no handlers yet, so only the contract or the samples can make a test fail.
    ...listFirst('npm test will fail, because the contract or a sample in src/render-error.ts is wrong:', reasons),
  ]
    .map((line) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}...` : line))
    .join('\n');
}

const MAX_LINES = 10;
const MAX_CHARACTERS = 300;

function listFirst(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length > MAX_LINES ? [`and ${String(lines.length - MAX_LINES)} more`] : [];
  return [title, ...[...lines.slice(0, MAX_LINES), ...rest].map((line) => `  ${line}`)];
}
