import { BaseResolver, getLineColLocation, lintFromString, loadConfig, Source } from '@redocly/openapi-core';
import { type Document, type Mistake, pointerOf } from '@contract-kit/server/contract';

// Redocly reads YAML by a parser of its own. Should that find a reference where `parseYaml` found none, nothing is read.
class ClosedResolver extends BaseResolver {
  override loadExternalRef(reference: string): Promise<never> {
    return Promise.reject(new Error(`${reference} is not read: it leads out of the document`));
  }
}

/**
 * What makes a contract unreadable: broken YAML, a structure that OpenAPI does not have, an unknown reference.
 *
 * @param source the text of the contract
 * @param file the path it was read from, for references and for the messages
 * @returns one line a mistake, `file:line:column message`
 */
export async function lintContract(source: string, file: string): Promise<string[]> {
  const config = await loadConfig();
  const externalRefResolver = new ClosedResolver();
  const problems = await lintFromString({ source, absoluteRef: file, config, externalRefResolver }).catch(
    (error: unknown) => {
      throw new Error(`${file}:1:1 ${(error as Error).message}`, { cause: error });
    },
  );
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, location: [place] }) => {
      if (place === undefined) return `${file} ${message}`;
      const { start } = getLineColLocation(place);
      return `${file}:${String(start.line)}:${String(start.col)} ${message}`;
    });
}

/** One line for a mistake, `file:line:column message`. */
export function locateMistake(text: string, file: string, document: Document, mistake: Mistake): string {
  const place = { source: new Source(file, text), pointer: pointerOf(document, mistake) };
  const { start } = getLineColLocation({ ...place, reportOnKey: mistake.key !== undefined });
  return `${file}:${String(start.line)}:${String(start.col)} ${mistake.message}`;
}
