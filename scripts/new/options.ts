import { parseArgs } from 'node:util';

export const USAGE = `npm run new -- --contract FILE DIR
  Makes a project in DIR, a new or empty folder, that serves the contract in FILE as this one serves its own: the kit, the
  scripts, the checks and the conformance suite, with a handler to be written for each operation.

  --contract FILE       the contract, OpenAPI 3.0 or 3.1 in YAML or JSON
  --name NAME           the name of the package (made of the title of the contract)
  --help                this text`;

export interface Options {
  readonly contract: string;
  readonly folder: string;
  /** Undefined leaves it to the title of the contract. */
  readonly name: string | undefined;
}

/** What keeps a project from being made. The message is for people. */
export class NewError extends Error {}

/** Arguments that cannot be used. */
export class UsageError extends NewError {}

const CONFIG = {
  allowPositionals: true,
  options: { contract: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean' } },
} as const;

// As npm has it.
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * @returns undefined when only the usage is asked for
 * @throws UsageError
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [folder, ...others] = positionals;
  if (values.contract === undefined) throw new UsageError('--contract must name the file with the contract');
  if (folder === undefined) throw new UsageError('the folder of the new project is missing');
  if (others.length > 0)
    throw new UsageError(`one folder, not ${String(positionals.length)}: ${positionals.join(' ')}`);
  if (values.name !== undefined && !NAME.test(values.name)) {
    throw new UsageError(`--name ${values.name} is no name of a package, such as lending-library`);
  }
  return { contract: values.contract, folder, name: values.name };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<typeof CONFIG>> {
  try {
    return parseArgs({ ...CONFIG, args: [...args] });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
