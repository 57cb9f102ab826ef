// Generates the files of `generated/`.
import { basename } from 'node:path';
import { BUNDLE } from '../bundle/bundle-contract';
import { createApiTypes } from './api-types';
import { createContractConstants } from './contract-constants';
import { type Examination, examineContract } from './examine-contract';
import { toLines } from './finding';
import { createHandlerTypes } from './handler-types';
import { toTypedDocument } from './typed-document';
import { withTypedMedia } from './typed-media';

/** What prevents serving a contract. The message lists it, `file:line:column message`. */
export class ContractMistakes extends Error {
  readonly examination: Examination;

  constructor(examination: Examination) {
    super(toLines(examination.mistakes).join('\n'));
    this.examination = examination;
  }
}

/**
 * Makes all files that are generated from a contract.
 *
 * @param file the path of the contract, for the messages
 * @returns the text of each file by its name in generated/
 * @throws ContractMistakes
 * @example const { 'api.d.ts': types } = await generate(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml')
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  const examination = await examineContract(source, file);
  if (examination.mistakes.length > 0) throw new ContractMistakes(examination);
  return generateFiles(examination);
}

/** @throws Error when a mistake in the contract prevents making types */
export async function generateFiles({
  bundle: { source, files },
  document,
  operations,
  catalogue,
}: Pick<Examination, 'bundle' | 'document' | 'operations' | 'catalogue'>): Promise<Record<string, string>> {
  // A contract of several files is served as one document, the bundle, which is generated too.
  const isBundled = files.size > 1;
  const servedFile = isBundled ? BUNDLE : 'openapi.yaml';
  const { module, declaration } = createContractConstants(servedFile, source, catalogue);
  const typedDocument = withTypedMedia(toTypedDocument(document, operations));
  const header = `// Made from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts': header + (await createApiTypes(typedDocument, operations, catalogue)),
    'contract.js': header + module,
    'contract.d.ts': header + declaration,
    'handlers.d.ts': header + createHandlerTypes(document),
    ...(isBundled && { [basename(BUNDLE)]: source }),
  };
}
