// Checks a contract: what is wrong, and what could be better.
import { readFileSync } from 'node:fs';
import { findSchemaAdvice } from '@contract-kit/contract';
import { findTypeErrors } from '../compile/compiler';
import { type Diagnostic, toLines } from '../diagnostics/diagnostic';
import { analyseServed, generateFiles } from '../generate/generate';
import { type Analysis, analyseContract } from '../lint/analyse-contract';
import { createToDiagnostic, findLintAdvice } from '../lint/lint-contract';
import { findCostAdvice } from './cost-advice';
import { findPatternAdvice } from './patterns';
import { compareWithReleased, readReleased } from './released';

export interface CheckResult {
  /** The errors, one line each, ordered by location. */
  readonly errors: readonly string[];
  /** The warnings, which do not prevent serving the contract: one line for each cause. */
  readonly advice: readonly string[];
  /** The consequences of what the contract leaves out. */
  readonly notes: readonly string[];
  /** What a newer major version breaks of the released one, one line each. */
  readonly breaks: readonly string[];
  /** The file of the newest released contract; undefined before the first release. */
  readonly released: string | undefined;
}

export interface CheckOptions {
  /** Whether advice counts as an error. */
  readonly isStrict?: boolean;
  /** Whether operations with errors are left out. */
  readonly keepsGoing?: boolean;
  /** The folder that all files of the contract are in: by default its own. */
  readonly root?: string | undefined;
  /** The tsconfig.json of the project, whose code is checked against the types that the contract makes. */
  readonly project?: string | undefined;
}

/**
 * Finds the errors in a contract, of its structure, operations and errors at once, and its breaking changes since the
 * newest contract in a folder of released ones, such as contracts/1.0.0.yaml.
 *
 * @throws Error when one of them cannot be read
 * @example const { errors, advice } = await checkContract('openapi.yaml', 'contracts')
 */
export async function checkContract(
  file: string,
  folder: string,
  { isStrict = false, keepsGoing = false, project, root }: CheckOptions = {},
): Promise<CheckResult> {
  const source = readFileSync(file, 'utf8');
  const analysis = await (keepsGoing ? analyseServed : analyseContract)(source, file, root);
  const { errors, notes } = analysis;
  const released = readReleased(folder);
  const advice = await findAdvice(analysis);
  const typeErrors = project === undefined ? [] : await checkTypes(analysis, project);
  // A contract with errors cannot be compared.
  const release = released && errors.length === 0 ? compareWithReleased(analysis, released) : undefined;
  return {
    errors: toLines([...errors, ...typeErrors, ...(isStrict ? advice : []), ...(release?.errors ?? [])]),
    advice: isStrict ? [] : toLines(advice),
    notes,
    breaks: toLines(release?.breaks ?? []),
    released: released?.file,
  };
}

/** Finds what could be better in a contract, and is no reason not to serve it. */
export async function findAdvice({
  bundle,
  written: writtenDocument,
  errors,
  unneeded,
}: Analysis): Promise<Diagnostic[]> {
  const toDiagnostic = createToDiagnostic(bundle, [writtenDocument]);
  // Schemas can be read only in a contract without errors.
  const isReadable = errors.length === 0;
  const schemaAdvice = isReadable ? [...findSchemaAdvice(writtenDocument), ...findPatternAdvice(writtenDocument)] : [];
  const costAdvice = isReadable ? findCostAdvice(writtenDocument) : [];
  return [
    ...(await findLintAdvice(bundle)),
    ...unneeded,
    ...schemaAdvice.map(toDiagnostic),
    ...costAdvice.map((advice) => ({ ...toDiagnostic(advice), cause: advice.cause })),
  ];
}

/**
 * Finds the type errors that the code of a project would have with a contract, as if generated/ were made from it.
 * Finds nothing if an error in the contract prevents making types.
 */
export async function checkTypes(analysis: Analysis, project: string): Promise<Diagnostic[]> {
  const files = await generateFiles(analysis, false).catch((error: unknown) => {
    if (analysis.errors.length === 0) throw error;
    return undefined;
  });
  if (files === undefined) return [];
  const textsByPath = Object.entries(files).map(([name, text]) => [`generated/${name}`, text]);
  return findTypeErrors(project, Object.fromEntries(textsByPath) as Record<string, string>);
}
