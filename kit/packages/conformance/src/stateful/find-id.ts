// Finds an instance's id in the exchange that created it, using the names that the contract gives the id.
import { jsonBodyOf } from '../oracle/body';
import { isJsonObject, objectOrEmpty, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { prefixOf, type OtherServer, type WireRequest } from '../wire/request';
import { normalizeName } from '../contract/paging';
import { collectionOf, readPath } from '../contract/path-template';
import { extendPointer, unescapeKey } from '../contract/pointer';
import type { Schema } from '../contract/schema';
import { evaluate, resolveFragment, type RequestAndReply } from './runtime-expression';

/** A resource with an id in its path, such as `/books/{bookId}`. */
export interface ResourceWithId {
  readonly path: string;
  readonly idParameter: string;
  /** Runtime expressions that find the id in the creating exchange, such as `$response.body#/id`. */
  readonly idExpressions: readonly string[];
}

/** Tries the resource's expressions, then `Location`, and then the best-named property in the reply. */
export function findId(
  { path, idParameter, idExpressions }: ResourceWithId,
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
  return candidates.find((id) => isPathSegment(id));
}

/** Whether an id can be a path segment, unlike `.` and `..`, which would be removed (RFC 3986 section 5.2.4). */
function isPathSegment(id: Json | undefined): boolean {
  return ['string', 'bigint', 'number'].includes(typeof id) && !['', '.', '..'].includes(toText(id));
}

/** Returns `Location`'s path and query relative to the operation's server; undefined if absent or leading elsewhere. */
export function locationOf(
  { request, reply }: Pick<RequestAndReply, 'request' | 'reply'>,
  base: URL,
  server: OtherServer | undefined,
): string | undefined {
  const [location] = valuesOf(reply, 'location');
  return location === undefined ? undefined : resolveTarget(base, location, request, server);
}

const IN_REQUEST_BODY = '$request.body';

/** Returns the ids that the client chose in this body; an empty list if the server chooses the id. */
export function findChosenIds(body: Json | undefined, idExpressions: readonly string[]): Json[] {
  return idExpressions
    .filter((expression) => expression.startsWith(IN_REQUEST_BODY))
    .map((expression) => resolveFragment(body, expression.slice(IN_REQUEST_BODY.length)))
    .filter((id) => id !== undefined);
}

/** Returns a copy of the body with this id, if clients choose the id. */
export function replaceChosenId(body: Json, idExpressions: readonly string[], id: Json): Json {
  const copy = structuredClone(body);
  for (const expression of idExpressions.filter((candidate) => candidate.startsWith(IN_REQUEST_BODY))) {
    const [, outer = '', key = ''] = /^(.*)\/(.*)$/s.exec(expression.slice(IN_REQUEST_BODY.length)) ?? [];
    const object = resolveFragment(copy, outer);
    const name = unescapeKey(key);
    if (isJsonObject(object) && typeof object[name] === typeof id) Object.assign(object, { [name]: id });
  }
  return copy;
}

/** Resolves a link such as `?page=2` to a path and query relative to the server; undefined if it leads elsewhere. */
export function resolveTarget(
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

// `/v1` and `/v1/books` are below `/v1`, but `/v10/books` is not.
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Returns `book` for `/books`, from the last segment without a parameter. */
export function nounOf(collection: string): string {
  return toSingular(normalizeName(collection.split('/').findLast((part) => part !== '' && !part.includes('{')) ?? ''));
}

/** Returns JSON pointers to ids, such as `#/id`, or `#/data/id` in an envelope. */
export function findIdPointers(
  schema: Schema,
  listProperties: (schema: Schema) => Map<string, Schema>,
  idParameter: string,
  noun: string,
): string[] {
  const properties = listProperties(schema);
  const ownIdName = findIdName([...properties.keys()], idParameter, noun);
  if (ownIdName !== undefined) return [extendPointer('#', ownIdName)];
  return [...properties].flatMap(([outerName, inner]) => {
    const innerName = findIdName([...listProperties(inner).keys()], idParameter, noun);
    const isEnvelope = properties.size === 1 || ['data', 'result', noun].includes(normalizeName(outerName));
    return innerName !== undefined && isEnvelope ? [extendPointer('#', outerName, innerName)] : [];
  });
}

/** Finds the name that means the same as the path parameter; `noun` is `book` for `/books/{id}`. */
export function findIdName(names: readonly string[], idParameter: string, noun: string): string | undefined {
  const parameterName = normalizeName(idParameter);
  return (
    names.find((name) => name === idParameter) ??
    // `book_id` for `{bookId}`.
    names.find((name) => normalizeName(name) === parameterName) ??
    // `id` for `{bookId}`.
    names.find((name) => parameterName.endsWith(` ${normalizeName(name)}`)) ??
    // `bookId` for `{id}`.
    names.find((name) => normalizeName(name) === `${noun} ${parameterName}`) ??
    // `id` for `{book}`.
    names.find((name) => parameterName === noun && /^(?:id|uuid|key)$/i.test(name))
  );
}

// Returns `category` for `categories`, `box` for `boxes`, and `glass` unchanged.
function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
