// Loads a contract from its file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toServerPath, type Document, type NormalizedDocument } from '../schema/document';
import { ContractError, createToPointer, describeErrors, DocumentError, DocumentErrors } from '../text/document-error';
import { METHODS, readAllOperations, type Operation } from './operation';
import { createFindUsers } from './scope';
import { parseYaml } from '../yaml/parse-yaml';
import { findNewIn32, inheritDialects, takeOutMalformed } from '../schema/supported';
import { findSchemas } from '../schema/find-schemas';
import { isObjectOrArray } from '../schema/schema';
import { takeOutMisplaced } from '../schema/structure';
import { readItemSchemas } from '../discriminator/event-schemas';
import { toPlainDocument } from '../discriminator/plain-document';

/** Identifies the enforced contract in the log, in the metrics and in the ETag of the contract. */
export interface ContractIdentity {
  /** `info.version`. */
  readonly version: string;
  /** The digest of the contract's text, as digestText makes it. */
  readonly sha256: string;
}

/**
 * Returns the SHA-256 of a text with the line ends of Unix, in 64 hexadecimal digits. Git may check a file out with the line
 * ends of Windows, and the contract in it is the same one.
 *
 * @example digestText('openapi: 3.1.0\r\n') === digestText('openapi: 3.1.0\n')
 */
export function digestText(text: string): string {
  return createHash('sha256').update(toUnixLines(text)).digest('hex');
}

/** Replaces the line ends of Windows with those of Unix. @example toUnixLines('a\r\nb') // 'a\nb' */
export function toUnixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A contract that the kit can serve. */
export interface Contract {
  /** The text of its file, with the line ends of Unix. */
  readonly source: Buffer;
  readonly identity: ContractIdentity;
  readonly document: NormalizedDocument;
  /** The path of its first server: the prefix of every operation unless a setting names another. */
  readonly serverPath: string;
  readonly operations: readonly Operation[];
}

/**
 * Reads a contract and checks it, before any server listens.
 *
 * @param sha256 the digest of the contract that the code was generated from and compiled against
 * @throws ContractError with file and location when the contract cannot be read, has another digest, or has rules that
 *   the kit cannot enforce
 * @example const contract = loadContract('openapi.yaml', sha256); // sha256 of generated/contract
 */
export function loadContract(file: string, sha256: string): Contract {
  const text = toUnixLines(readBytes(file).toString('utf8'));
  const written = parseYaml(text, file) as Document;
  if (digestText(text) !== sha256) {
    throw new ContractError(`${file} is not the contract that generated/ was made from: run npm run generate`);
  }
  const { document, operations, errors } = readSafely(written, file);
  if (errors.length > 0) throw new ContractError(describeErrors(file, [document, written], errors));
  const identity = { version: String(document.info.version), sha256 };
  return { source: Buffer.from(text), identity, document, serverPath: toServerPath(document), operations };
}

// What a reader throws otherwise, such as for a reference to an object of another kind, has no place.
function readSafely(written: Document, file: string): ReadContract {
  if (!isObjectOrArray(written) || Array.isArray(written)) throw new ContractError(`${file} is not an object`);
  try {
    return readOperations(written);
  } catch (cause) {
    /* istanbul ignore next: no contract is known to lead here; one that is found gets a message all the same */
    throw new ContractError(
      cause instanceof DocumentError
        ? describeErrors(file, [written], [cause])
        : `${file} cannot be served: ${String(cause)}`,
      { cause },
    );
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ContractError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

interface ReadContract {
  /** The operations and errors refer to its nodes, some errors to those of what was written. */
  readonly document: NormalizedDocument;
  readonly operations: readonly Operation[];
  /** The errors that prevent serving an operation. */
  readonly errors: DocumentErrors['all'];
  /** The errors in what no operation needs. */
  readonly unneeded: DocumentErrors['all'];
}

/**
 * Reads the operations of a contract, and what is wrong with them.
 *
 * @param written the contract as parseYaml returns it
 * @param isBroken whether it is known not to be valid OpenAPI: then an error while reading is not a bug of the kit
 * @example const { document, operations, errors } = readOperations(parseYaml(source, file) as Document)
 */
export function readOperations(written: Document, isBroken = false): ReadContract {
  // Where an error prevents that it is normalized: no operation of it is served.
  const unread = written as unknown as NormalizedDocument;
  const misplaced = takeOutMisplaced(written);
  const errors = new DocumentErrors(isBroken || misplaced.length > 0);
  readItemSchemas(written, errors);
  const schemas = findSchemas(written);
  inheritDialects(schemas);
  for (const error of [...misplaced, ...findNewIn32(written), ...takeOutMalformed(written, schemas)]) errors.add(error);
  const early = new Set(errors.all);
  const document = errors.attempt(() => toPlainDocument(written, schemas)) ?? unread;
  const operations = readAllOperations(document, errors);
  const toPointer = createToPointer([document, written]);
  const findUsers = createFindUsers(written, METHODS);
  // Those that are met in reading operations are needed by them.
  const isUnneeded = (error: DocumentError): boolean => early.has(error) && findUsers(toPointer(error))?.length === 0;
  return {
    document,
    operations,
    errors: errors.all.filter((error) => !isUnneeded(error)),
    unneeded: errors.all.filter(isUnneeded),
  };
}
