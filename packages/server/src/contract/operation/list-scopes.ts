import type { Operation } from './operation';

/**
 * Lists the scopes that operations ask for, each once.
 *
 * @example listScopes(contract.operations) // ['pets:read', 'pets:write']
 */
export function listScopes(operations: readonly Pick<Operation, 'security'>[]): string[] {
  return [...new Set(operations.flatMap(({ security }) => security.flat().flatMap(({ scopes }) => scopes)))];
}
