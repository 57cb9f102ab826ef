import { BaseResolver, getLineColLocation, type lintFromString, Source } from '@redocly/openapi-core';
import type { Place } from '../diagnostics/finding';
import type { ContractFiles } from './contract-files';
import { toReferencedPath } from './contract-files';

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

  override loadExternalRef(path: string): Promise<Source> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(new Source(path, file.text));
    return Promise.reject(new Error(`${path} is not read: it is no file of the contract`));
  }
}

export type Problem = Awaited<ReturnType<typeof lintFromString>>[number];

/** Finds where Redocly reports a problem. One without a location is at line 1 of the contract. */
export function locateProblem(problem: Problem, files: ContractFiles['files'], contractFile: string): Place {
  const [location] = problem.location;
  const start = location && getLineColLocation(location).start;
  const name = files.get(String(location?.source.absoluteRef))?.name ?? contractFile;
  return { file: name, line: start?.line ?? 1, column: start?.col ?? 1 };
}
