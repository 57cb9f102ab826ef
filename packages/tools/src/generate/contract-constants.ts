import { createHash } from 'node:crypto';
import type { ErrorCatalogue } from './error-catalogue';

/**
 * Writes what the running service needs of the contract: its path, its fingerprint and the error catalogue. The module
 * is JavaScript with a declaration file, so that the compiled service and the tests use the same file.
 */
export function createContractConstants(
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
