// Reads the contract of a new project.
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Document, Operation } from '@contract-kit/server/contract';
import type { Bundle } from '../bundle/bundle-contract';
import { readContractFiles } from '../bundle/contract-files';
import { findAdvice } from '../check-contract/find-advice';
import { parseVersion } from '../check-contract/read-released';
import type { ErrorCatalogue } from '../generate/error-catalogue';
import { examineContract } from '../generate/examine-contract';
import { toLines } from '../generate/finding';
import { generateFiles } from '../generate/generate';
import { ProjectError } from './options';

/** A contract that a project can be made for. */
export interface NewContract {
  /** The text of each file that it is written in, by path: openapi.yaml, and what that refers to. */
  readonly files: Readonly<Record<string, string>>;
  /** Its text as one document. */
  readonly source: string;
  readonly document: Document;
  readonly title: string;
  /** Its version, as npm accepts it. */
  readonly version: string;
  /** Its summary, or the first paragraph of its description; empty where it has none. */
  readonly description: string;
  /** What generated/ is made of. */
  readonly generated: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  readonly catalogue: ErrorCatalogue;
  /** What could be better in it, and what follows from what it does not say: lines for people. */
  readonly advice: readonly string[];
}

const CONTRACT = 'openapi.yaml';

// Paths that a project uses for other files, or does not keep.
const RESERVED_PATHS =
  /^(?:openapi\.yaml|package(?:-lock)?\.json|(?:src\/)?tsconfig\.json|(?:data|dist|generated|node_modules|reports|vendor)\/.*)$/;

const VERSION_IF_NOT_SEMANTIC = '0.0.0';

interface Info {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
}

/** Reads a contract and makes generated/ of it. @throws ProjectError with everything that prevents serving it */
export async function readContract(file: string): Promise<NewContract> {
  const source = readText(file);
  const examination = await withProjectErrors(() => examineContract(source, file));
  const { bundle, document, operations, catalogue, mistakes, notes } = examination;
  if (mistakes.length > 0) throw new ProjectError(toLines(mistakes).join('\n'));
  const { title, version, summary, description } = document.info as Info;
  const [paragraph = ''] = (summary ?? description ?? '').trim().split('\n\n');
  const advice = toLines(await findAdvice(examination));
  return {
    files: listProjectFiles(bundle),
    source: bundle.source,
    document,
    title,
    version: parseVersion(version) === undefined ? VERSION_IF_NOT_SEMANTIC : version,
    description: paragraph,
    generated: await generateFiles(examination),
    operations,
    catalogue,
    advice: [...notes, ...advice],
  };
}

// By path: the contract itself as openapi.yaml, the others where they are.
function listProjectFiles({ file, files }: Bundle): Record<string, string> {
  const [root, ...others] = [...files.values()];
  const reserved = others.find(({ path }) => RESERVED_PATHS.test(path));
  if (reserved) throw new ProjectError(`${reserved.name} has a path that a project needs itself: rename it`);
  const texts = others.map(({ path, text }) => [path, text] as const);
  const renamed = { [CONTRACT]: String(root?.text), ...Object.fromEntries(texts) };
  if (basename(file) === CONTRACT) return renamed;
  // Read as openapi.yaml, the contract is found by its old name only if one of its files refers to that.
  const { files: filesAfterRename } = readContractFiles(renamed[CONTRACT], join(dirname(file), CONTRACT));
  if (!filesAfterRename.has(resolve(file))) return renamed;
  throw new ProjectError(`its own files refer to ${file} by its name: rename it to ${CONTRACT}, as a project has it`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProjectError(`the contract cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

// Only the message of a ProjectError is printed.
async function withProjectErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ProjectError((error as Error).message, { cause: error });
  }
}
