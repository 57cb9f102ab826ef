import { createToDiagnostic, readContractText } from '../bundle/contract-files';
import { findTypeErrors } from '../compile/compiler';
import { type Diagnostic, toLines } from '../diagnostics/diagnostic';
import { analyseServed, generateFiles } from '../generate/generate';
import { type Analysis, analyseContract } from '../lint/analyse-contract';
import { lintContract } from '../lint/lint-contract';
import { findSlowPatterns } from './patterns';
import { type Break, compareWithReleased, readReleased } from './released';

export interface CheckResult {
  /** The errors, sorted by location. Each has one line, and any details on further lines. */
  readonly errors: readonly string[];
  /** The changes that certainly break clients, in the same form. */
  readonly breaking: readonly string[];
  /** The changes that might break clients. The contracts do not say whether they do. */
  readonly mayBreak: readonly string[];
  /** The warnings, one line for each cause. They do not prevent serving the contract. */
  readonly advice: readonly string[];
  /** The consequences of omissions in the contract, such as public operations. */
  readonly notes: readonly string[];
  /** Whether there is an error, or a breaking change that the version does not allow. */
  readonly hasFailed: boolean;
  /** All changes that break clients, or might break them. */
  readonly changes: readonly Break[];
  /** The file of the newest released contract; undefined before the first release. */
  readonly released: string | undefined;
}

export interface CheckOptions {
  /** Whether advice counts as errors. */
  readonly isStrict?: boolean;
  /** Whether to leave out operations with errors. */
  readonly keepsGoing?: boolean;
  /** The folder that must contain all files of the contract; by default, the contract's own folder. */
  readonly root?: string | undefined;
  /** The tsconfig.json of a project whose code is checked against the generated types. */
  readonly project?: string | undefined;
}

/**
 * Checks a contract for errors, advice, and breaking changes since the newest released contract in a folder.
 *
 * @throws Error if a contract cannot be read
 * @example const { errors, advice } = await checkContract('openapi.yaml', 'contracts')
 */
export async function checkContract(
  file: string,
  folder: string,
  { isStrict = false, keepsGoing = false, project, root }: CheckOptions = {},
): Promise<CheckResult> {
  const source = readContractText(file);
  const analysis = (keepsGoing ? analyseServed : analyseContract)(source, file, root);
  const { errors, notes } = analysis;
  const released = readReleased(folder);
  const advice = await findAdvice(analysis);
  const typeErrors = project === undefined ? [] : await checkTypes(analysis, project);
  const comparison = released && errors.length === 0 ? compareWithReleased(analysis, released) : undefined;
  const changes = comparison?.breaks ?? [];
  const allErrors = [...errors, ...typeErrors, ...(isStrict ? advice : []), ...(comparison?.errors ?? [])];
  const breakingChanges = changes.filter(({ isCertain }) => isCertain);
  return {
    errors: toLines(allErrors),
    breaking: toLines(breakingChanges),
    mayBreak: toLines(changes.filter(({ isCertain }) => !isCertain)),
    advice: isStrict ? [] : toLines(advice),
    notes,
    hasFailed: allErrors.length > 0 || (breakingChanges.length > 0 && comparison?.isAllowed === false),
    changes,
    released: released?.file,
  };
}

/** Finds problems that do not prevent serving a contract. */
export async function findAdvice({ bundle, written, errors, unneeded }: Analysis): Promise<Diagnostic[]> {
  // If a contract has errors, its schemas may be unreadable.
  const patterns = errors.length === 0 ? findSlowPatterns(written) : [];
  return [...(await lintContract(bundle)), ...unneeded, ...patterns.map(createToDiagnostic(bundle.trace, [written]))];
}

/** Finds type errors in a project's code for this contract; none if an error in the contract prevents generating types. */
export async function checkTypes(analysis: Analysis, project: string): Promise<Diagnostic[]> {
  const files = await generateFiles(analysis, false).catch((error: unknown) => {
    if (analysis.errors.length === 0) throw error;
    return undefined;
  });
  if (files === undefined) return [];
  const textsByPath = Object.entries(files).map(([name, text]) => [`generated/${name}`, text]);
  return findTypeErrors(project, Object.fromEntries(textsByPath) as Record<string, string>);
}
