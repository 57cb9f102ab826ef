// Cases of methods that a path does not have.
import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validCredentials } from './credentials';
import { validRequest } from './valid-request';

// The standard methods, and two that few servers know.
const TRIED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/** A method that the path does not have must get a 405, whose Allow lists those it has (RFC 9110 section 15.5.6). */
export function createMethodCases(values: Values, operation: Operation, { operations, paths }: Model): Case[] {
  const allowed = [...paths].flatMap(([path, methods]) => (isSamePath(path, operation.path) ? methods : []));
  // A path with GET may also support HEAD (RFC 9110 section 9.1).
  const mayHave = (method: string): boolean =>
    allowed.includes(method) || (method === 'HEAD' && allowed.includes('GET'));
  const request = validRequest(values, operation, {
    credentials: validCredentials(operation.alternatives[0] ?? []),
    body: undefined,
  });
  const pathPointer = operation.pointer.slice(0, operation.pointer.lastIndexOf('/'));
  const refusedCases = TRIED_METHODS.filter((method) => !mayHave(method)).map((method): Case => ({
    operation: operation.id,
    class: 'method',
    pointer: pathPointer,
    label: method,
    request: { ...request, method },
    expect: 'unknown method',
    // A proxy may answer TRACE itself (RFC 9110 section 9.3.8).
    ...(method === 'TRACE' && { level: 'robust' }),
    allow: allowed,
  }));
  // OPTIONS * is about the whole server, so only the first operation of the contract gets that case.
  return operation === operations[0] ? [...refusedCases, createServerOptionsCase(operation)] : refusedCases;
}

const PATH_PARAMETER = /\{[^}]*\}/g;

// Paths that differ only in the names of their parameters match the same requests.
function isSamePath(path: string, other: string): boolean {
  return path.replace(PATH_PARAMETER, '{}') === other.replace(PATH_PARAMETER, '{}');
}

/** `OPTIONS *` asks what the whole server supports (RFC 9110 section 9.3.7): any reply that is no failure is right. */
function createServerOptionsCase({ id }: Operation): Case {
  return {
    operation: id,
    class: 'method',
    pointer: '#/paths',
    label: 'OPTIONS * (RFC 9110 9.3.7)',
    request: {
      method: 'OPTIONS',
      target: '*',
      headers: [],
      // Targets are sent behind the path of the base URL: replace the whole target, which is * alone.
      bend: (head) => head.replace(/ \S+/, ' *'),
    },
    expect: 'answered',
  };
}
