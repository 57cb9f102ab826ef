import { load, YAMLException } from 'js-yaml';
import type { OpenAPI3 } from 'openapi-typescript';
import { createApiTypes } from './api-types';
import { createContractConstants } from './contract-constants';
import { findErrorCatalogue } from './error-catalogue';
import { lintContract } from './lint-contract';

/**
 * Everything that is generated from a contract.
 *
 * @param source the text of the contract
 * @param file its path, for the messages
 * @returns the text of each file by its name in generated/
 * @throws Error whose message has a line for each mistake, with the place where there is one
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  const document = parse(source, file);
  const mistakes = await lintContract(source, file);
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  const { module, declaration } = createContractConstants(source, findErrorCatalogue(document));
  const header = `// Made from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts': header + (await createApiTypes(document)),
    'contract.js': header + module,
    'contract.d.ts': header + declaration,
  };
}

function parse(source: string, file: string): OpenAPI3 {
  try {
    return load(source) as OpenAPI3;
  } catch (error) {
    const { reason, mark } = error as YAMLException;
    if (mark === undefined) throw error;
    throw new Error(`${file}:${String(mark.line + 1)}:${String(mark.column + 1)} ${reason}`, { cause: error });
  }
}
