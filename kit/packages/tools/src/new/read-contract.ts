import { readFileSync } from 'node:fs';
import type { NormalizedDocument, Operation } from '@contract-kit/contract';
import { findAdvice } from '../check/check-contract';
import { parseVersion } from '../check/released';
import { type Analysis, noteDerivedNames } from '../lint/analyse-contract';
import { toLines } from '../diagnostics/diagnostic';
import { analyseServable, generateFiles } from '../generate/generate';
import { type UntriedOperation, listUntriedOperations } from './example';
import { ProjectError } from './kit';
import { type ErrorSamples, makeErrorSamples } from './render-error';

/** A contract for which a project can be created. */
export interface NewContract {
  readonly source: string;
  readonly document: NormalizedDocument;
  readonly title: string;
  /** The contract's version, or 0.0.0 if npm would not accept it. */
  readonly version: string;
  /** The summary, or the first paragraph of the description; '' if there is neither. */
  readonly description: string;
  readonly generated: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  /** Whether operations with errors were left out. */
  readonly isPartial: boolean;
  readonly errorSamples: ErrorSamples;
  readonly untried: readonly UntriedOperation[];
  /** Advice, and the consequences of omissions in the contract. */
  readonly advice: readonly string[];
}

const VERSION_IF_NOT_SEMANTIC = '0.0.0';

interface Info {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
}

/**
 * Reads a contract and creates the files in generated/, without operations that have errors.
 *
 * @throws ProjectError with all errors that prevent serving it
 */
export async function readContract(file: string, isModule: boolean): Promise<NewContract> {
  const analysis = analyseForProject(file);
  const { source, document, operations, unserved = [], notes } = analysis;
  const { title, version, summary, description } = document.info as Info;
  const [paragraph = ''] = (summary ?? description ?? '').trim().split('\n\n');
  const advice = toLines(await findAdvice(analysis));
  return {
    source,
    document,
    title,
    version: parseVersion(version) === undefined ? VERSION_IF_NOT_SEMANTIC : version,
    description: paragraph,
    generated: await generateFiles(analysis, isModule),
    operations,
    isPartial: unserved.length > 0,
    errorSamples: makeErrorSamples(analysis),
    untried: listUntriedOperations(source),
    advice: [...noteDerivedNames(operations), ...notes, ...advice],
  };
}

/** Analyses a contract without operations that have errors. @throws ProjectError with all errors that prevent serving it */
export function analyseForProject(file: string): Analysis {
  try {
    return analyseServable(readFileSync(file, 'utf8'), file, true);
  } catch (error) {
    // Only the message of a ProjectError is printed.
    throw new ProjectError((error as Error).message, { cause: error });
  }
}
