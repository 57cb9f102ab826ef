// Says which refusals an operation does not declare.
import { createRenderer, findUndeclaredStatuses, type Operation } from '@contract-kit/server/contract';
import { createMissingRows } from './catalogue-mistakes';
import type { ErrorCatalogue } from './error-catalogue';

const MAX_NAMES = 3;

/**
 * Describes the refusals whose status an operation does not declare.
 *
 * @param catalogue without rows if the contract has none
 * @returns one line for people, or none
 */
export function noteUndeclared(operations: readonly Operation[], catalogue: ErrorCatalogue): string[] {
  const hasCatalogue = Object.keys(catalogue).length > 0;
  const errors = hasCatalogue ? { ...createMissingRows(catalogue, operations), ...catalogue } : {};
  const render = createRenderer({ contract: { operations }, errors });
  const groups = Map.groupBy(operations, (operation) => findUndeclaredStatuses(operation, render).join(', '));
  groups.delete('');
  if (groups.size === 0) return [];
  const form = hasCatalogue ? 'errors of the catalogue' : 'problem details (application/problem+json)';
  const lists = [...groups].map(([statuses, some]) => `${statuses} of ${listFirstNames(some)}`);
  return [`Refused with ${form}, or what renderError makes, since no reply is declared for them: ${lists.join('; ')}`];
}

function listFirstNames(operations: readonly Operation[]): string {
  const names = operations.slice(0, MAX_NAMES).map(({ id }) => id);
  const others = operations.length - names.length;
  return [...names, ...(others > 0 ? [`${String(others)} more`] : [])].join(', ');
}
