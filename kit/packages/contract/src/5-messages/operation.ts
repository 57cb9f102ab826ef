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

/** An operation as the kit serves it. */
export interface Operation {
  /** The name of its handler: the operationId, or a name derived from method and path. */
  readonly id: string;
  readonly object: OperationObject;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path as written in the contract. */
  readonly path: string;
  /** The path of its first server, which is the prefix of `path` unless the service sets another. */
  readonly serverPath: string;
  readonly parameters: readonly Parameter[];
  /** The parameter in querystring, if there is one. */
  readonly querystring: Querystring | undefined;
  readonly body: DeclaredBody | undefined;
  /** The message of a request without a body; undefined if a body is required. */
  readonly messageWithoutBody: MessageSchema | undefined;
  readonly replies: ReadonlyMap<ReplyKey, DeclaredReply>;
  /** The alternatives, each with the credentials that are needed together. */
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
 * Lists the messages for which the validator compiles a schema.
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
      const variants = [...media.values()].flatMap(({ streamed, item }) => [streamed ?? [], item ?? []].flat());
      return [defaultMessage, ...media.values(), ...variants];
    }),
  };
}

/**
 * Reads the operations in the paths of a normalized document, and adds its errors to `errors`.
 *
 * @example const webhooks = readAllOperations({ ...document, paths: document.webhooks }, new DocumentErrors())
 */
export function readAllOperations(document: NormalizedDocument, errors: DocumentErrors): Operation[] {
  const readReplies = createRepliesReader(document);
  const sources = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    const item = errors.attempt(() => resolvePathItem(document, node)) ?? {};
    return operationsOf(document, item).map((operation) => {
      const serverPath = toServerPath(operation.object, item, document);
      return { ...operation, path, serverPath, item };
    });
  });
  const ids = nameOperations(sources.map((source) => ({ ...source, operationId: source.object.operationId })));
  // If paths differ only in parameter names, the alphabetically first is kept, because it is added to the map last.
  const fromLastPath = sources.toSorted((left, right) => (left.path < right.path ? 1 : -1));
  // Paths must also differ without their servers, because a setting may give all operations the same prefix.
  const pathsByRequestKey = [toRequestKey, toKeyWithServer].map((toKey) => {
    const pathByKey = new Map(fromLastPath.map((source) => [toKey(source), source.path]));
    return (source: Located): string | undefined => pathByKey.get(toKey(source));
  });
  const operations = sources.flatMap((located, index) => {
    const keptPath = pathsByRequestKey.map((findPath) => findPath(located)).find((path) => path !== located.path);
    const source = { ...located, id: String(ids[index]), keptPath, readReplies };
    const read = (own: DocumentErrors): Operation => readOperation(document, source, own);
    return errors.attemptFor(`${located.name} ${located.path}`, read, source.object) ?? [];
  });
  // If an error affects all operations, its location says enough.
  for (const { users } of errors.all) if (users.size === sources.length) users.clear();
  return operations;
}

type Located = Pick<Operation, 'method' | 'path' | 'serverPath'>;

/**
 * The method and the path with its prefix, without parameter names: equal for operations that match the same requests.
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

/** Reads one operation. It adds the errors of a part to `errors`, and continues with the other parts. */
function readOperation(document: NormalizedDocument, source: OperationSource, errors: DocumentErrors): Operation {
  const { id, path, serverPath, method, item, object, readReplies, problem } = source;
  if (problem !== undefined) throw new DocumentError(object, problem);
  const countBefore = errors.all.length;
  const parameters = readParameters(document, item, object, errors);
  // Do not report a parameter as missing if reading it failed.
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
 * Lists the scopes that operations ask for, without duplicates.
 *
 * @example listScopes(contract.operations) // ['pets:read', 'pets:write']
 */
export function listScopes(operations: readonly Pick<Operation, 'security'>[]): string[] {
  return [...new Set(operations.flatMap(({ security }) => security.flat().flatMap(({ scopes }) => scopes)))];
}

/**
 * The log field for the operations that may be called without credentials; empty if there are none.
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
 * The log field for the operations that `generate --keep-going` left out; empty if there are none.
 *
 * @example log.info({ ...listNotServed(document) })
 */
export function listNotServed(document: object): { readonly notServed?: unknown } {
  return 'x-not-served' in document ? { notServed: document['x-not-served'] } : {};
}
