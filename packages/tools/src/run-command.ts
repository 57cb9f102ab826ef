// The commands of `contract-kit`.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parsePart, toTerminalJson } from '@contract-kit/contract';
import { bundleContract, withoutHeader } from './bundle/bundle-contract';
import { checkContract, type CheckOptions } from './check/check-contract';
import { startDev } from './dev/dev';
import { toLines } from './diagnostics/diagnostic';
import { print, printError } from './diagnostics/print';
import { findStale, writeGenerated } from './generate/generate';

const CONTRACT_FILE = 'openapi.yaml';

const USAGE = `contract-kit generate           writes generated/ from openapi.yaml, and a handler for each new operation
contract-kit generate --check   fails when generated/ is not what openapi.yaml makes
contract-kit check              lists errors in openapi.yaml, and what breaks clients of the newest file in contracts/
  --strict                      advice is an error, too
  --project FILE                the tsconfig.json of the code that has to fit openapi.yaml, too
contract-kit bundle [FILE]      prints openapi.yaml, or another contract of several files, as one document
contract-kit dev                regenerates, compiles and restarts the server at each save
  --project FILE                the tsconfig.json that makes dist/ (tsconfig.json)
generate, check and dev --keep-going leave out operations with errors, and list them
all with --root DIR             take files of the contract up to that folder: by default that of the contract`;

/**
 * Runs a command of this package in the working directory, and prints what came of it.
 *
 * @returns the exit status: 1 when the command failed, or found that something is wrong
 * @example process.exitCode = await runCommand(['generate', '--check'])
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: 'boolean' },
        'keep-going': { type: 'boolean' },
        root: { type: 'string' },
        strict: { type: 'boolean' },
        project: { type: 'string' },
      },
    });
    const { project } = values;
    const root = values.root === undefined ? undefined : resolve(values.root);
    const [command, file, ...others] = positionals;
    const unexpected = command === 'bundle' ? others[0] : file;
    if (unexpected !== undefined) throw new Error(`${unexpected} is one word too many\n\n${USAGE}`);
    const keepsGoing = values['keep-going'] === true;
    if (command === 'generate') await (values.check === true ? assertGeneratedIsCurrent : generate)(keepsGoing, root);
    else if (command === 'check') await check({ project, root, keepsGoing, isStrict: values.strict === true });
    else if (command === 'bundle') await printBundle(file ?? CONTRACT_FILE, root);
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
  print(`generated/: ${written.length === 0 ? 'nothing to change' : `wrote ${written.join(', ')}`}`);
  for (const line of [...stubs, ...notes]) print(line);
}

async function printBundle(file: string, folder: string | undefined): Promise<void> {
  const { source, remote } = await bundleContract(readFileSync(file, 'utf8'), file, folder);
  if (remote.length > 0) throw new Error(toLines(remote).join('\n'));
  process.stdout.write(toPrintable(withoutHeader(source), file));
}

// Controls but line ends and tabs, and what reverses text.
const COMMAND = /[^\P{Cc}\n\t\r]|\r(?!\n)|\p{Bidi_Control}/u;

// JSON, which YAML can be, escapes what commands a terminal: the document stays the same.
function toPrintable(text: string, file: string): string {
  if (!COMMAND.test(text)) return text;
  const toJson = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
  return `${toTerminalJson(JSON.stringify(parsePart(text, file), toJson, 2))}\n`;
}

async function assertGeneratedIsCurrent(keepsGoing: boolean, root?: string): Promise<void> {
  const stale = Object.keys((await findStale(keepsGoing, root)).files);
  if (stale.length > 0) throw new Error(`generated/ is stale (${stale.join(', ')}): run npm run generate`);
  print('generated/ matches openapi.yaml');
}

async function check(options: CheckOptions): Promise<void> {
  const { errors, advice, notes, breaks, released } = await checkContract(CONTRACT_FILE, 'contracts', options);
  for (const line of [...notes, ...advice, ...breaks]) print(line);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const things = breaks.length === 1 ? '1 thing' : `${String(breaks.length)} things`;
  const broken = breaks.length === 0 ? 'nothing' : things;
  const compared = released === undefined ? 'nothing is released yet in contracts/' : `breaks ${broken} of ${released}`;
  print(`${CONTRACT_FILE} is right, and ${compared}`);
}
