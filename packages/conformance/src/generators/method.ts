// Cases of methods that a path does not have.
import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { credentialsFor, validRequest } from './valid-request';

const NAME = /\{[^}]*\}/g;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/**
 * Every method that a path has not: 405 with exactly those that it has (RFC 9110 section 15.5.6). HEAD of what can be
 * got is left open (section 9.1).
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
      // What stands before the server may answer it (RFC 9110 section 9.3.8).
      ...(one === 'TRACE' && { level: 'robust' }),
      allow,
    }),
  );
  return operation === operations[0] ? [...unsupported, createServerOptionsCase(operation)] : unsupported;
}

// Paths that differ in the names of their parameters only have the same requests.
function isSamePath(path: string, other: string): boolean {
  return path.replace(NAME, '{}') === other.replace(NAME, '{}');
}

// It is about the server in general, and sent once.
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
      // Whatever the path of the base.
      bend: (head) => head.replace(/ \S+/, ' *'),
    },
    expect: 'answered',
  };
}
