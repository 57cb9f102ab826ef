import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import { auth } from '../generators/auth';
import { media } from '../generators/media';
import { negative } from '../generators/negative';
import { parameter } from '../generators/parameter';
import { positive } from '../generators/positive';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { Link } from './links';

/**
 * The cases of an operation that say more of one that is there: its right requests, and what is wrong with anything but
 * the ids. The others say the same of any.
 *
 * @param values with which the operation is about that one
 */
export function deriveMade({ contract: { untried } }: Model, values: Values, { operation, origins }: Link): Case[] {
  const bound = new Set([...origins.keys()].map(({ pointer }) => pointer));
  const derived = [positive, negative, parameter, media, onlyRight].flatMap((generate) =>
    untried.attempt(() => generate(values, operation), []),
  );
  return derived
    .filter(({ class: name, pointer }) => name !== 'parameter' || !bound.has(pointer))
    .filter(({ expect, request }) => expect === 'refused' || (expect === 'accepted' && request.obstacle === undefined))
    .map((one) => ({ ...one, label: `of one that is there, ${one.label}` }));
}

// Who may not call is refused whatever there is.
function onlyRight(values: Values, operation: Operation): Case[] {
  return auth(values, operation).filter(({ expect }) => expect === 'accepted');
}

/**
 * A request about another one.
 *
 * @param from a plain request of the operation about the one that the request is about now
 * @param to the same about the other one
 */
export function redirect(request: WireRequest, from: WireRequest, to: WireRequest): WireRequest {
  const [old = ''] = from.target.split('?', 1);
  const [path = ''] = to.target.split('?', 1);
  const tags = [from, to].map(({ headers }) => headers.find(isIfMatch)?.[1]);
  return {
    ...request,
    target: request.target.startsWith(old) ? `${path}${request.target.slice(old.length)}` : request.target,
    headers: request.headers.map((header) =>
      isIfMatch(header) && header[1] === tags[0] ? [header[0], tags[1] ?? header[1]] : header,
    ),
  };
}

function isIfMatch([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === 'if-match';
}
