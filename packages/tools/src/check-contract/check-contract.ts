import { readFileSync } from 'node:fs';
import { type Document, parseYaml } from '@contract-kit/server/contract';
import { lintContract } from '../generate/lint-contract';
import { contractBreaks } from './contract-breaks';
import { int64ExampleProblems } from './int64-example-problems';
import { patternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { compareVersions, parseVersion, readReleased, type ReleasedContract } from './read-released';

/** What is wrong with a contract. */
export interface CheckResult {
  /** One line each. */
  readonly problems: readonly string[];
  /** What is no mistake, and may be one for some readers of the contract; one line each. */
  readonly advice: readonly string[];
  /** The file of the newest released contract; undefined before the first release. */
  readonly released: string | undefined;
}

/**
 * Finds the mistakes in a contract, and its breaking changes since the newest released contract.
 *
 * @param file the contract
 * @param folder the released contracts
 * @throws Error when one of them cannot be read
 * @example const { problems } = await checkContract('openapi.yaml', 'contracts')
 */
export async function checkContract(file: string, folder: string): Promise<CheckResult> {
  const source = readFileSync(file, 'utf8');
  const document = parseYaml(source, file) as Document;
  const released = readReleased(folder);
  const mistakes = await lintContract(source, file);
  try {
    const problems: Problem[] = [...int64ExampleProblems(source), ...releaseProblems(document, released)];
    const toLine = ({ pointer, message }: Problem): string => `${file}${pointer} ${message}`;
    return {
      problems: [...mistakes, ...problems.map(toLine)],
      advice: patternAdvice(document).map(toLine),
      released: released?.file,
    };
  } catch (error) {
    // The linter found mistakes already: the document may not be OpenAPI at all.
    if (mistakes.length === 0) throw error;
    return { problems: mistakes, advice: [], released: released?.file };
  }
}

/** After a release, the version must not decrease, and only a new major version may break clients. */
function releaseProblems(document: Document, released: ReleasedContract | undefined): Problem[] {
  if (!released) return [];
  const pointer = '#/info/version';
  const version = parseVersion(document.info.version);
  if (!version) return [{ pointer, message: `${document.info.version} is no semantic version` }];
  if (compareVersions(version, released.version) < 0) {
    return [{ pointer, message: `${document.info.version} is older than the released ${released.file}` }];
  }
  if (version[0] > released.version[0]) return [];
  const next = `${String(released.version[0] + 1)}.0.0`;
  return contractBreaks(released.document, document).map((found) => ({
    pointer: found.pointer,
    message: `${found.message} (breaks ${released.file}, needs version ${next})`,
  }));
}
