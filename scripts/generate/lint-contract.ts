import { getLineColLocation, lintFromString, loadConfig } from '@redocly/openapi-core';

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
