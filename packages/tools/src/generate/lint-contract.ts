import { dirname } from 'node:path';
import {
  BaseResolver,
  type Config,
  createConfig,
  findConfig,
  getLineColLocation,
  lintFromString,
  loadConfig,
  Source,
} from '@redocly/openapi-core';
import {
  createPointers,
  type Document,
  findSchemas,
  type Mistake,
  resolveReference,
  type Schema,
} from '@contract-kit/server/contract';
import type { Finding, Place } from './finding';

// Redocly reads YAML by a parser of its own. Should that find a reference where `parseYaml` found none, nothing is read.
class ClosedResolver extends BaseResolver {
  override loadExternalRef(reference: string): Promise<never> {
    return Promise.reject(new Error(`${reference} is not read: it leads out of the document`));
  }
}

// A document that breaks one of these is no OpenAPI. All other rules are style.
const STRUCTURE = { struct: 'error', 'no-unresolved-refs': 'error' } as const;

type Problem = Awaited<ReturnType<typeof lintFromString>>[number];

/** A finding of the linter, with the JSON pointer to what it is about. */
export interface LintFinding extends Finding {
  readonly pointer: string;
}

/** What makes a document no OpenAPI: a structure that OpenAPI does not have, a reference to nowhere. */
export async function findStructureMistakes(source: string, file: string, document: Document): Promise<LintFinding[]> {
  const isRight = createSchemaFilter(document);
  return lint(source, file, await createConfig({ rules: STRUCTURE }), (problem) => {
    return isOfOpenApi(problem) && !isRight(problem);
  });
}

// Redocly does not know that schemas of OpenAPI 3.1 may have any keyword, and may be true or false.
function createSchemaFilter(document: Document): (problem: Problem) => boolean {
  if (typeof document !== 'object' || !/^3\.1(?:\.|$)/.test(document.openapi)) return () => false;
  const schemas = findSchemas(document);
  return ({ message, location: [place] }) => {
    if (message.endsWith('`Schema` (object) but got `boolean`')) return true;
    const parent = (place?.pointer ?? '').replace(/\/[^/]*$/, '');
    if (!message.startsWith('Property ') || !parent.startsWith('#/')) return false;
    return schemas.has(resolveReference<Schema>(document, { $ref: parent }));
  };
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
export async function findLintAdvice(source: string, file: string): Promise<LintFinding[]> {
  const configPath = findConfig(dirname(file));
  const config = configPath === undefined ? createConfig({ extends: ['recommended'] }) : loadConfig({ configPath });
  return lint(source, file, await config, isOfStyle);
}

// What another server has to do is not judged.
function isOfStyle({ ruleId, location: [place] }: Problem): boolean {
  return !Object.hasOwn(STRUCTURE, ruleId) && !/^#\/webhooks\/|\/callbacks\//.test(place?.pointer ?? '');
}

async function lint(
  source: string,
  file: string,
  config: Config,
  isWanted: (problem: Problem) => boolean,
): Promise<LintFinding[]> {
  const externalRefResolver = new ClosedResolver();
  const problems = await lintFromString({ source, absoluteRef: file, config, externalRefResolver }).catch(
    (error: unknown) => {
      throw new Error(`${file}:1:1 ${(error as Error).message}`, { cause: error });
    },
  );
  return problems.filter(isWanted).map(({ message, ruleId, location: [place] }) => ({
    message,
    // The messages of one rule differ in names only, but those of the structure are about different things.
    cause: Object.hasOwn(STRUCTURE, ruleId) ? message : ruleId,
    pointer: place?.pointer ?? '#',
    locate: () => {
      const start = place && getLineColLocation(place).start;
      return { file, line: start?.line ?? 1, column: start?.col ?? 1 };
    },
  }));
}

/** Makes findings of mistakes. */
export function createLocator(
  text: string,
  file: string,
  document: Document,
): (mistake: Pick<Mistake, 'node' | 'key' | 'message'>) => LintFinding {
  const source = new Source(file, text);
  const pointerOf = createPointers(document);
  return (mistake) => {
    const { message, key } = mistake;
    const pointer = pointerOf(mistake);
    return { message, pointer, locate: () => locatePointer(source, file, pointer, key !== undefined) };
  };
}

/** Where a JSON pointer leads in the text of a contract. */
export function locatePointer(source: Source, file: string, pointer: string, reportOnKey: boolean): Place {
  const { start } = getLineColLocation({ source, pointer, reportOnKey });
  return { file, line: start.line, column: start.col };
}
