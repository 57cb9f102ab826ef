// Says which refusals an operation does not declare.
import { createRenderer, findUndeclaredStatuses, type Operation } from '@contract-kit/server/contract';
import { createMissingRows } from './catalogue-mistakes';
import type { ErrorCatalogue } from './error-catalogue';

const MAX_NAMES = 3;

/** Notes statuses, such as 401, that the kit (the framework) answers with and operations do not declare. */
export function noteUndeclared(operations: readonly Operation[], catalogue: ErrorCatalogue): string[] {
  const hasCatalogue = Object.keys(catalogue).length > 0;
  // Rows that the catalogue lacks are reported elsewhere. The renderer, which makes the replies, needs all of them.
  const errors = hasCatalogue ? { ...createMissingRows(catalogue, operations), ...catalogue } : {};
  const render = createRenderer({ contract: { operations }, errors });
  const byStatuses = Map.groupBy(operations, (operation) => findUndeclaredStatuses(operation, render).join(', '));
  // Operations that declare all statuses.
  byStatuses.delete('');
  if (byStatuses.size === 0) return [];
  const form = hasCatalogue ? 'errors of the catalogue' : 'problem details (application/problem+json)';
  const lists = [...byStatuses].map(([statuses, affected]) => `${statuses} of ${listFirstNames(affected)}`);
  return [`Refused with ${form}, or what renderError makes, since no reply is declared for them: ${lists.join('; ')}`];
}

/** Lists the names of the first operations, such as `getPet, listPets, addPet, 7 more`. */
function listFirstNames(operations: readonly Operation[]): string {
  const names = operations.slice(0, MAX_NAMES).map(({ id }) => id);
  const others = operations.length - names.length;
  return [...names, ...(others > 0 ? [`${String(others)} more`] : [])].join(', ');
}
