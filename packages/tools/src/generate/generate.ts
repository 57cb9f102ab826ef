import { createApiTypes } from './api-types';
import { createContractConstants } from './contract-constants';
import { type Examination, examineContract } from './examine-contract';
import { toLines } from './finding';
import { createHandlerTypes } from './handler-types';
import { toTypedDocument } from './typed-document';
import { withTypedMedia } from './typed-media';

/** What prevents serving a contract. The message lists it, `file:line:column message`. */
export class ContractMistakes extends Error {
  readonly source: string;
  readonly examination: Examination;

  constructor(source: string, examination: Examination) {
    super(toLines(examination.mistakes).join('\n'));
    this.source = source;
    this.examination = examination;
  }
}

/**
 * Everything that is generated from a contract.
 *
 * @param source the text of the contract
 * @param file its path, for the messages
 * @returns the text of each file by its name in generated/
 * @throws ContractMistakes
 * @example const { 'api.d.ts': types } = await generate(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml')
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  const examination = await examineContract(source, file);
  if (examination.mistakes.length > 0) throw new ContractMistakes(source, examination);
  return generateFiles(source, examination);
}

/** The text of each file by its name in generated/. */
export async function generateFiles(
  source: string,
  { document, operations, catalogue }: Pick<Examination, 'document' | 'operations' | 'catalogue'>,
): Promise<Record<string, string>> {
  const { module, declaration } = createContractConstants(source, catalogue);
  const header = `// Made from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts':
      header + (await createApiTypes(withTypedMedia(toTypedDocument(document, operations)), operations, catalogue)),
    'contract.js': header + module,
    'contract.d.ts': header + declaration,
    'handlers.d.ts': header + createHandlerTypes(document),
  };
}
