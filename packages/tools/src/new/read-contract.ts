import { readFileSync } from 'node:fs';
import { type Document, Mistake, type Operation, parseYaml, readOperations } from '@contract-kit/server/contract';
import { createSuite, type Suite } from '@contract-kit/conformance';
import { int64ExampleProblems } from '../check-contract/int64-example-problems';
import { parseVersion } from '../check-contract/read-released';
import { findMissingRows } from '../generate/catalogue-mistakes';
import { readErrorCatalogue, type ErrorCatalogue } from '../generate/error-catalogue';
import { generate } from '../generate/generate';
import { locateMistake } from '../generate/lint-contract';
import { NewError } from './options';

/** A contract that a project can be made for. */
export interface NewContract {
  readonly source: string;
  readonly title: string;
  readonly version: string;
  /** The three numbers of it. */
  readonly release: string;
  /** Its summary, or the first paragraph of its description; empty where it has none. */
  readonly description: string;
  /** What generated/ is made of. */
  readonly generated: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  readonly catalogue: ErrorCatalogue;
  /** What the conformance suite makes of it. */
  readonly suite: Suite;
}

interface Info {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
}

/** @throws NewError with everything for which `npm test` would fail in the new project, as far as it can be told now */
export async function readContract(file: string): Promise<NewContract> {
  const source = read(file);
  const generated = await attempt(() => generate(source, file));
  const document = parseYaml(source, file) as Document & { readonly info: Info };
  const { title, version, summary, description } = document.info;
  const numbers = parseVersion(version);
  const { catalogue } = readErrorCatalogue(document);
  const { operations } = readOperations(document);
  const mistakes = [
    ...findMissingRows(catalogue),
    ...(operations.length > 0 ? [] : [new Mistake(document.paths, 'has no operation')]),
    ...(numbers
      ? []
      : [new Mistake(document.info, `the version ${version} is no semantic one: write 1.0.0`, 'version')]),
  ];
  const problems = [
    ...mistakes.map((mistake) => locateMistake(source, file, document, mistake)),
    ...int64ExampleProblems(source).map(({ pointer, message }) => `${file} ${pointer} ${message}`),
  ];
  if (problems.length > 0) throw new NewError(problems.join('\n'));
  const suite = await attempt(
    () => createSuite(source, { bodyLimit: 1024 ** 2, mark: 'example', level: 'strict' }),
    `${file} `,
  );
  const [paragraph = ''] = (summary ?? description ?? '').trim().split('\n\n');
  return {
    source,
    title,
    version,
    release: String(numbers?.join('.')),
    description: paragraph,
    generated,
    operations,
    catalogue,
    suite,
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new NewError(`the contract cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function attempt<T>(work: () => T | Promise<T>, before = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NewError(before + (error as Error).message, { cause: error });
  }
}
