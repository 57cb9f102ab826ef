import { resolve } from 'node:path';
import {
  formatUsage,
  paint,
  print,
  readArguments,
  toSafeText,
  UsageError,
  wrap,
} from '@contract-kit/conformance/terminal';
import { parsePart, toTerminalJson } from '@contract-kit/contract';
import { bundleContract, removeHeader } from './bundle/bundle-contract';
import { readContractText } from './bundle/contract-files';
import { checkContract, type CheckOptions } from './check/check-contract';
import type { Break } from './check/released';
import { startDev } from './dev/dev';
import { DiagnosticsError, printError, printFindings } from './diagnostics/diagnostic';
import { findStaleFiles, writeGenerated } from './generate/generate';

const CONTRACT_FILE = 'openapi.yaml';

const USAGE = `contract-kit COMMAND [options]
  generate              write generated/ from openapi.yaml, and a stub for each operation without a handler
  check                 list errors in openapi.yaml, and changes that break clients of the newest file in contracts/
  bundle [FILE]         print openapi.yaml, or another contract in several files, as one document
  dev                   regenerate, compile and restart the server whenever a file is saved

  --check               with generate: write nothing, and fail if generated/ does not match openapi.yaml
  --strict              with check: treat slow patterns, and what Redocly finds, as errors
  --json                with check: print the result as JSON
  --project FILE        with check: also check that the code of this tsconfig.json fits openapi.yaml; with dev: the tsconfig.json that compiles to dist/ (default: tsconfig.json)
  --keep-going          with generate, check and dev: leave out operations with errors, and list them
  --root DIR            the folder that must contain all files of the contract (default: the folder of openapi.yaml)
  --help                print this text`;

/**
 * Runs one of this package's commands in the working directory, and prints its result.
 *
 * @returns the exit status: 1 if the command failed or found errors
 * @example process.exitCode = await runCommand(['generate', '--check'])
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { positionals, has, text } = readArguments(USAGE, args);
    if (has('help')) {
      print(formatUsage(USAGE, process.stdout));
      return 0;
    }
    const project = text('project');
    const folder = text('root');
    const root = folder === undefined ? undefined : resolve(folder);
    const [command, file, ...extraArguments] = positionals;
    const unexpectedArgument = command === 'bundle' ? extraArguments[0] : file;
    if (unexpectedArgument !== undefined) throw new UsageError(`unexpected argument: ${unexpectedArgument}`);
    const keepsGoing = has('keep-going');
    if (command === 'generate') await (has('check') ? assertGeneratedIsCurrent : generate)(keepsGoing, root);
    else if (command === 'check')
      return await check({ project, root, keepsGoing, isStrict: has('strict') }, has('json'));
    else if (command === 'bundle') printBundle(file ?? CONTRACT_FILE, root);
    else if (command === 'dev') startDev(project ?? 'tsconfig.json', keepsGoing, root);
    else throw new UsageError(command === undefined ? 'name a command' : `unknown command: ${command}`);
    return 0;
  } catch (error) {
    printError(error, USAGE);
    return 1;
  }
}

async function generate(keepsGoing: boolean, root?: string): Promise<void> {
  const { written, stubs, notes } = await writeGenerated(keepsGoing, root);
  print(written.length === 0 ? 'generated/ is up to date' : `wrote ${written.join(', ')} in generated/`);
  for (const line of stubs) print(toSafeText(line));
  printFindings('note', notes, process.stdout);
}

function printBundle(file: string, folder: string | undefined): void {
  const { source, unfollowed } = bundleContract(readContractText(file), file, folder);
  if (unfollowed.length > 0) throw new DiagnosticsError(unfollowed);
  process.stdout.write(toPrintable(removeHeader(source), file));
}

// Matches control characters, except line ends and tabs, and characters that reverse the direction of text.
const UNPRINTABLE = /[^\P{Cc}\n\t\r]|\r(?!\n)|\p{Bidi_Control}/u;

// JSON is also YAML, and can escape unprintable characters without changing the document.
function toPrintable(text: string, file: string): string {
  if (!UNPRINTABLE.test(text)) return text;
  const toJson = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
  return `${toTerminalJson(JSON.stringify(parsePart(text, file), toJson, 2))}\n`;
}

async function assertGeneratedIsCurrent(keepsGoing: boolean, root?: string): Promise<void> {
  const names = Object.keys((await findStaleFiles(keepsGoing, root)).files);
  if (names.length > 0) throw new Error(`generated/ is out of date (${names.join(', ')}); run npm run generate`);
  print('generated/ matches openapi.yaml');
}

async function check(options: CheckOptions, isJson: boolean): Promise<number> {
  const result = await checkContract(CONTRACT_FILE, 'contracts', options);
  const { errors, breaking, mayBreak, advice, notes, hasFailed, changes, released } = result;
  if (isJson) {
    const allErrors = [...errors, ...(hasFailed ? breaking : [])];
    print(JSON.stringify({ errors: allErrors, advice, notes, changes: changes.map(toJson) }, undefined, 2));
    return Number(hasFailed);
  }
  const levels = { breaking, error: errors, 'may break': mayBreak, advice, note: notes } as const;
  for (const level of ['breaking', 'error', 'may break', 'advice', 'note'] as const)
    printFindings(level, levels[level], process.stdout);
  const counts = [
    countOf(errors, 'error'),
    released === undefined
      ? 'no released version to compare it with'
      : `${countOf(breaking, 'breaking change')} since ${released}`,
    ...(mayBreak.length > 0 ? [`${countOf(mayBreak, 'change')} that may break clients`] : []),
    countOf(advice, 'piece of advice', 'pieces of advice'),
  ];
  const summary = `${CONTRACT_FILE}: ${counts.join(', ')}`;
  print(wrap(paint(['bold', hasFailed ? 'red' : 'green'], summary, process.stdout), process.stdout, '  '));
  return Number(hasFailed);
}

function countOf(lines: readonly string[], noun: string, nouns = `${noun}s`): string {
  return `${String(lines.length)} ${lines.length === 1 ? noun : nouns}`;
}

function toJson({ rule, isCertain, message, locate, locateReleased }: Break): object {
  return { rule, isCertain, message, ...locate(), released: locateReleased() };
}
