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
  /** The name of its handler, which is the operationId or derived from the method and path. */
  readonly id: string;
  readonly object: OperationObject;
  readonly method: string;
  readonly path: string;
  /** The path of its first server. It is the prefix of `path`, unless the service sets another prefix. */
  readonly serverPath: string;
  readonly parameters: readonly Parameter[];
  readonly querystring: Querystring | undefined;
  readonly body: DeclaredBody | undefined;
  /** The message for a request without a body; undefined if a body is required. */
  readonly messageWithoutBody: MessageSchema | undefined;
  readonly replies: ReadonlyMap<ReplyKey, DeclaredReply>;
  /** The alternatives, each as the credentials that a request needs together. */
  readonly security: readonly (readonly Credentials[])[];
}

/**
 * Whether an operation can be called without credentials.
 *
 * @example operations.filter(isPublic).map(({ id }) => id) // ['listBooks']
 */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((alternative) => alternative.length === 0);
}

/**
 * Lists the messages whose schemas the validator compiles.
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
 * Reads the operations of a normalized document, and adds their errors to `errors`.
 *
 * @example const webhooks = readAllOperations({ ...document, paths: document.webhooks }, new DocumentErrors())
 */
export function readAllOperations(document: NormalizedDocument, errors: DocumentErrors): Operation[] {
  const readReplies = createRepliesReader(document);
  const entries = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    const item = errors.attempt(() => resolvePathItem(document, node)) ?? {};
    return operationsOf(document, item).map((operation) => {
      const serverPath = toServerPath(operation.object, item, document);
      return { ...operation, path, serverPath, item };
    });
  });
  const ids = nameOperations(entries.map((source) => ({ ...source, operationId: source.object.operationId })));
  // If paths differ only in parameter names, the alphabetically first one is kept, because the map gets it last.
  const operationsFromLastPath = entries.toSorted((left, right) => (left.path < right.path ? 1 : -1));
  // Paths must also differ without their servers, because a setting can give all operations the same prefix.
  const pathsByRequestKey = [toRequestKey, toKeyWithServer].map((toKey) => {
    const pathByKey = new Map(operationsFromLastPath.map((source) => [toKey(source), source.path]));
    return (source: RequestLocation): string | undefined => pathByKey.get(toKey(source));
  });
  const operations = entries.flatMap((located, index) => {
    const keptPath = pathsByRequestKey.map((findPath) => findPath(located)).find((path) => path !== located.path);
    const source = { ...located, id: String(ids[index]), keptPath, readReplies };
    const read = (operationErrors: DocumentErrors): Operation => readOperation(document, source, operationErrors);
    return errors.attemptFor(`${located.name} ${located.path}`, read, source.object) ?? [];
  });
  // If an error affects all operations, they are not listed.
  for (const { users } of errors.all) if (users.size === entries.length) users.clear();
  return operations;
}

type RequestLocation = Pick<Operation, 'method' | 'path' | 'serverPath'>;

/**
 * Returns the method and the prefixed path without parameter names, so that operations for the same requests have equal keys.
 *
 * @example toKeyWithServer({ method: 'GET', serverPath: '/v1', path: '/plants/{id}' }) // 'GET /v1/plants/{}'
 */
export function toKeyWithServer({ method, path, serverPath }: RequestLocation): string {
  return toRequestKey({ method, path: serverPath + path });
}

interface OperationSource extends PathOperation, RequestLocation {
  readonly id: string;
  readonly item: PathItem;
  readonly keptPath: string | undefined;
  readonly readReplies: ReadReplies;
}

/** Reads one operation. If a part has errors, it adds them to `errors` and continues with the other parts. */
function readOperation(document: NormalizedDocument, source: OperationSource, errors: DocumentErrors): Operation {
  const { id, path, serverPath, method, item, object, readReplies, problem } = source;
  if (problem !== undefined) throw new DocumentError(object, problem);
  const countBefore = errors.all.length;
  const parameters = readParameters(document, item, object, errors);
  // A parameter that could not be read must not be reported as missing.
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
 * Lists the scopes that operations require, without duplicates.
 *
 * @example listScopes(contract.operations) // ['pets:read', 'pets:write']
 */
export function listScopes(operations: readonly Pick<Operation, 'security'>[]): string[] {
  return [...new Set(operations.flatMap(({ security }) => security.flat().flatMap(({ scopes }) => scopes)))];
}

/**
 * Returns a log field that lists the operations without credentials, or no field if there are none.
 *
 * @example listPublic(operations) // { public: ['listBooks'] }
 */
export function listPublic(operations: readonly Operation[]): { readonly public?: 'all operations' | string[] } {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return {};
  const areAllPublic = names.length === operations.length;
  return { public: areAllPublic ? 'all operations' : names };
}

/**
 * Returns a log field that lists the operations that `generate --keep-going` left out, or no field if there are none.
 *
 * @example log.info({ ...listNotServed(document) })
 */
export function listNotServed(document: object): { readonly notServed?: unknown } {
  return 'x-not-served' in document ? { notServed: document['x-not-served'] } : {};
}
