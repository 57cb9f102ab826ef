// Finds the id of an instance in the request and reply that created it.
import { jsonBodyOf } from '../oracle/body';
import { objectOrEmpty, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { findIdName, nounOf } from './names';
import { collectionOf, readPath } from '../contract/path-template';
import type { Resource } from './resources';
import { evaluate, resolveFragment, type RequestAndReply } from './runtime-expression';

/**
 * Finds the id of an instance from the request and reply that created it: by the expressions of its resource (from the
 * contract), else by the `Location` header, else by the property of the reply whose name fits best: the contract need not
 * declare it. Undefined if none has an id.
 *
 * @param base the URL of the server, which precedes every path
 */
export function findId(
  { path, idParameter, idExpressions }: Resource,
  exchange: RequestAndReply,
  base: URL,
): Json | undefined {
  const [location] = locationOf(exchange, base)?.split('?', 1) ?? [];
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

/** Path and query of `Location`, without the base URL's path; undefined without it, or when it leads elsewhere. */
export function locationOf({ request, reply }: RequestAndReply, base: URL): string | undefined {
  const [location] = valuesOf(reply, 'location');
  return location === undefined ? undefined : toTargetBelow(base, location, request.target);
}

const IN_REQUEST_BODY = '$request.body';

/** The ids that a request body has itself, since its client chooses them; empty where the server does. */
export function idsChosenByClient(body: Json | undefined, idExpressions: readonly string[]): Json[] {
  return idExpressions
    .filter((expression) => expression.startsWith(IN_REQUEST_BODY))
    .map((expression) => resolveFragment(body, expression.slice(IN_REQUEST_BODY.length)))
    .filter((id) => id !== undefined);
}

/**
 * Returns the path and query of a link, without the base URL's path; undefined when it leads out of the base URL.
 *
 * @param link an absolute or relative URL reference, such as `/v1/books?page=2` or `?page=2`
 * @param requestTarget the path and query of the request, without the base URL's path
 */
export function toTargetBelow(base: URL, link: string, requestTarget: string): string | undefined {
  const prefix = base.pathname.replace(/\/$/, '');
  const url = URL.parse(link, `${base.origin}${prefix}${requestTarget}`);
  if (url?.origin !== base.origin || !isBelow(url.pathname, prefix)) return undefined;
  return `${url.pathname.slice(prefix.length)}${url.search}`;
}

// `/v1` and `/v1/books` are below `/v1`, `/v10/books` is not.
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
