// The commands of `contract-kit`.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parsePart, toTerminalJson } from '@contract-kit/contract';
import { bundleContract, withoutHeader } from './bundle/bundle-contract';
import { readContractText } from './bundle/contract-files';
import { checkContract, type CheckOptions } from './check/check-contract';
import type { Break } from './check/released';
import { startDev } from './dev/dev';
import { print, printError, toLines } from './diagnostics/diagnostic';
import { findStale, writeGenerated } from './generate/generate';

const CONTRACT_FILE = 'openapi.yaml';

const USAGE = `contract-kit generate           write generated/ from openapi.yaml, and a stub for each operation without a handler
contract-kit generate --check   fail if generated/ does not match openapi.yaml
contract-kit check              list errors in openapi.yaml, and changes that break clients of the newest file in contracts/
  --strict                      treat slow patterns, and what Redocly finds, as errors
  --json                        print the result as JSON
  --project FILE                also check that the code of this tsconfig.json fits openapi.yaml
contract-kit bundle [FILE]      print openapi.yaml, or another contract in several files, as one document
contract-kit dev                regenerate, compile and restart the server whenever a file is saved
  --project FILE                the tsconfig.json that compiles to dist/ (by default tsconfig.json)

generate, check and dev also take --keep-going, which leaves out operations with errors and lists them. All commands
take --root DIR, the folder that must contain all files of the contract (by default the folder of openapi.yaml).`;

/**
 * Runs a command of this package in the working directory, and prints its result.
 *
 * @returns the exit status: 1 if the command failed or found errors
 * @example process.exitCode = await runCommand(['generate', '--check'])
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: 'boolean' },
        help: { type: 'boolean' },
        'keep-going': { type: 'boolean' },
        json: { type: 'boolean' },
        root: { type: 'string' },
        strict: { type: 'boolean' },
        project: { type: 'string' },
      },
    });
    if (values.help === true) {
      print(USAGE);
      return 0;
    }
    const { project } = values;
    const root = values.root === undefined ? undefined : resolve(values.root);
    const [command, file, ...others] = positionals;
    const unexpected = command === 'bundle' ? others[0] : file;
    if (unexpected !== undefined) throw new Error(`unexpected argument: ${unexpected}\n\n${USAGE}`);
    const keepsGoing = values['keep-going'] === true;
    if (command === 'generate') await (values.check === true ? assertGeneratedIsCurrent : generate)(keepsGoing, root);
    else if (command === 'check')
      await check({ project, root, keepsGoing, isStrict: values.strict === true }, values.json === true);
    else if (command === 'bundle') printBundle(file ?? CONTRACT_FILE, root);
    else if (command === 'dev') startDev(project ?? 'tsconfig.json', keepsGoing, root);
    else throw new Error(USAGE);
    return 0;
  } catch (error) {
    printError((error as Error).message);
    return 1;
  }
}

async function generate(keepsGoing: boolean, root?: string): Promise<void> {
  const { written, stubs, notes } = await writeGenerated(keepsGoing, root);
  print(written.length === 0 ? 'generated/ is up to date' : `wrote ${written.join(', ')} in generated/`);
  for (const line of [...stubs, ...notes]) print(line);
}

function printBundle(file: string, folder: string | undefined): void {
  const { source, unfollowed } = bundleContract(readContractText(file), file, folder);
  if (unfollowed.length > 0) throw new Error(toLines(unfollowed).join('\n'));
  process.stdout.write(toPrintable(withoutHeader(source), file));
}

// Control characters other than line ends and tabs, and characters that reverse text.
const COMMAND = /[^\P{Cc}\n\t\r]|\r(?!\n)|\p{Bidi_Control}/u;

// JSON is also YAML, and can escape characters that command a terminal, so the document stays the same.
function toPrintable(text: string, file: string): string {
  if (!COMMAND.test(text)) return text;
  const toJson = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
  return `${toTerminalJson(JSON.stringify(parsePart(text, file), toJson, 2))}\n`;
}

async function assertGeneratedIsCurrent(keepsGoing: boolean, root?: string): Promise<void> {
  const stale = Object.keys((await findStale(keepsGoing, root)).files);
  if (stale.length > 0) throw new Error(`generated/ is out of date (${stale.join(', ')}); run npm run generate`);
  print('generated/ matches openapi.yaml');
}

async function check(options: CheckOptions, isJson: boolean): Promise<void> {
  const { errors, advice, notes, breaks, changes, released } = await checkContract(CONTRACT_FILE, 'contracts', options);
  if (isJson) print(JSON.stringify({ errors, advice, notes, changes: changes.map(toJson) }, undefined, 2));
  else for (const line of [...notes, ...advice, ...breaks]) print(line);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  if (!isJson) print(`${CONTRACT_FILE} has no errors, ${describeBreaks(changes, released)}`);
}

function toJson({ rule, isCertain, message, locate, locateReleased }: Break): object {
  return { rule, isCertain, message, ...locate(), released: locateReleased() };
}

function describeBreaks(changes: readonly Break[], released: string | undefined): string {
  if (released === undefined) return 'and contracts/ has no released version to compare it with yet';
  const count = changes.filter(({ isCertain }) => isCertain).length;
  const [certain, possible] = [
    `${describeCount(count)} clients`,
    `${describeCount(changes.length - count, 'may ')} clients`,
  ];
  if (changes.length === 0) return `and breaks no clients of ${released}`;
  const parts = [...(count > 0 ? [certain] : []), ...(count < changes.length ? [possible] : [])];
  return `but ${parts.join(', and ')} of ${released}`;
}

function describeCount(count: number, verb = ''): string {
  if (count === 1) return `1 change ${verb}${verb === '' ? 'breaks' : 'break'}`;
  return `${String(count)} changes ${verb}break`;
}
