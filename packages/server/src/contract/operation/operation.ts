import {
  createRepliesReader,
  readBodyDeclaration,
  type ReadReplies,
  type DeclaredBody,
  type DeclaredReply,
  type ReplyKey,
} from './bodies-and-replies';
import type { Credentials } from './credential-types';
import { readCredentials } from './credentials';
import type { Document, OperationObject, PathItem } from '../document/document';
import { toRequestMessage, type Message } from './message';
import { Mistake, Mistakes } from '../document/mistake';
import type { Parameter } from './parameter';
import { readParameters } from './parameters';
import { assertPathParameters } from './path-template';

/**
 * The keys of a path item that are operations.
 *
 * @example for (const method of METHODS) console.log(item[method])
 */
export const METHODS: ReadonlySet<string> = new Set('get put post delete options head patch trace'.split(' '));

/** One operation of the contract, as the kit serves it. */
export interface Operation {
  /** The operationId, which is also the name of its handler. */
  readonly id: string;
  /** The node of the document. */
  readonly object: OperationObject;
  /** In upper case. */
  readonly method: string;
  /** As the contract spells it. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: DeclaredBody | undefined;
  /** The message of a request without a body; undefined if a body is required. */
  readonly bare: Message | undefined;
  readonly replies: ReadonlyMap<ReplyKey, DeclaredReply>;
  /** Alternatives; each lists the credentials that are needed together. */
  readonly security: readonly (readonly Credentials[])[];
}

/** Whether an operation may be called without credentials. */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((alternative) => alternative.length === 0);
}

/** The messages that the validator compiles: the requests and replies of an operation, one for each media type. */
export function messagesOf({ bare, body, replies }: Operation): { requests: Message[]; replies: Message[] } {
  return {
    requests: [...(bare ? [bare] : []), ...(body?.media.values() ?? [])],
    replies: [...replies.values()].flatMap(({ usual, media }) => [usual, ...media.values()]),
  };
}

/**
 * Reads the operations of a contract, and what is wrong with them.
 *
 * @returns the operations, and every mistake that prevents serving one of them
 * @example const { operations, mistakes } = readOperations(document)
 */
export function readOperations(document: Document): { operations: Operation[]; mistakes: readonly Mistake[] } {
  const mistakes = new Mistakes();
  const operations: Operation[] = [];
  const readReplies = createRepliesReader(document);
  for (const [path, item] of Object.entries(document.paths)) {
    if (item.$ref !== undefined) {
      mistakes.attempt(() => {
        throw new Mistake(item, 'a path by reference is not supported: write its operations here', '$ref');
      });
      continue;
    }
    for (const [method, object] of Object.entries(item) as [string, OperationObject][]) {
      if (!METHODS.has(method)) continue;
      const operation = mistakes.attempt(() =>
        readOperation(document, { path, method, item, object, readReplies }, mistakes),
      );
      if (operation === undefined) continue;
      mistakes.attempt(() => {
        assertNew(operations, operation, object);
      });
      operations.push(operation);
    }
  }
  return { operations, mistakes: mistakes.all };
}

interface OperationSource {
  readonly path: string;
  readonly method: string;
  readonly item: PathItem;
  readonly object: OperationObject;
  readonly readReplies: ReadReplies;
}

function readOperation(document: Document, source: OperationSource, mistakes: Mistakes): Operation {
  const { path, method, item, object, readReplies } = source;
  const id = object.operationId;
  if (id === undefined) throw new Mistake(object, 'has no operationId: write one, which is the name of its handler');
  const before = mistakes.all.length;
  const parameters = readParameters(document, item, object, mistakes);
  // A parameter that could not be read is reported already: do not report it as missing.
  if (mistakes.all.length === before) {
    mistakes.attempt(() => {
      assertPathParameters(path, parameters, document.paths, object);
    });
  }
  const body = mistakes.attempt(() => readBodyDeclaration(document, parameters, object));
  const security = mistakes.attempt(() => readCredentials(document, object));
  return {
    id,
    object,
    method: method.toUpperCase(),
    path,
    parameters,
    body,
    bare: body?.isRequired === true ? undefined : toRequestMessage(document, parameters, undefined),
    replies: readReplies(object, mistakes),
    security: security ?? [],
  };
}

function assertNew(operations: readonly Operation[], { id }: Operation, object: OperationObject): void {
  if (operations.some((other) => other.id === id)) {
    throw new Mistake(object, `the operationId ${id} is there twice: every operation needs its own`, 'operationId');
  }
}
