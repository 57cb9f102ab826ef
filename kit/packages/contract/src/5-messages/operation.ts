import {
  createRepliesReader,
  readBodyDeclaration,
  type ReadReplies,
  type DeclaredBody,
  type DeclaredReply,
  type ReplyKey,
  toRequestMessage,
  type MessageSchema,
} from './message';
import { readCredentials, type Credentials } from './credentials';
import {
  pathsOf,
  resolvePathItem,
  toServerPath,
  type NormalizedDocument,
  type OperationObject,
  type PathItem,
} from '../2-resolve/document';
import { DocumentError, type DocumentErrors } from '../text/document-error';
import { operationsOf, type PathOperation } from '../2-resolve/path-item';
import { nameOperations } from './operation-id';
import { readParameters, type Parameter } from './parameters';
import { readQuerystring, type Querystring } from './querystring';
import { assertPathParameters, toRequestKey } from './path-template';

/** One operation of the contract, as the kit serves it. */
export interface Operation {
  /** The operationId, or a name made of method and path: the name of its handler. */
  readonly id: string;
  readonly object: OperationObject;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** As the contract spells it. */
  readonly path: string;
  /** The path of its first server, which precedes its own, unless the service is told another prefix. */
  readonly serverPath: string;
  readonly parameters: readonly Parameter[];
  /** The whole query, if it is one value. */
  readonly querystring: Querystring | undefined;
  readonly body: DeclaredBody | undefined;
  /** The message of a request without a body; undefined if a body is required. */
  readonly messageWithoutBody: MessageSchema | undefined;
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
  requests: MessageSchema[];
  replies: MessageSchema[];
} {
  return {
    requests: [
      ...(messageWithoutBody ? [messageWithoutBody] : []),
      ...[...(body?.media.values() ?? [])].flatMap((media) => [media, media.item ?? []].flat()),
    ],
    replies: [...replies.values()].flatMap(({ defaultMessage, media }) => {
      const others = [...media.values()].flatMap(({ streamed, item }) => [streamed ?? [], item ?? []].flat());
      return [defaultMessage, ...media.values(), ...others];
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
    return operationsOf(document, item).map((operation) => {
      const serverPath = toServerPath(operation.object, item, document);
      return { ...operation, path, serverPath, item };
    });
  });
  const ids = nameOperations(found.map((source) => ({ ...source, operationId: source.object.operationId })));
  // Of paths that differ only in parameter names, the first one by the alphabet stays: here it is set last.
  const fromLastPath = found.toSorted((one, other) => (one.path < other.path ? 1 : -1));
  // A setting may give all operations one prefix: paths must differ without their servers, too.
  const pathsByRequestKey = [toRequestKey, toKeyWithServer].map((toKey) => {
    const pathByKey = new Map(fromLastPath.map((source) => [toKey(source), source.path]));
    return (source: Located): string | undefined => pathByKey.get(toKey(source));
  });
  const operations = found.flatMap((one, index) => {
    const keptPath = pathsByRequestKey.map((findPath) => findPath(one)).find((path) => path !== one.path);
    const source = { ...one, id: String(ids[index]), keptPath, readReplies };
    const read = (own: DocumentErrors): Operation => readOperation(document, source, own);
    return errors.attemptFor(`${one.name} ${one.path}`, read, source.object) ?? [];
  });
  // The place of such an error tells more: it may be in the document itself.
  for (const { users } of errors.all) if (users.size === found.length) users.clear();
  return operations;
}

type Located = Pick<Operation, 'method' | 'path' | 'serverPath'>;

/**
 * The method, the path of the server and the path without parameter names: equal for operations that match the same requests.
 *
 * @example toKeyWithServer({ method: 'GET', serverPath: '/v1', path: '/plants/{id}' }) // 'GET /v1/plants/{}'
 */
export function toKeyWithServer({ method, path, serverPath }: Located): string {
  return toRequestKey({ method, path: serverPath + path });
}

interface OperationSource extends PathOperation, Located {
  readonly id: string;
  readonly item: PathItem;
  readonly keptPath: string | undefined;
  readonly readReplies: ReadReplies;
}

/** Reads one operation. What is wrong with a part of it is added to `errors`, and the other parts are read all the same. */
function readOperation(document: NormalizedDocument, source: OperationSource, errors: DocumentErrors): Operation {
  const { id, path, serverPath, method, item, object, readReplies, problem } = source;
  if (problem !== undefined) throw new DocumentError(object, problem);
  const countBefore = errors.all.length;
  const parameters = readParameters(document, item, object, errors);
  // A parameter that could not be read is reported already: do not report it as missing.
  if (errors.all.length === countBefore) {
    errors.attempt(() => {
      assertPathParameters(document, source, parameters);
    });
  }
  const security = errors.attempt(() => readCredentials(document, object)) ?? [];
  const querystring = errors.attempt(() => readQuerystring(document, source, parameters, security));
  const body = errors.attempt(() => readBodyDeclaration(document, parameters, object, querystring));
  const mayLackBody = body?.isRequired !== true;
  return {
    id,
    object,
    method,
    path,
    serverPath,
    parameters,
    querystring,
    body,
    messageWithoutBody: mayLackBody ? toRequestMessage(document, parameters, undefined, querystring) : undefined,
    replies: readReplies(object, method, errors),
    security,
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
