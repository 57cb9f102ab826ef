import { extendPointer } from '../contract/pointer';
import { bodyOf } from '../oracle/body';
import { isJsonObject, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { findName, nounOf } from './names';
import { readPath } from './path-template';
import type { Resource } from './resources';
import { evaluate, resolveFragment, type Exchanged } from './runtime-expression';

/** Finds the id of a created resource: by the declared expressions, by `Location`, or by a property of the reply. */
export function findId({ path, key, ids }: Resource, exchange: Exchanged, base: URL): Json | undefined {
  const location = locationOf(exchange, base)?.split('?', 1).join();
  const body = bodyOf(exchange.reply);
  const names = isJsonObject(body) ? Object.keys(body) : [];
  const property = findName(names, key, nounOf(path.slice(0, path.lastIndexOf('/{'))));
  const found = [
    ...ids.map((expression) => evaluate(expression, exchange)),
    location === undefined ? undefined : readPath(path, location)?.get(key),
    property === undefined ? undefined : resolveFragment(body, extendPointer('#', property)),
  ];
  return found.find((id) => isId(id));
}

// A segment of dots is removed from the path (RFC 3986 section 5.2.4).
function isId(id: Json | undefined): boolean {
  return ['string', 'bigint', 'number'].includes(typeof id) && !['', '.', '..'].includes(toText(id));
}

/** The path and query of `Location` below the base URL; undefined without `Location`, or for another server. */
export function locationOf({ request, reply }: Exchanged, { origin, pathname }: URL): string | undefined {
  const [location] = valuesOf(reply, 'location');
  const prefix = pathname.replace(/\/$/, '');
  const url = location === undefined ? null : URL.parse(location, `${origin}${prefix}${request.target}`);
  return url?.origin === origin && url.pathname.startsWith(prefix)
    ? `${url.pathname.slice(prefix.length)}${url.search}`
    : undefined;
}

/** The ids that a request body chooses itself. */
export function chosenIds(ids: readonly string[], body: Json | undefined): Json[] {
  return ids
    .filter((source) => source.startsWith(IN_REQUEST))
    .map((source) => resolveFragment(body, source.slice(IN_REQUEST.length)))
    .filter((id) => id !== undefined);
}

const IN_REQUEST = '$request.body';
