import { bodyOf } from '../oracle/body';
import { isJsonObject, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { findName, nounOf } from './names';
import { readPath } from './path-template';
import type { Resource } from './resources';
import { evaluate, partOf, type Told } from './runtime-expression';

/** The id of what an exchange made: by what is declared, by `Location`, or by what the body has beside. */
export function findId({ path, key, ids }: Resource, told: Told, base: URL): Json | undefined {
  const [value] = ids.map((expression) => evaluate(expression, told)).filter((one) => one !== undefined);
  if (value !== undefined) return value;
  const location = targetOf(told, base);
  const inLocation = location === undefined ? undefined : readPath(path, location.split('?', 1).join())?.get(key);
  if (inLocation !== undefined) return inLocation;
  const body = bodyOf(told.reply);
  if (!isJsonObject(body)) return undefined;
  const name = findName(Object.keys(body), key, nounOf(path.slice(0, path.lastIndexOf('/{'))));
  return name === undefined ? undefined : body[name];
}

/** The target that `Location` leads to, behind the base URL's own path; undefined where there is none, or it leads elsewhere. */
export function targetOf({ request, reply }: Told, { origin, pathname }: URL): string | undefined {
  const [location] = valuesOf(reply, 'location');
  const prefix = pathname.replace(/\/$/, '');
  const url = location === undefined ? null : URL.parse(location, `${origin}${prefix}${request.target}`);
  return url?.origin === origin && url.pathname.startsWith(prefix)
    ? `${url.pathname.slice(prefix.length)}${url.search}`
    : undefined;
}

/** The ids that a body chooses, by where the contract has them in requests. */
export function chosenIds(ids: readonly string[], body: Json | undefined): Json[] {
  return ids
    .filter((source) => source.startsWith(IN_REQUEST))
    .map((source) => partOf(body, source.slice(IN_REQUEST.length)))
    .filter((id) => id !== undefined);
}

const IN_REQUEST = '$request.body';
