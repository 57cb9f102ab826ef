import {
  createRepliesReader,
  readBodyDeclaration,
  type ReadReplies,
  type DeclaredBody,
  type DeclaredReply,
  type ReplyKey,
  toRequestMessage,
  type Message,
} from './message';
import { readCredentials, type Credentials } from './credentials';
import {
  pathsOf,
  resolvePathItem,
  type NormalizedDocument,
  type OperationObject,
  type PathItem,
} from '../2-resolve/document';
import type { DocumentErrors } from '../text/document-error';
import { nameOperations } from './operation-id';
import { readParameters, type Parameter } from './parameters';
import { assertPathParameters, toRequestKey } from './path-template';

/**
 * The keys of a path item that are operations.
 *
 * @example for (const method of METHODS) console.log(item[method])
 */
export const METHODS: ReadonlySet<string> = new Set('get put post delete options head patch trace'.split(' '));

/** One operation of the contract, as the kit serves it. */
export interface Operation {
  /** The operationId, or a name made of method and path: the name of its handler. */
  readonly id: string;
  readonly object: OperationObject;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** As the contract spells it. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: DeclaredBody | undefined;
  /** The message of a request without a body; undefined if a body is required. */
  readonly messageWithoutBody: Message | undefined;
  readonly replies: ReadonlyMap<ReplyKey, DeclaredReply>;
  /** Alternatives; each lists the credentials that are needed together. */
  readonly security: readonly (readonly Credentials[])[];
}

/**
 * Whether an operation may be called without credentials.
 *
 * @example operations.filter(isPublic).map(({ id }) => id) // ['listBooks']
 */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((alternative) => alternative.length === 0);
}

/**
 * The messages that the validator compiles: a whole request or reply as one object, for each media type and for none.
 *
 * @example const { requests, replies } = messagesOf(operation)
 */
export function messagesOf({ messageWithoutBody, body, replies }: Operation): {
  requests: Message[];
  replies: Message[];
} {
  return {
    requests: [...(messageWithoutBody ? [messageWithoutBody] : []), ...(body?.media.values() ?? [])],
    replies: [...replies.values()].flatMap(({ defaultMessage, media }) => {
      const streamed = [...media.values()].flatMap((one) => one.streamed ?? []);
      return [defaultMessage, ...media.values(), ...streamed];
    }),
  };
}

/**
 * Reads the operations in the paths of a document that toPlainDocument rewrote, and adds what is wrong to `errors`.
 *
 * @example const webhooks = readAllOperations({ ...document, paths: document.webhooks }, new DocumentErrors())
 */
export function readAllOperations(document: NormalizedDocument, errors: DocumentErrors): Operation[] {
  const readReplies = createRepliesReader(document);
  const found = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    // A path item whose reference leads nowhere has no operations.
    const item = errors.attempt(() => resolvePathItem(document, node)) ?? {};
    const objects = Object.entries(item).filter(([key]) => METHODS.has(key)) as [string, OperationObject][];
    return objects.map(([key, object]) => ({ path, method: key.toUpperCase(), item, object }));
  });
  const ids = nameOperations(found.map((source) => ({ ...source, operationId: source.object.operationId })));
  // Of paths that differ only in parameter names, the first one by the alphabet stays: here it is set last.
  const fromLastPath = found.toSorted((one, other) => (one.path < other.path ? 1 : -1));
  const pathByRequestKey = new Map(fromLastPath.map((source) => [toRequestKey(source), source.path]));
  return found.flatMap((one, index) => {
    const source = { ...one, id: String(ids[index]), keptPath: pathByRequestKey.get(toRequestKey(one)), readReplies };
    return errors.attempt(() => readOperation(document, source, errors), source.object) ?? [];
  });
}

interface OperationSource {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly item: PathItem;
  readonly object: OperationObject;
  readonly keptPath: string | undefined;
  readonly readReplies: ReadReplies;
}

/** Reads one operation. What is wrong with a part of it is added to `errors`, and the other parts are read all the same. */
function readOperation(document: NormalizedDocument, source: OperationSource, errors: DocumentErrors): Operation {
  const { id, path, method, item, object, readReplies } = source;
  const countBefore = errors.all.length;
  const parameters = readParameters(document, item, object, errors);
  // A parameter that could not be read is reported already: do not report it as missing.
  if (errors.all.length === countBefore) {
    errors.attempt(() => {
      assertPathParameters(document, source, parameters);
    });
  }
  const body = errors.attempt(() => readBodyDeclaration(document, parameters, object));
  const security = errors.attempt(() => readCredentials(document, object));
  const mayLackBody = body?.isRequired !== true;
  return {
    id,
    object,
    method,
    path,
    parameters,
    body,
    messageWithoutBody: mayLackBody ? toRequestMessage(document, parameters, undefined) : undefined,
    replies: readReplies(object, method, errors),
    security: security ?? [],
  };
}

/**
 * Lists the scopes that operations ask for, each once.
 *
 * @example listScopes(contract.operations) // ['pets:read', 'pets:write']
 */
export function listScopes(operations: readonly Pick<Operation, 'security'>[]): string[] {
  return [...new Set(operations.flatMap(({ security }) => security.flat().flatMap(({ scopes }) => scopes)))];
}

/**
 * A field of a log line with the operations that may be called without credentials; no field if there are none.
 *
 * @example listPublic(operations) // { public: ['listBooks'] }
 */
export function listPublic(operations: readonly Operation[]): { readonly public?: 'all operations' | string[] } {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return {};
  const isEachPublic = names.length === operations.length;
  return { public: isEachPublic ? 'all operations' : names };
}

/**
 * A field of a log line with the operations that `generate --keep-going` left out of the contract; no field if there are none.
 *
 * @example log.info({ ...listNotServed(document) })
 */
export function listNotServed(document: object): { readonly notServed?: unknown } {
  return 'x-not-served' in document ? { notServed: document['x-not-served'] } : {};
}
