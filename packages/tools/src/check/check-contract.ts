// Checks a contract: what is wrong, and what could be better.
import { readFileSync } from 'node:fs';
import { findSchemaAdvice } from '@contract-kit/server/contract';
import { toPlace } from '../bundle/contract-files';
import { findTypeMistakes } from '../compile/compiler';
import { type Finding, type Problem, toLines } from '../diagnostics/finding';
import { generateFiles } from '../generate/generate';
import { type Examination, examineContract } from '../lint/examine-contract';
import { createToFinding, findLintAdvice } from '../lint/lint-contract';
import { findCostAdvice } from './cost-advice';
import { findInt64ExampleProblems } from './int64-example-problems';
import { findPatternAdvice } from './patterns';
import { findReleaseProblems, parseVersion, readReleased } from './released';

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

/** Finds what could be better in a contract, and is no reason not to serve it. */
export async function findAdvice({ bundle, written, mistakes }: Examination): Promise<Finding[]> {
  const toFinding = createToFinding(bundle, written);
  // Schemas can be read only in a contract without mistakes.
  const isReadable = mistakes.length === 0;
  const int64Problems = isReadable ? findInt64ExampleProblems(bundle.source) : [];
  const schemaAdvice = isReadable ? [...findSchemaAdvice(written), ...findPatternAdvice(written)] : [];
  const costAdvice = isReadable ? findCostAdvice(written) : [];
  const { version } = written.info;
  // All findings of one cause are printed as one line.
  const fromProblem = ({ pointer, message }: Problem): Finding => {
    const origin = bundle.trace(pointer);
    return { message, cause: 'int64 examples', locate: () => toPlace(origin.file, origin.pointer, 'value') };
  };
  return [
    ...(await findLintAdvice(bundle)),
    ...int64Problems.map(fromProblem),
    ...schemaAdvice.map(toFinding),
    ...costAdvice.map((advice) => ({ ...toFinding(advice), cause: advice.cause })),
    ...(parseVersion(version) === undefined
      ? [toFinding({ node: written.info, key: 'version', message: NO_SEMANTIC_VERSION })]
      : []),
  ];
}

const NO_SEMANTIC_VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';

/**
 * Finds the type errors that the code of a project would have with a contract, as if generated/ were made from it.
 * Finds nothing if a mistake in the contract prevents making types.
 */
export async function checkTypes(examination: Examination, project: string): Promise<Finding[]> {
  const files = await generateFiles(examination).catch((error: unknown) => {
    if (examination.mistakes.length === 0) throw error;
    return undefined;
  });
  if (files === undefined) return [];
  const textsByPath = Object.entries(files).map(([name, text]) => [`generated/${name}`, text]);
  return findTypeMistakes(project, Object.fromEntries(textsByPath) as Record<string, string>);
}
