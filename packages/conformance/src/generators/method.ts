// Cases of methods that a path does not have.
import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { credentialsFor, validRequest } from './valid-request';

const NAME = /\{[^}]*\}/g;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/**
 * Creates a case for every method that a path does not have: the reply must be 405, and Allow must list the methods of
 * the path (RFC 9110 section 15.5.6). A path with GET may also support HEAD (section 9.1), so that is not tried.
 */
export function createMethodCases(values: Values, operation: Operation, { operations, paths }: Model): Case[] {
  const allow = [...paths].flatMap(([path, methods]) => (isSamePath(path, operation.path) ? methods : []));
  const request = validRequest(values, operation, {
    credentials: credentialsFor(operation.alternatives[0] ?? []),
    body: undefined,
  });
  const pointer = operation.pointer.slice(0, operation.pointer.lastIndexOf('/'));
  const unsupported = METHODS.filter((one) => !allow.includes(one) && !(one === 'HEAD' && allow.includes('GET'))).map(
    (one): Case => ({
      operation: operation.id,
      class: 'method',
      pointer,
      label: one,
      covers: [],
      request: { ...request, method: one },
      expect: 'unknown method',
      // A proxy may answer TRACE itself (RFC 9110 section 9.3.8).
      ...(one === 'TRACE' && { level: 'robust' }),
      allow,
    }),
  );
  // OPTIONS * is about the whole server, so only the first operation of the contract gets that case.
  return operation === operations[0] ? [...unsupported, createServerOptionsCase(operation)] : unsupported;
}

// Paths that differ only in the names of their parameters match the same requests.
function isSamePath(path: string, other: string): boolean {
  return path.replace(NAME, '{}') === other.replace(NAME, '{}');
}

function createServerOptionsCase({ id }: Operation): Case {
  return {
    operation: id,
    class: 'method',
    pointer: '#/paths',
    label: 'OPTIONS * (RFC 9110 9.3.7)',
    covers: [],
    request: {
      method: 'OPTIONS',
      target: '*',
      headers: [],
      // The target is * even if the base URL has a path.
      bend: (head) => head.replace(/ \S+/, ' *'),
    },
    expect: 'answered',
  };
}
