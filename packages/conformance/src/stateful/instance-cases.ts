// Derives the cases of an operation on an existing instance, and directs them to other instances.
import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import { createAuthCases } from '../generators/auth';
import { createMediaCases } from '../generators/media';
import { createNegativeCases } from '../generators/negative';
import { createParameterCases } from '../generators/parameter';
import { createPositiveCases } from '../generators/positive';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { LinkedOperation } from './link-operation';

/**
 * Derives the cases of an operation that need an existing instance: valid requests, and requests that are invalid in
 * anything but the ids. Other cases, such as wrong credentials, have the same reply with and without an instance.
 */
export function deriveCasesOnInstance(
  { contract: { untried } }: Model,
  values: Values,
  { operation, origins }: LinkedOperation,
): Case[] {
  const idPointers = new Set([...origins.keys()].map(({ pointer }) => pointer));
  const derived = [
    createPositiveCases,
    createNegativeCases,
    createParameterCases,
    createMediaCases,
    createAcceptedAuthCases,
  ].flatMap((generate) => untried.attempt(() => generate(values, operation), []));
  const isAboutId = ({ class: name, pointer }: Case): boolean => name === 'parameter' && idPointers.has(pointer);
  // A request with an obstacle may be invalid: the suite could make no valid value for a part of it.
  const isValid = ({ expect, request }: Case): boolean => expect === 'accepted' && request.obstacle === undefined;
  return derived
    .filter((testCase) => !isAboutId(testCase) && (testCase.expect === 'refused' || isValid(testCase)))
    .map((testCase) => ({ ...testCase, label: `of one that is there, ${testCase.label}` }));
}

function createAcceptedAuthCases(values: Values, operation: Operation): Case[] {
  return createAuthCases(values, operation).filter(({ expect }) => expect === 'accepted');
}

/**
 * Replaces the path and the entity tag in `If-Match`, where the request has those of its instance.
 *
 * @param from the default request of the operation on the instance that the request is for
 * @param to the default request of the operation on the other instance
 */
export function redirectToInstance(request: WireRequest, from: WireRequest, to: WireRequest): WireRequest {
  const [oldPath = ''] = from.target.split('?', 1);
  const [newPath = ''] = to.target.split('?', 1);
  const oldEtag = ifMatchOf(from);
  const newEtag = ifMatchOf(to);
  const { target, headers } = request;
  return {
    ...request,
    target: target.startsWith(oldPath) ? `${newPath}${target.slice(oldPath.length)}` : target,
    headers: headers.map(([name, value]) => [
      name,
      isIfMatchName(name) && value === oldEtag ? (newEtag ?? value) : value,
    ]),
  };
}

function ifMatchOf({ headers }: WireRequest): string | undefined {
  return headers.find(([name]) => isIfMatchName(name))?.[1];
}

function isIfMatchName(name: string): boolean {
  return name.toLowerCase() === 'if-match';
}
