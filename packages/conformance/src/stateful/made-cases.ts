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
 * The cases of an operation that say more of one that is there: its right requests, and what is wrong with anything but
 * the ids. The others say the same of any.
 *
 * @param values with which the operation is about that one
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

// Who may not call is refused whatever there is.
function createAcceptedAuthCases(values: Values, operation: Operation): Case[] {
  return createAuthCases(values, operation).filter(({ expect }) => expect === 'accepted');
}

/**
 * A request about another one.
 *
 * @param from a plain request of the operation about the one that the request is about now
 * @param to the same about the other one
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
