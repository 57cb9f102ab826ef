import { BaseResolver, getLineColLocation, type lintFromString, Source } from '@redocly/openapi-core';
import type { Place } from '../generate/finding';
import type { ContractFiles } from './contract-files';
import { toReferencedPath } from './file-reference';

/** Gives Redocly the files of a contract that were read already. It opens none, and nothing remote. */
export class FilesResolver extends BaseResolver {
  protected readonly files: ContractFiles['files'];

  constructor(files: ContractFiles['files']) {
    super();
    this.files = files;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return toReferencedPath(base ?? '', reference);
  }

  /** Gives Redocly the file that a reference names, by its absolute path: only one that was read already. */
  override loadExternalRef(path: string): Promise<Source> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(new Source(path, file.text));
    return Promise.reject(new Error(`${path} is not read: it is no file of the contract`));
  }
}

export type Problem = Awaited<ReturnType<typeof lintFromString>>[number];

/**
 * Finds the file, line and column that Redocly reports a problem for.
 *
 * @param files the files of the contract, by absolute path
 * @param contractFile the file to name if the problem has no location; then the line is 1
 */
export function locateProblem(problem: Problem, files: ContractFiles['files'], contractFile: string): Place {
  const [location] = problem.location;
  const start = location && getLineColLocation(location).start;
  const name = files.get(String(location?.source.absoluteRef))?.name ?? contractFile;
  return { file: name, line: start?.line ?? 1, column: start?.col ?? 1 };
}
