import { type Document, parseYaml, readOperations } from '@contract-kit/server/contract';
import { createApiTypes } from './api-types';
import { createContractConstants } from './contract-constants';
import { readErrorCatalogue } from './error-catalogue';
import { findNameMistakes } from './handler-files';
import { lintContract, locateMistake } from './lint-contract';

// The types of the kit for this contract.
const HANDLERS = [
  `import type * as kit from '@contract-kit/server';`,
  `import type { operations, security, securitySchemes } from './api';`,
  '',
  '/** The handler of one operation. */',
  'export type Handler<Id extends keyof operations> = kit.Handler<operations[Id], security[Id]>;',
  '/** A handler for each operation. */',
  'export type Handlers = kit.Handlers<operations, security>;',
  '/** Makes the bodies of refusals, where the contract declares neither problem details nor an error catalogue. */',
  'export type RenderError = kit.RenderError<operations>;',
  '/** Whose credentials count, by security scheme. */',
  'export type Verifiers = kit.Verifiers<securitySchemes>;',
  '',
].join('\n');

/**
 * Everything that is generated from a contract.
 *
 * @param source the text of the contract
 * @param file its path, for the messages
 * @returns the text of each file by its name in generated/
 * @throws Error whose message lists the mistakes, `file:line:column message`
 * @example const { 'api.d.ts': types } = await generate(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml')
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  const document = parseYaml(source, file) as Document;
  const mistakes = await lintContract(source, file);
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  const { operations, mistakes: refused } = readOperations(document);
  const { catalogue, mistakes: wrong } = readErrorCatalogue(document);
  const all = [...refused, ...wrong, ...findNameMistakes(operations)];
  if (all.length > 0) throw new Error(all.map((one) => locateMistake(source, file, document, one)).join('\n'));
  const { module, declaration } = createContractConstants(source, catalogue);
  const header = `// Made from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts': header + (await createApiTypes(document, operations, catalogue)),
    'contract.js': header + module,
    'contract.d.ts': header + declaration,
    'handlers.d.ts': header + HANDLERS,
  };
}
