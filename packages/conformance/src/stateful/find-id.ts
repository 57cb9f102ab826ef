import { bodyOf } from '../oracle/body';
import { isJsonObject, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { findName, nounOf } from './names';
import { readPath } from './path-template';
import type { Resource } from './resources';
import { evaluate, type Told } from './runtime-expression';

/** The id of what an exchange made: by what is declared, by `Location`, or by what the body has beside. */
export function findId({ path, key, ids }: Resource, told: Told, base: URL): Json | undefined {
  const [value] = ids.map((expression) => evaluate(expression, told)).filter((one) => one !== undefined);
  if (value !== undefined) return value;
  const location = targetOf(told, base);
  const inLocation = location === undefined ? undefined : readPath(path, location)?.get(key);
  if (inLocation !== undefined) return inLocation;
  const body = bodyOf(told.reply);
  if (!isJsonObject(body)) return undefined;
  const name = findName(Object.keys(body), key, nounOf(path.slice(0, path.lastIndexOf('/{'))));
  return name === undefined ? undefined : body[name];
}

/** The path of `Location` behind the base URL's own; undefined where there is none, or it leads elsewhere. */
export function targetOf({ request, reply }: Told, { origin, pathname }: URL): string | undefined {
  const [location] = valuesOf(reply, 'location');
  const prefix = pathname.replace(/\/$/, '');
  const url = location === undefined ? null : URL.parse(location, `${origin}${prefix}${request.target}`);
  return url?.origin === origin && url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : undefined;
}
