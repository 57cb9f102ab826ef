// Loads a contract from a file, and rejects it if the kit cannot serve it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toServerPath, type Document, type NormalizedDocument } from './2-resolve/document';
import {
  ContractError,
  createToPointer,
  describeErrors,
  DocumentErrors,
  type DocumentError,
} from './text/document-error';
import { readAllOperations, type Operation } from './5-messages/operation';
import { createFindUsers } from './2-resolve/scope';
import { parseYaml } from './1-parse/parse-yaml';
import { resolveDocument } from './2-resolve/resolve-document';
import { isObjectOrArray } from './2-resolve/schema';
import { findLostMappings, findOptionalTags } from './3-plain/discriminator';
import { readItemSchemas } from './3-plain/event-schemas';
import { toPlainDocument } from './3-plain/plain-document';

/** Identifies the enforced contract in the log, the metrics and the ETag of the contract file. */
export interface ContractIdentity {
  readonly version: string;
  readonly sha256: string;
}

/**
 * Returns the SHA-256 hash of a text as 64 hexadecimal digits. CRLF is hashed as LF, because Git can check a file out with either.
 *
 * @example digestText('openapi: 3.1.0\r\n') === digestText('openapi: 3.1.0\n')
 */
export function digestText(text: string): string {
  return createHash('sha256').update(toUnixLines(text)).digest('hex');
}

/** Replaces CRLF with LF. @example toUnixLines('a\r\nb') // 'a\nb' */
export function toUnixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A contract that the kit can serve. */
export interface Contract {
  /** The contract file in UTF-8, with LF line endings. */
  readonly source: Buffer;
  readonly identity: ContractIdentity;
  readonly document: NormalizedDocument;
  readonly serverPath: string;
  readonly operations: readonly Operation[];
}

/**
 * Reads and checks a contract.
 *
 * @param sha256 the digest of the contract that the code was generated from and compiled against
 * @throws ContractError if the contract cannot be read, does not match `sha256`, or cannot be enforced
 * @example const contract = loadContract('openapi.yaml', sha256); // sha256 of generated/contract
 */
export function loadContract(file: string, sha256: string): Contract {
  const text = toUnixLines(readBytes(file).toString('utf8'));
  const written = parseYaml(text, file) as Document;
  if (digestText(text) !== sha256) {
    throw new ContractError(`${file} is not the contract that generated/ was made from: run npm run generate`);
  }
  if (!isObjectOrArray(written) || Array.isArray(written)) throw new ContractError(`${file} is not an object`);
  const { document, resolved, operations, errors } = readOperations(written);
  if (errors.length > 0) throw new ContractError(describeErrors(file, [document, resolved], errors));
  const identity = { version: String(document.info.version), sha256 };
  return { source: Buffer.from(text), identity, document, serverPath: toServerPath(document), operations };
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ContractError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

interface ReadContract {
  /** The document before normalization, without its malformed parts. */
  readonly resolved: Document;
  readonly document: NormalizedDocument;
  readonly operations: readonly Operation[];
  /** The errors that prevent serving an operation. Their nodes belong to `document` or `resolved`. */
  readonly errors: DocumentErrors['all'];
  /** Errors in parts that no operation needs, and fields that have no effect. */
  readonly unneeded: DocumentErrors['all'];
}

/**
 * Reads the operations of a contract and finds its errors.
 *
 * @param written the contract as parseYaml returns it
 * @example const { document, operations, errors } = readOperations(parseYaml(source, file) as Document)
 */
export function readOperations(written: Document): ReadContract {
  const { document: resolved, schemas, errors: malformed, isMisplaced } = resolveDocument(written, readItemSchemas);
  const errors = new DocumentErrors(isMisplaced);
  const optionalTags = errors.attempt(() => findOptionalTags(resolved, schemas)) ?? [];
  const lostMappings = errors.attempt(() => findLostMappings(resolved, schemas)) ?? [];
  for (const error of [...malformed, ...optionalTags, ...lostMappings]) errors.add(error);
  const documentErrors = new Set(errors.all);
  // If normalizing fails, `errors` is not empty, so the document is never served.
  const unnormalizedDocument = resolved as unknown as NormalizedDocument;
  const document = errors.attempt(() => toPlainDocument(resolved, schemas)) ?? unnormalizedDocument;
  const operations = readAllOperations(document, errors);
  const toPointer = createToPointer([document, resolved]);
  const findUsers = createFindUsers(resolved);
  // Errors that were found while reading operations always affect an operation.
  const isUnneeded = (error: DocumentError): boolean =>
    documentErrors.has(error) && findUsers(toPointer(error))?.length === 0;
  return {
    resolved,
    document,
    operations,
    errors: errors.all.filter((error) => !isUnneeded(error)),
    unneeded: [...errors.all.filter(isUnneeded), ...operations.flatMap(findUnused)],
  };
}

function findUnused({ body, querystring, replies }: Operation): DocumentError[] {
  const declared = [body, ...replies.values()].flatMap((declaration) => [...(declaration?.media.values() ?? [])]);
  return [...declared, ...(querystring ? [querystring.media] : [])].flatMap(({ form }) => form.unused);
}
