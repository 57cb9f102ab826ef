import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Document } from '../document/document';
import { pointerOf, ContractError } from '../document/mistake';
import { readOperations, type Operation } from './operation';
import { parseYaml } from '../document/parse-yaml';

/** Which contract a service enforces: in the log, in the metrics and in the ETag of the contract. */
export interface ContractIdentity {
  /** `info.version`. */
  readonly version: string;
  /** Of the contract's bytes, 64 hexadecimal digits, as sha256sum prints them. */
  readonly sha256: string;
}

/** A contract that the kit can serve. */
export interface Contract {
  /** The bytes that it was read from. */
  readonly source: Buffer;
  readonly identity: ContractIdentity;
  readonly document: Document;
  readonly operations: readonly Operation[];
}

/**
 * Reads a contract and checks it before anything listens.
 *
 * @param sha256 the fingerprint of the contract that the code was generated from and compiled against
 * @throws ContractError with file and place when it cannot be read, is another one than `sha256` says, or asks for
 *   what the kit does not enforce
 */
export function loadContract(file: string, sha256: string): Contract {
  const source = read(file);
  const document = parseYaml(source.toString('utf8'), file) as Document;
  if (createHash('sha256').update(source).digest('hex') !== sha256) {
    throw new ContractError(`${file} is not the contract that generated/ was made from: run npm run generate`);
  }
  const { operations, mistakes } = readOperations(document);
  if (mistakes.length > 0) {
    throw new ContractError(mistakes.map((one) => `${file}${pointerOf(document, one)} ${one.message}`).join('\n'));
  }
  return { source, identity: { version: document.info.version, sha256 }, document, operations };
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ContractError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
