import { dirname, resolve } from 'node:path';
import { type Config, createConfig, findConfig, lintFromString, loadConfig } from '@redocly/openapi-core';
import { createPointers, type Document, findSchemas, type Mistake } from '@contract-kit/server/contract';
import type { Bundle } from '../bundle/bundle-contract';
import { toPlace } from '../bundle/contract-files';
import { FilesResolver, placeOf, type Problem } from '../bundle/files-resolver';
import type { Finding } from './finding';

// A document that breaks one of these is no OpenAPI. All other rules are style.
const STRUCTURE = { struct: 'error', 'no-unresolved-refs': 'error' } as const;

/** A finding of the linter, with the file and the JSON pointer of what it is about. */
export interface LintFinding extends Finding {
  readonly pointer: string;
}

/** What makes a document no OpenAPI: a structure that OpenAPI does not have, a reference to nowhere. */
export async function findStructureMistakes(bundle: Bundle, document: Document): Promise<LintFinding[]> {
  const isRight = createSchemaFilter(bundle, document);
  return lint(bundle, await createConfig({ rules: STRUCTURE }), (problem) => {
    return isOfOpenApi(problem) && !isRight(problem);
  });
}

// Redocly does not know that schemas of OpenAPI 3.1 may have any keyword, and may be true or false.
function createSchemaFilter(bundle: Bundle, document: Document): (problem: Problem) => boolean {
  if (typeof document !== 'object' || !/^3\.1(?:\.|$)/.test(document.openapi)) return () => false;
  let schemas: ReadonlySet<string> | undefined;
  return (problem) => {
    const { message } = problem;
    if (message.endsWith('`Schema` (object) but got `boolean`')) return true;
    if (!message.startsWith('Property ')) return false;
    schemas ??= listSchemas(bundle, document);
    return schemas.has(pointerOf(problem, bundle).replace(/\/[^/]*$/, ''));
  };
}

/** Where the schemas of a document are written. */
function listSchemas({ trace }: Bundle, document: Document): ReadonlySet<string> {
  const toPointer = createPointers(document);
  const origins = [...findSchemas(document)].map((node) => trace(toPointer({ node, key: undefined })));
  return new Set(origins.map(({ file, pointer }) => file.name + pointer));
}

// OpenAPI gives extensions no structure; Redocly gives some of them one. A version that is a number says which it is.
function isOfOpenApi({ ruleId, location: [place] }: Problem): boolean {
  const pointer = place?.pointer ?? '';
  return ruleId !== 'struct' || !(pointer.includes('/x-') || pointer === '#/info/version');
}

/**
 * What could be better in a contract: what the rules say that its redocly.yaml, in the same folder, chooses, or else those
 * that Redocly recommends.
 */
export async function findLintAdvice(bundle: Bundle): Promise<LintFinding[]> {
  const configPath = findConfig(dirname(bundle.file));
  const config = configPath === undefined ? createConfig({ extends: ['recommended'] }) : loadConfig({ configPath });
  return lint(bundle, await config, isOfStyle);
}

// What another server has to do is not judged.
function isOfStyle({ ruleId, location: [place] }: Problem): boolean {
  return !Object.hasOwn(STRUCTURE, ruleId) && !/^#\/webhooks\/|\/callbacks\//.test(place?.pointer ?? '');
}

async function lint(bundle: Bundle, config: Config, isWanted: (problem: Problem) => boolean): Promise<LintFinding[]> {
  const { file, files } = bundle;
  const absoluteRef = resolve(file);
  const source = String(files.get(absoluteRef)?.text);
  const externalRefResolver = new FilesResolver(files);
  const problems = await lintFromString({ source, absoluteRef, config, externalRefResolver }).catch(
    (error: unknown) => {
      throw new Error(`${file}:1:1 ${(error as Error).message}`, { cause: error });
    },
  );
  return problems.filter(isWanted).map((problem) => {
    const { message, ruleId } = problem;
    return {
      message,
      // The messages of one rule differ in names only, but those of the structure are about different things.
      cause: Object.hasOwn(STRUCTURE, ruleId) ? message : ruleId,
      pointer: pointerOf(problem, bundle),
      locate: () => placeOf(problem, files, file),
    };
  });
}

/** The file and the pointer of what a problem is about. */
function pointerOf({ location: [place] }: Problem, { file, files }: Bundle): string {
  return (files.get(String(place?.source.absoluteRef))?.name ?? file) + (place?.pointer ?? '#');
}

/** Makes findings of mistakes. */
export function createLocator(
  { trace }: Bundle,
  document: Document,
): (mistake: Pick<Mistake, 'node' | 'key' | 'message'>) => LintFinding {
  const toPointer = createPointers(document);
  return (mistake) => {
    const { message, key } = mistake;
    const { file, pointer } = trace(toPointer(mistake));
    return {
      message,
      pointer: file.name + pointer,
      locate: () => toPlace(file, pointer, key !== undefined),
    };
  };
}
