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
import { pathsOf, resolvePathItem } from '../document/path-item';
import { toRequestMessage, type Message } from './message';
import type { Mistakes } from '../document/mistake';
import { nameOperations } from './operation-id';
import type { Parameter } from './parameter';
import { readParameters } from './parameters';
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

/**
 * Whether an operation may be called without credentials.
 *
 * @example operations.filter(isPublic).map(({ id }) => id) // ['listBooks']
 */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((alternative) => alternative.length === 0);
}

/** The messages that the validator compiles: the requests and replies of an operation, one for each media type. */
export function messagesOf({ bare, body, replies }: Operation): { requests: Message[]; replies: Message[] } {
  return {
    requests: [...(bare ? [bare] : []), ...(body?.media.values() ?? [])],
    replies: [...replies.values()].flatMap(({ usual, media }) => {
      const streamed = [...media.values()].flatMap((one) => one.streamed ?? []);
      return [usual, ...media.values(), ...streamed];
    }),
  };
}

/** Reads the operations of a contract in plain words, and adds what is wrong with them to `mistakes`. */
export function readEach(document: Document, mistakes: Mistakes): Operation[] {
  const readReplies = createRepliesReader(document);
  const sources = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    const item = mistakes.attempt(() => resolvePathItem(document, node)) ?? {};
    const methods = Object.entries(item).filter(([method]) => METHODS.has(method)) as [string, OperationObject][];
    return methods.map(([method, object]) => ({ path, method: method.toUpperCase(), item, object }));
  });
  const ids = nameOperations(sources.map((source) => ({ ...source, written: source.object.operationId })));
  // Of operations with the same requests, the one with the least path is right.
  const sorted = sources.toSorted((one, other) => (one.path < other.path ? 1 : -1));
  const right = new Map(sorted.map((source) => [toRequestKey(source), source.path]));
  return sources.flatMap((source, index) => {
    const named = { ...source, id: String(ids[index]), twin: right.get(toRequestKey(source)), readReplies };
    return mistakes.attempt(() => readOperation(document, named, mistakes)) ?? [];
  });
}

interface OperationSource {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly item: PathItem;
  readonly object: OperationObject;
  readonly twin: string | undefined;
  readonly readReplies: ReadReplies;
}

function readOperation(document: Document, source: OperationSource, mistakes: Mistakes): Operation {
  const { id, path, method, item, object, readReplies } = source;
  const before = mistakes.all.length;
  const parameters = readParameters(document, item, object, mistakes);
  // A parameter that could not be read is reported already: do not report it as missing.
  if (mistakes.all.length === before) {
    mistakes.attempt(() => {
      assertPathParameters(document, source, parameters);
    });
  }
  const body = mistakes.attempt(() => readBodyDeclaration(document, parameters, object));
  const security = mistakes.attempt(() => readCredentials(document, object));
  return {
    id,
    object,
    method,
    path,
    parameters,
    body,
    bare: body?.isRequired === true ? undefined : toRequestMessage(document, parameters, undefined),
    replies: readReplies(object, mistakes),
    security: security ?? [],
  };
}
