import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { credentialsFor, validRequest } from './valid-request';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];

/**
 * Every method that a path has not: 405 with exactly those that it has (RFC 9110 section 15.5.6). HEAD of what can be
 * got is left open (section 9.1).
 */
export function method(values: Values, operation: Operation, { paths }: Model): Case[] {
  const allow = paths.get(operation.path) ?? [];
  const request = validRequest(values, operation, {
    credentials: credentialsFor(operation.alternatives[0] ?? []),
    body: undefined,
  });
  return METHODS.filter((one) => !allow.includes(one) && !(one === 'HEAD' && allow.includes('GET'))).map((one) => ({
    operation: operation.id,
    class: 'method',
    pointer: operation.pointer.slice(0, operation.pointer.lastIndexOf('/')),
    label: one,
    covers: [],
    request: { ...request, method: one },
    expect: 'unknown method',
    // What stands before the server may answer it (RFC 9110 section 9.3.8).
    ...(one === 'TRACE' && { level: 'robust' }),
    allow,
  }));
}
