import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import { createAuthCases } from '../generators/auth';
import { createMediaCases } from '../generators/media';
import { createNegativeCases } from '../generators/negative';
import { createParameterCases } from '../generators/parameter';
import { createPositiveCases } from '../generators/positive';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { Link } from './links';

/**
 * Derives the cases of an operation that need an existing thing: valid requests, and requests that are invalid in
 * anything but the ids. All other cases have the same reply without one.
 *
 * @param values with the ids of that thing
 */
export function deriveCasesOfThing(
  { contract: { untried } }: Model,
  values: Values,
  { operation, origins }: Link,
): Case[] {
  const bound = new Set([...origins.keys()].map(({ pointer }) => pointer));
  const derived = [
    createPositiveCases,
    createNegativeCases,
    createParameterCases,
    createMediaCases,
    createAcceptedAuthCases,
  ].flatMap((generate) => untried.attempt(() => generate(values, operation), []));
  return derived
    .filter(({ class: name, pointer }) => name !== 'parameter' || !bound.has(pointer))
    .filter(({ expect, request }) => expect === 'refused' || (expect === 'accepted' && request.obstacle === undefined))
    .map((testCase) => ({ ...testCase, label: `of one that is there, ${testCase.label}` }));
}

// Wrong credentials are refused whether the thing exists or not.
function createAcceptedAuthCases(values: Values, operation: Operation): Case[] {
  return createAuthCases(values, operation).filter(({ expect }) => expect === 'accepted');
}

/**
 * Changes the ids and the entity tag of a request to those of another thing.
 *
 * @param from a default request of the operation about the present thing
 * @param to a default request about the other thing
 */
export function retarget(request: WireRequest, from: WireRequest, to: WireRequest): WireRequest {
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
