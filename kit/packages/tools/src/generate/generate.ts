import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { digestText, toUnixLines } from '@contract-kit/contract';
import { readContractText } from '../bundle/contract-files';
import { BUNDLE, removeOperations } from '../bundle/bundle-contract';
import { DiagnosticsError, toLines } from '../diagnostics/diagnostic';
import { type Analysis, analyseContract, noteDerivedNames } from '../lint/analyse-contract';
import { createApiTypes } from './api-types';
import { toLiteral } from './contract-text';
import { isModuleFolder } from './package-type';
import { writeStubs } from './stubs';
import { removeInside, writeInside } from '../write/write-inside';

/** The errors that prevent serving a contract. */
export class AnalysisError extends DiagnosticsError {
  readonly analysis: Analysis;

  constructor(analysis: Analysis) {
    super(analysis.errors);
    this.analysis = analysis;
  }
}

/**
 * Generates the files in generated/.
 *
 * @param file the path of the contract, which messages show
 * @returns the content of each file in generated/, by name
 * @throws AnalysisError
 * @example const { 'api.d.ts': types } = await generate(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml')
 */
export async function generate(source: string, file: string): Promise<Record<string, string>> {
  return generateFiles(analyseServable(source, file), isModuleFolder(join(dirname(file), FOLDER)));
}

/**
 * Analyses a contract.
 *
 * @param keepsGoing whether to leave out operations with errors
 * @param root the folder that must contain all files; by default the contract's own folder
 * @throws AnalysisError with all errors that prevent serving it
 */
export function analyseServable(source: string, file: string, keepsGoing = false, root?: string): Analysis {
  const analysis = (keepsGoing ? analyseServed : analyseContract)(source, file, root);
  if (analysis.errors.length > 0) throw new AnalysisError(analysis);
  return analysis;
}

/** Analyses a contract without its operations that have errors. The notes list these operations and their errors. */
export function analyseServed(source: string, file: string, root?: string): Analysis {
  const analysis = analyseContract(source, file, root);
  const { errors, unneeded, unserved = [], bundle } = analysis;
  if (unserved.length === 0) return analysis;
  const servedAnalysis = analyseContract(removeOperations(bundle.source, unserved), BUNDLE);
  const omissions = [...toLines(errors), `Because of these errors, the service does not serve ${unserved.join(', ')}`];
  // With the original bundle, places refer to the team's files.
  return { ...servedAnalysis, bundle, unneeded, unserved, omissions, notes: [...omissions, ...servedAnalysis.notes] };
}

/**
 * @param isModule whether contract.js is an ES module
 * @throws Error that names the file if an error in the contract prevents generating types
 */
export async function generateFiles(analysis: Analysis, isModule: boolean): Promise<Record<string, string>> {
  const { bundle, source, document, operations, unserved = [] } = analysis;
  // If a contract has several files or unserved operations, a generated document is served.
  const isBundled = bundle.files.size > 1 || unserved.length > 0;
  const servedFile = isBundled ? BUNDLE : 'openapi.yaml';
  const { api, schemas } = await createApiTypes(document, operations).catch((error: unknown) => {
    // openapi-typescript does not report line numbers.
    throw new Error(`${bundle.file}:1:1 types cannot be generated from this contract: ${(error as Error).message}`, {
      cause: error,
    });
  });
  const header = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.\n`;
  return {
    'api.d.ts': header + api,
    'contract.js': header + writeConstants(servedFile, source, isModule),
    'contract.d.ts': header + CONSTANT_TYPES,
    'handlers.d.ts': header + HANDLER_TYPES,
    'schemas.d.ts': header + schemas,
    ...(isBundled && { [basename(BUNDLE)]: source }),
  };
}

const HANDLER_TYPES = `import type * as kit from '@contract-kit/server';
import type { operations, security, securitySchemes } from './api.js';

/** The handler of an operation. */
export type Handler<Id extends keyof operations> = kit.Handler<operations[Id], security[Id]>;
/** The handlers of all operations. */
export type Handlers = kit.Handlers<operations, security>;
/** Makes the bodies of the errors that the service itself responds with, if the contract does not declare problem details. */
export type RenderError = kit.RenderError<operations>;
/** Functions that verify credentials, by security scheme. */
export type Verifiers = kit.Verifiers<securitySchemes>;
`;

const CONSTANT_TYPES = `/** The path of the contract in the project. */
export declare const file: string;
/** The SHA-256 of the contract's text with the line ends of Unix, in hexadecimal. */
export declare const sha256: string;
`;

// This is JavaScript with a declaration file, so that the compiled service and the tests import the same file.
function writeConstants(file: string, source: string, isModule: boolean): string {
  const start = isModule ? 'export const ' : 'exports.';
  const constants = [`file = ${toLiteral(file)};\n`, `sha256 = ${toLiteral(digestText(source))};\n`];
  return [...(isModule ? [] : [`'use strict';\n`]), ...constants.map((text) => start + text)].join('');
}

const CONTRACT = 'openapi.yaml';
const FOLDER = 'generated';

/** The files in generated/ that are out of date. */
export interface StaleFiles extends Pick<Analysis, 'operations'> {
  /** The operations that were left out, and the errors that caused this, as lines for people. */
  readonly notes: readonly string[];
  /** The current content of each file, by name; undefined for a file that should not exist. */
  readonly files: Readonly<Record<string, string | undefined>>;
}

/** @throws AnalysisError */
export async function findStaleFiles(keepsGoing: boolean, root?: string): Promise<StaleFiles> {
  const source = readContractText(CONTRACT);
  const analysis = analyseServable(source, CONTRACT, keepsGoing, root);
  // If the contract needs no bundle, an old bundle must be removed.
  const files = {
    [basename(BUNDLE)]: undefined,
    ...(await generateFiles(analysis, isModuleFolder(FOLDER))),
  };
  const staleFiles = Object.entries(files).filter(([name, text]) => {
    const file = join(FOLDER, name);
    return (existsSync(file) ? toUnixLines(readFileSync(file, 'utf8')) : undefined) !== text;
  });
  return {
    files: Object.fromEntries(staleFiles),
    operations: analysis.operations,
    notes: analysis.omissions ?? [],
  };
}

/** Updates the files in generated/, and writes a stub for each operation without a handler. @throws AnalysisError */
export async function writeGenerated(
  keepsGoing = false,
  root?: string,
): Promise<Pick<StaleFiles, 'notes'> & Record<'written' | 'stubs', string[]>> {
  const { files, operations, notes } = await findStaleFiles(keepsGoing, root);
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) removeInside('', join(FOLDER, name));
    else writeInside('', join(FOLDER, name), text);
  }
  const writtenFiles = Object.keys(files);
  const nameNotes = writtenFiles.length > 0 ? noteDerivedNames(operations) : [];
  return { written: writtenFiles, stubs: await writeStubs(operations), notes: [...nameNotes, ...notes] };
}
