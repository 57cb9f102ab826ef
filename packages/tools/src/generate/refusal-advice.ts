import {
  createRenderer,
  type Document,
  findUndeclaredStatuses,
  type Operation,
  readOperations,
} from '@contract-kit/server/contract';
import { createRows } from './catalogue-mistakes';
import { readErrorCatalogue } from './error-catalogue';

const NAMED = 3;

/** One line about the refusals whose status an operation does not declare; undefined if there are none. */
export function adviseOnRefusals(document: Document): string | undefined {
  const { operations } = readOperations(document);
  const { catalogue } = readErrorCatalogue(document);
  const hasCatalogue = Object.keys(catalogue).length > 0;
  const errors = hasCatalogue ? { ...createRows(catalogue), ...catalogue } : {};
  const render = createRenderer({ contract: { operations }, errors });
  const groups = Map.groupBy(operations, (operation) => findUndeclaredStatuses(operation, render).join(', '));
  groups.delete('');
  if (groups.size === 0) return undefined;
  const shape = hasCatalogue ? 'errors of the catalogue' : 'problem details (application/problem+json)';
  const lists = [...groups].map(([statuses, some]) => `${statuses} of ${nameSome(some)}`);
  return `statuses of refusals that openapi.yaml does not declare; they are ${shape}, or what renderError makes: ${lists.join('; ')}`;
}

function nameSome(operations: readonly Operation[]): string {
  const names = operations.slice(0, NAMED).map(({ id }) => id);
  const others = operations.length - names.length;
  return [...names, ...(others > 0 ? [`${String(others)} more`] : [])].join(', ');
}
