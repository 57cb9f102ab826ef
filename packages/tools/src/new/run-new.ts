// The command `npm run new`.
import { parseArgs } from 'node:util';
import { print, printError } from '../diagnostics/print';
import { type NewProject, type ProjectOptions, createProject } from './create-project';
import { quotePath } from './example';
import { ProjectError } from './kit';
import { listUnwrittenSchemes } from './project-files';
import { type Update, updateProject } from './update-project';

export const USAGE = `npm run new -- --contract FILE DIR
  Makes a project in DIR, a new or empty folder, that serves the contract in FILE: with the kit as packages in vendor/,
  a conformance test, and a handler to be written for each operation.

npm run new -- --update DIR
  Puts the kit of this repository into the project in DIR: the packages, their versions and generated/. What the kit
  writes otherwise in other files is printed, as a patch, and not written.

  --contract FILE       the contract, OpenAPI 3.0 to 3.2 in YAML or JSON
  --name NAME           the name of the package (made of the title of the contract)
  --store               with a store in SQLite or PostgreSQL for the handlers
  --esm                 of ES modules; by default it is CommonJS
  --update              see above
  --help                this text`;

export type Options =
  { readonly folder: string; readonly isUpdate: true } | (ProjectOptions & { readonly isUpdate: false });

export class UsageError extends ProjectError {}

const CONFIG = {
  allowPositionals: true,
  options: {
    contract: { type: 'string' },
    name: { type: 'string' },
    store: { type: 'boolean' },
    esm: { type: 'boolean' },
    update: { type: 'boolean' },
    help: { type: 'boolean' },
  },
} as const;

// The pattern of package names that npm allows.
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Undefined when only the usage is asked for. @throws UsageError when arguments are missing or do not go together */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArguments(args);
  if (values.help === true) return undefined;
  const [folder, ...others] = positionals;
  if (values.contract === undefined && values.update !== true) {
    throw new UsageError('--contract must name the file with the contract');
  }
  if (folder === undefined) throw new UsageError('the folder of the project is missing');
  if (others.length > 0)
    throw new UsageError(`one folder, not ${String(positionals.length)}: ${positionals.join(' ')}`);
  const { contract, name, store: hasStore, esm: isModule } = values;
  if (values.update === true && [contract, name, hasStore, isModule].some((value) => value !== undefined)) {
    throw new UsageError('--update takes the contract, the name and the form of the project');
  }
  if (values.name !== undefined && !PACKAGE_NAME.test(values.name)) {
    throw new UsageError(`--name ${values.name} is no name of a package, such as lending-library`);
  }
  if (contract === undefined) return { folder, isUpdate: true };
  return { folder, isUpdate: false, contract, name, isModule: isModule === true, hasStore: hasStore === true };
}

function parseArguments(args: readonly string[]): ReturnType<typeof parseArgs<typeof CONFIG>> {
  try {
    return parseArgs({ ...CONFIG, args: [...args] });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/**
 * Runs the command that makes and updates projects, `npm run new` of the repository of the kit.
 *
 * @returns the exit status: 0; 1 when it failed; 2 for wrong arguments
 * @example process.exitCode = await runNew(process.argv.slice(2))
 */
export async function runNew(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (!options) {
      print(USAGE);
      return 0;
    }
    printError('Packing the kit, locking the packages that npm installs, and trying the project: about a minute.');
    if (!options.isUpdate) {
      print(describeProject(options.folder, await createProject(options)));
      return 0;
    }
    print(describeUpdate(options.folder, await updateProject(options.folder)));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    printError((error as Error).message);
    return 1;
  }
}

/** Describes a new project for people: what is to be known of its contract, what was made, and what to do next. */
function describeProject(folder: string, { name, contract, size }: NewProject): string {
  const { operations, advice, renderError } = contract;
  const marked =
    renderError === undefined ? '' : '\nErrors to be written in src/render-error.ts: it has samples in todo()';
  const schemes = listUnwrittenSchemes(operations);
  const verifiers =
    schemes.length > 0 ? `\nVerifiers to be written in src/service.ts, which accept nobody: ${schemes.join(', ')}` : '';
  return `${advice.map((line) => `${line}\n`).join('')}${folder} is ${name}, ${String(size)} files beside generated/ and vendor/. It compiles and starts. Handlers to be written: ${operations.map(({ id }) => id).join(', ')}${verifiers}${marked}

  cd ${quotePath(folder)} && npm ci && npm test

passes as it is; README.md there says how to go on.`;
}

function describeUpdate(folder: string, { versions, patch }: Update): string {
  const changed = versions.length === 0 ? '' : `\n${versions.join('\n')}`;
  return `vendor/, generated/ and these versions are new in ${folder}; vendor/CHANGELOG.md says what is:${changed}
${patch === '' ? '' : `\nThe kit writes its files otherwise now. None of yours is changed: git apply takes what follows.\n\n${patch}`}
  cd ${quotePath(folder)} && npm ci && npm test`;
}
