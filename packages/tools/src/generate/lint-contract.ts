// Runs the linter of Redocly on a contract.
import { dirname, join, resolve } from 'node:path';
import { type Config, createConfig, findConfig, lintFromString, loadConfig } from '@redocly/openapi-core';
import { createPointers, type Document, type Mistake } from '@contract-kit/server/contract';
import type { Bundle } from '../bundle/bundle-contract';
import { toPlace } from '../bundle/contract-files';
import { FilesResolver, locateProblem, type Problem } from '../bundle/files-resolver';
import type { Finding } from './finding';
import { createStructureFilter } from './structure-rules';

// A document that breaks one of these is no OpenAPI. All other rules are style.
const STRUCTURE_RULES = { struct: 'error', 'no-unresolved-refs': 'error' } as const;

/** A finding of the linter. `pointer` is the file and JSON pointer of what it is about, such as openapi.yaml#/info. */
export interface LintFinding extends Finding {
  readonly pointer: string;
}

/** Finds what makes a document no OpenAPI: a structure that OpenAPI does not have, a reference to nowhere. */
export async function findStructureMistakes(bundle: Bundle, document: Document): Promise<LintFinding[]> {
  return runLinter(
    bundle,
    await createConfig({ rules: STRUCTURE_RULES, resolve: { doNotResolveExamples: true } }),
    createStructureFilter(bundle.file, document),
  );
}

/** By the rules in the redocly.yaml beside the contract or in .config/ there, or else by those that Redocly recommends. */
export async function findLintAdvice(bundle: Bundle): Promise<LintFinding[]> {
  const folder = dirname(bundle.file);
  const configPath = findConfig(folder) ?? findConfig(join(folder, '.config'));
  const config = configPath === undefined ? createConfig({ extends: ['recommended'] }) : loadConfig({ configPath });
  return runLinter(bundle, await config, isAdvice);
}

// Mistakes in the structure are not advice: findStructureMistakes reports them. Nor is what concerns another server,
// which receives webhooks and callbacks.
function isAdvice({ ruleId, location: [place] }: Problem): boolean {
  return !Object.hasOwn(STRUCTURE_RULES, ruleId) && !/^#\/webhooks\/|\/callbacks\//.test(place?.pointer ?? '');
}

async function runLinter(
  { file, files }: Bundle,
  config: Config,
  isWanted: (problem: Problem) => boolean,
): Promise<LintFinding[]> {
  const absoluteRef = resolve(file);
  const source = String(files.get(absoluteRef)?.text);
  const externalRefResolver = new FilesResolver(files);
  // An error that Redocly throws, such as for a wrong rule, gets the contract as its location.
  const problems = await lintFromString({ source, absoluteRef, config, externalRefResolver }).catch(
    (error: unknown) => {
      throw new Error(`${file}:1:1 ${(error as Error).message}`, { cause: error });
    },
  );
  return problems.filter(isWanted).map((problem) => {
    const { message, ruleId, location } = problem;
    const [place] = location;
    return {
      message,
      // Findings of one cause are printed as one line. The messages of a rule differ only in names, but those of a
      // structure rule have different causes.
      cause: Object.hasOwn(STRUCTURE_RULES, ruleId) ? message : ruleId,
      pointer: (files.get(String(place?.source.absoluteRef))?.name ?? file) + (place?.pointer ?? '#'),
      locate: () => locateProblem(problem, files, file),
    };
  });
}

/** Creates a function that converts mistakes, which have a node of the document, to findings, which have its place. */
export function createToFinding(
  { trace }: Bundle,
  document: Document,
): (mistake: Pick<Mistake, 'node' | 'key' | 'message'>) => LintFinding {
  const findPointer = createPointers(document);
  return (mistake) => {
    const { message, key } = mistake;
    const { file, pointer } = trace(findPointer(mistake));
    return {
      message,
      pointer: file.name + pointer,
      // A mistake with a key is that key, and otherwise the whole node.
      locate: () => toPlace(file, pointer, key === undefined ? 'value' : 'key'),
    };
  };
}
