import type { OpenAPI3 } from 'openapi-typescript';
import type { Document } from '../../src/contract/document';
import { readOperations } from '../../src/contract/operation';
import { parseYaml } from '../../src/contract/parse-yaml';
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
 * @throws Error whose message has a line for each mistake, with its place; what the kit does not enforce is one
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  const document = parseYaml(source, file);
  const mistakes = await lintContract(source, file);
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  readOperations(document as Document, file);
  const { module, declaration } = createContractConstants(source, findErrorCatalogue(document));
  const header = `// Made from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts': header + (await createApiTypes(document as OpenAPI3)),
    'contract.js': header + module,
    'contract.d.ts': header + declaration,
  };
}
