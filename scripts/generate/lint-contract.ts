import { getLineColLocation, lintFromString, loadConfig, Source } from '@redocly/openapi-core';

/**
 * What makes a contract unreadable: broken YAML, a structure that OpenAPI does not have, an unknown reference.
 *
 * @param source the text of the contract
 * @param file the path it was read from, for references and for the messages
 * @returns one line a mistake, `file:line:column message`
 */
export async function lintContract(source: string, file: string): Promise<string[]> {
  const config = await loadConfig();
  const problems = await lintFromString({ source, absoluteRef: file, config }).catch((error: unknown) => {
    throw new Error(`${file}:1:1 ${(error as Error).message}`, { cause: error });
  });
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, location: [place] }) => {
      if (place === undefined) return `${file} ${message}`;
      const { start } = getLineColLocation(place);
      return `${file}:${String(start.line)}:${String(start.col)} ${message}`;
    });
}

/** One line for a mistake at a JSON pointer, `file:line:column message`. */
export function locate(text: string, file: string, pointer: string, message: string): string {
  const { start } = getLineColLocation({ source: new Source(file, text), pointer, reportOnKey: false });
  return `${file}:${String(start.line)}:${String(start.col)} ${message}`;
}
