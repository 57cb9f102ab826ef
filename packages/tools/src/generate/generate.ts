// Generates the files of `generated/`.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Document } from '@contract-kit/server/contract';
import { BUNDLE } from '../bundle/bundle-contract';
import { toLines } from '../diagnostics/finding';
import type { ErrorCatalogue } from '../lint/error-catalogue';
import { type Examination, examineContract } from '../lint/examine-contract';
import { createApiTypes } from './api-types';
import { toTypedDocument, withTypedMedia } from './typed-document';
import { hasReadOrWriteOnly } from './typed-schemas';

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

const API_OPERATIONS = [`import type { operations, security, securitySchemes } from './api';`];

const UNMARKED_OPERATIONS = [
  `import type { operations as marked, security, securitySchemes } from './api';`,
  '',
  '/** The operations as handlers see them: no request has what is readOnly, no reply what is writeOnly. */',
  'export type operations = kit.WithAccessModes<marked>;',
];

function createHandlerTypes(document: Document): string {
  // In api.d.ts, readOnly and writeOnly properties are marked: the types of handlers are made without these marks.
  const operationsType = hasReadOrWriteOnly(document) ? UNMARKED_OPERATIONS : API_OPERATIONS;
  return [
    `import type * as kit from '@contract-kit/server';`,
    ...operationsType,
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
}

/**
 * Writes what the running service needs of the contract: its path, its fingerprint and the error catalogue. The module
 * is JavaScript with a declaration file, so that the compiled service and the tests use the same file.
 */
function createContractConstants(
  file: string,
  source: string,
  catalogue: ErrorCatalogue,
): { module: string; declaration: string } {
  const sha256 = JSON.stringify(createHash('sha256').update(source).digest('hex'));
  const rows = Object.entries(catalogue).map(([name, { number, status, meaning }]) => ({
    name,
    value: `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`,
    type: `{ readonly number: ${String(number)}; readonly status: ${String(status)}; readonly meaning: string }`,
  }));
  return {
    module: [
      `'use strict';`,
      `exports.file = ${JSON.stringify(file)};`,
      `exports.sha256 = ${sha256};`,
      `exports.errors = {`,
      ...rows.map(({ name, value }) => `  ${name}: ${value},`),
      `};`,
      ``,
    ].join('\n'),
    declaration: [
      `/** The path of the contract in the project. */`,
      `export declare const file: string;`,
      `/** The SHA-256 of the contract's bytes, in hexadecimal. */`,
      `export declare const sha256: string;`,
      `/** The error catalogue, \`x-error-catalogue\` in the contract. */`,
      `export declare const errors: {`,
      ...rows.map(({ name, type }) => `  readonly ${name}: ${type};`),
      `};`,
      ``,
    ].join('\n'),
  };
}

const CONTRACT = 'openapi.yaml';
const FOLDER = 'generated';

/**
 * Finds the files of generated/ that are not what openapi.yaml makes now.
 *
 * @returns the right text of each, by name; undefined for a file that should not be there
 * @example const stale = Object.keys(await findStale()) // ['api.d.ts']
 */
export async function findStale(): Promise<Record<string, string | undefined>> {
  // Only a contract of several files makes a bundle: one that an earlier contract left should not be there.
  const files = { [basename(BUNDLE)]: undefined, ...(await generate(readFileSync(CONTRACT, 'utf8'), CONTRACT)) };
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => readGenerated(name) !== text));
}

/**
 * Writes the stale files of generated/, and returns their names.
 *
 * @example console.log(await writeGenerated()) // ['api.d.ts', 'handlers.d.ts']
 */
export async function writeGenerated(): Promise<string[]> {
  const stale = await findStale();
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(stale)) {
    if (text === undefined) rmSync(join(FOLDER, name));
    else writeFileSync(join(FOLDER, name), text);
  }
  return Object.keys(stale);
}

function readGenerated(name: string): string | undefined {
  const file = join(FOLDER, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
