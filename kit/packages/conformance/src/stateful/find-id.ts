// Finds the id of an instance: the names that mean it in a contract, and its value in the exchange that created it.
import { jsonBodyOf } from '../oracle/body';
import { isJsonObject, objectOrEmpty, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { prefixOf, type OtherServer, type WireRequest } from '../wire/request';
import { normalizeName } from '../contract/paging';
import { collectionOf, readPath } from '../contract/path-template';
import { extendPointer, unescapeKey } from '../contract/pointer';
import type { Schema } from '../contract/schema';
import { evaluate, resolveFragment, type RequestAndReply } from './runtime-expression';

/** What has an id in its path, such as `/books/{bookId}`. */
export interface Identified {
  readonly path: string;
  readonly idParameter: string;
  /** The runtime expressions of the id, such as `$response.body#/id`, in the reply that created it or its request. */
  readonly idExpressions: readonly string[];
}

/**
 * Finds the id of an instance from the request and reply that created it: by the expressions of its resource (from the
 * contract), else by the `Location` header, else by the property of the reply whose name fits best: the contract need not
 * declare it. Undefined if none has an id.
 *
 * @param base the URL of the server, which precedes every path
 */
export function findId(
  { path, idParameter, idExpressions }: Identified,
  exchange: RequestAndReply,
  base: URL,
): Json | undefined {
  const [location] = locationOf(exchange, base, exchange.request.server)?.split('?', 1) ?? [];
  const replyMembers = objectOrEmpty(jsonBodyOf(exchange.reply));
  const idProperty = findIdName(Object.keys(replyMembers), idParameter, nounOf(collectionOf(path)));
  const candidates = [
    ...idExpressions.map((expression) => evaluate(expression, exchange)),
    location === undefined ? undefined : readPath(path, location)?.get(idParameter),
    idProperty === undefined ? undefined : replyMembers[idProperty],
  ];
  return candidates.find((id) => isUsableInPath(id));
}

/** Whether a value can be the id in a path; a segment `.` or `..` would be removed (RFC 3986 section 5.2.4). */
function isUsableInPath(id: Json | undefined): boolean {
  return ['string', 'bigint', 'number'].includes(typeof id) && !['', '.', '..'].includes(toText(id));
}

/** Path and query of `Location`, below the server of an operation; undefined without it, or when it leads elsewhere. */
export function locationOf(
  { request, reply }: Pick<RequestAndReply, 'request' | 'reply'>,
  base: URL,
  server: OtherServer | undefined,
): string | undefined {
  const [location] = valuesOf(reply, 'location');
  return location === undefined ? undefined : toTargetBelow(base, location, request, server);
}

const IN_REQUEST_BODY = '$request.body';

/** The ids that a request body has itself, since its client chooses them; empty where the server does. */
export function idsChosenByClient(body: Json | undefined, idExpressions: readonly string[]): Json[] {
  return idExpressions
    .filter((expression) => expression.startsWith(IN_REQUEST_BODY))
    .map((expression) => resolveFragment(body, expression.slice(IN_REQUEST_BODY.length)))
    .filter((id) => id !== undefined);
}

/** Copies a request body with the id of an instance, where its client chooses it. */
export function withChosenId(body: Json, idExpressions: readonly string[], id: Json): Json {
  const copy = structuredClone(body);
  for (const expression of idExpressions.filter((each) => each.startsWith(IN_REQUEST_BODY))) {
    const [, outer = '', key = ''] = /^(.*)\/(.*)$/s.exec(expression.slice(IN_REQUEST_BODY.length)) ?? [];
    const object = resolveFragment(copy, outer);
    const name = unescapeKey(key);
    if (isJsonObject(object) && typeof object[name] === typeof id) Object.assign(object, { [name]: id });
  }
  return copy;
}

/**
 * Returns the path and query of a link, below the server of an operation; undefined when it leads elsewhere.
 *
 * @param link an absolute or relative URL reference, such as `/v1/books?page=2` or `?page=2`
 */
export function toTargetBelow(
  base: URL,
  link: string,
  request: Pick<WireRequest, 'server' | 'target'>,
  server: OtherServer | undefined,
): string | undefined {
  const prefix = prefixOf({ server }, base);
  const url = URL.parse(link, `${base.origin}${prefixOf(request, base)}${request.target}`);
  if (url?.origin !== base.origin || !isBelow(url.pathname, prefix)) return undefined;
  return `${url.pathname.slice(prefix.length)}${url.search}`;
}

// `/v1` and `/v1/books` are below `/v1`, `/v10/books` is not.
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The singular name of a collection's items, from its last segment without a parameter: `book` for `/books`. */
export function nounOf(collection: string): string {
  return toSingular(normalizeName(collection.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? ''));
}

/**
 * Finds the property of a body that holds the id: in the object itself, or else in an envelope (an object around it),
 * such as `{ "data": { "id": 1 } }`.
 *
 * @param propertiesIn the properties of a schema: those of requests, or those of replies
 * @returns JSON pointers such as `#/id` or `#/data/id`
 */
export function findIdPointers(
  schema: Schema,
  propertiesIn: (schema: Schema) => Map<string, Schema>,
  idParameter: string,
  noun: string,
): string[] {
  const properties = propertiesIn(schema);
  const ownName = findIdName([...properties.keys()], idParameter, noun);
  if (ownName !== undefined) return [extendPointer('#', ownName)];
  return [...properties].flatMap(([outerName, inner]) => {
    const innerName = findIdName([...propertiesIn(inner).keys()], idParameter, noun);
    const isEnvelope = properties.size === 1 || ['data', 'result', noun].includes(normalizeName(outerName));
    return innerName !== undefined && isEnvelope ? [extendPointer('#', outerName, innerName)] : [];
  });
}

/** The property name that means the same as a path parameter with an id; `noun` is `book` for `/books/{id}`. */
export function findIdName(names: readonly string[], idParameter: string, noun: string): string | undefined {
  const wanted = normalizeName(idParameter);
  return (
    names.find((name) => name === idParameter) ??
    // `book_id` for `{bookId}`.
    names.find((name) => normalizeName(name) === wanted) ??
    // `id` for `{bookId}`.
    names.find((name) => wanted.endsWith(` ${normalizeName(name)}`)) ??
    // `bookId` for `{id}`.
    names.find((name) => normalizeName(name) === `${noun} ${wanted}`) ??
    // `id` for `{book}`.
    names.find((name) => wanted === noun && /^(?:id|uuid|key)$/i.test(name))
  );
}

// Returns the singular of a regular English plural: `category` for `categories`, `box` for `boxes`, `glass` unchanged.
function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
