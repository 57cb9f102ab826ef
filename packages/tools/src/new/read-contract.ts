import { readFileSync } from 'node:fs';
import type { Document, Operation } from '@contract-kit/server/contract';
import { findAdvice } from '../check-contract/find-advice';
import { parseVersion } from '../check-contract/read-released';
import type { ErrorCatalogue } from '../generate/error-catalogue';
import { examineContract } from '../generate/examine-contract';
import { toLines } from '../generate/finding';
import { generateFiles } from '../generate/generate';
import { NewError } from './options';

/** A contract that a project can be made for. */
export interface NewContract {
  readonly source: string;
  readonly document: Document;
  readonly title: string;
  /** As npm takes it. */
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

// Of a contract whose version is no semantic one.
const UNVERSIONED = '0.0.0';

interface Info {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
}

/** @throws NewError with everything that prevents serving it */
export async function readContract(file: string): Promise<NewContract> {
  const source = read(file);
  const examination = await attempt(() => examineContract(source, file));
  const { document, operations, catalogue, mistakes, notes } = examination;
  if (mistakes.length > 0) throw new NewError(toLines(mistakes).join('\n'));
  const { title, version, summary, description } = document.info as Info;
  const [paragraph = ''] = (summary ?? description ?? '').trim().split('\n\n');
  const advice = toLines(await findAdvice(source, file, examination));
  return {
    source,
    document,
    title,
    version: parseVersion(version) === undefined ? UNVERSIONED : version,
    description: paragraph,
    generated: await generateFiles(source, examination),
    operations,
    catalogue,
    advice: [...notes, ...advice],
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new NewError(`the contract cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NewError((error as Error).message, { cause: error });
  }
}
