// Checks a contract: what is wrong, and what could be better.
import { readFileSync } from 'node:fs';
import { readOperations } from '@contract-kit/server/contract';
import { checkTypes } from '../dev/check-types';
import { readErrorCatalogue } from '../generate/error-catalogue';
import { type Examination, examineContract } from '../generate/examine-contract';
import { type Finding, toLines } from '../generate/finding';
import { createToFinding } from '../generate/lint-contract';
import { findContractBreaks } from './contract-breaks';
import { findAdvice } from './find-advice';
import { compareVersions, parseVersion, readReleased, type ReleasedContract } from './read-released';

export interface CheckResult {
  /** One line each, by place. */
  readonly problems: readonly string[];
  /** What is no reason not to serve it, one line for each cause. */
  readonly advice: readonly string[];
  /** What follows from what the contract does not say. */
  readonly notes: readonly string[];
  /** The file of the newest released contract; undefined before the first release. */
  readonly released: string | undefined;
}

export interface CheckOptions {
  /** Whether advice counts as a problem. */
  readonly isStrict?: boolean;
  /** The tsconfig.json of the project, whose code is checked against the types that the contract makes. */
  readonly project?: string | undefined;
}

/**
 * Finds the mistakes in a contract, of its structure, operations and errors at once, and its breaking changes since the
 * newest contract in a folder of released ones, such as contracts/1.0.0.yaml.
 *
 * @throws Error when one of them cannot be read
 * @example const { problems, advice } = await checkContract('openapi.yaml', 'contracts')
 */
export async function checkContract(
  file: string,
  folder: string,
  { isStrict = false, project }: CheckOptions = {},
): Promise<CheckResult> {
  const source = readFileSync(file, 'utf8');
  const examination = await examineContract(source, file);
  const { mistakes, notes } = examination;
  const released = readReleased(folder);
  const advice = await findAdvice(examination);
  const typeErrors = project === undefined ? [] : await checkTypes(examination, project);
  // A contract with mistakes cannot be compared.
  const releaseProblems = released && mistakes.length === 0 ? findReleaseProblems(examination, released) : [];
  return {
    problems: toLines([...mistakes, ...typeErrors, ...(isStrict ? advice : []), ...releaseProblems]),
    advice: isStrict ? [] : toLines(advice),
    notes,
    released: released?.file,
  };
}

// The version must not be older, and the contract may break clients only if its major version is newer.
function findReleaseProblems(examination: Examination, released: ReleasedContract): Finding[] {
  const { bundle, document } = examination;
  const { info } = document;
  const toFinding = createToFinding(bundle, document);
  const toProblem = (message: string): Finding[] => [toFinding({ node: info, key: 'version', message })];
  const version = parseVersion(info.version);
  if (!version) return toProblem(`${String(info.version)} is no semantic version`);
  if (compareVersions(version, released.version) < 0) {
    return toProblem(`${String(info.version)} is older than the released ${released.file}`);
  }
  const [major] = version;
  const [releasedMajor] = released.version;
  if (major > releasedMajor) return [];
  const { document: before, operations } = readOperations(released.document);
  const { catalogue } = readErrorCatalogue(before);
  const hint = `(breaks ${released.file}, needs version ${String(releasedMajor + 1)}.0.0)`;
  return findContractBreaks({ document: before, operations, catalogue }, examination).map((found) =>
    toFinding({ ...found, message: `${found.message} ${hint}` }),
  );
}
