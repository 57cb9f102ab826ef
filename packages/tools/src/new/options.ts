// Reads the command line of `npm run new`.
import { parseArgs } from 'node:util';

export const USAGE = `npm run new -- --contract FILE DIR
  Makes a project in DIR, a new or empty folder, that serves the contract in FILE: with the kit as packages in vendor/,
  a conformance test, and a handler to be written for each operation.

npm run new -- --update DIR
  Puts the kit of this repository into the project in DIR. A file that was changed there stays as it is, and what the kit
  would change in it is shown.

  --contract FILE       the contract, OpenAPI 3.0 or 3.1 in YAML or JSON
  --name NAME           the name of the package (made of the title of the contract)
  --update              see above
  --help                this text`;

export type Options =
  | { readonly folder: string; readonly isUpdate: true }
  | { readonly folder: string; readonly isUpdate: false; readonly contract: string; readonly name: string | undefined };

/** What keeps a project from being made. The message is for people. */
export class ProjectError extends Error {}

export class UsageError extends ProjectError {}

const CONFIG = {
  allowPositionals: true,
  options: {
    contract: { type: 'string' },
    name: { type: 'string' },
    update: { type: 'boolean' },
    help: { type: 'boolean' },
  },
} as const;

// As npm has it.
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
  if (values.update === true && (values.contract !== undefined || values.name !== undefined)) {
    throw new UsageError('--update takes the contract and the name of the project');
  }
  if (values.name !== undefined && !PACKAGE_NAME.test(values.name)) {
    throw new UsageError(`--name ${values.name} is no name of a package, such as lending-library`);
  }
  const { contract, name } = values;
  return contract === undefined ? { folder, isUpdate: true } : { folder, isUpdate: false, contract, name };
}

function parseArguments(args: readonly string[]): ReturnType<typeof parseArgs<typeof CONFIG>> {
  try {
    return parseArgs({ ...CONFIG, args: [...args] });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
