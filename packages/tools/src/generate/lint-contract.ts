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
import { createPointers, type Document, type Mistake } from '@contract-kit/server/contract';
import type { Finding, Place } from './finding';
import { createStructureFilter, type Problem } from './structure-rules';

// Redocly reads YAML by a parser of its own. Should that find a reference where `parseYaml` found none, nothing is read.
class ClosedResolver extends BaseResolver {
  override loadExternalRef(reference: string): Promise<never> {
    return Promise.reject(new Error(`${reference} is not read: it leads out of the document`));
  }
}

// A document that breaks one of these is no OpenAPI. All other rules are style.
const STRUCTURE = { struct: 'error', 'no-unresolved-refs': 'error' } as const;

/** A finding of the linter, with the JSON pointer to what it is about. */
export interface LintFinding extends Finding {
  readonly pointer: string;
}

/**
 * What makes a document no OpenAPI: a structure that OpenAPI does not have, a reference to nowhere.
 *
 * @param document what is written in the source
 */
export async function findStructureMistakes(source: string, file: string, document: Document): Promise<LintFinding[]> {
  return lint(source, file, await createConfig({ rules: STRUCTURE }), createStructureFilter(document));
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
