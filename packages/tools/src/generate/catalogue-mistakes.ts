// Finds rows that an error catalogue lacks.
import {
  CATALOGUE_KINDS,
  listScopes,
  Mistake,
  type Operation,
  type RefusalKind,
  REFUSALS,
} from '@contract-kit/server/contract';
import type { CatalogueEntry, ErrorCatalogue } from './error-catalogue';

// Rows for refusals with these statuses keep them. All others get 400.
const STATUSES_KEPT = new Set([401, 403, 404, 405, 500, 503]);
const BAD_REQUEST = 400;

/** Finds missing rows of errors that the kit (the framework) answers with by itself; none without a catalogue. */
export function findMissingRows(catalogue: ErrorCatalogue, operations: readonly Operation[]): Mistake[] {
  if (Object.keys(catalogue).length === 0) return [];
  return Object.entries(createMissingRows(catalogue, operations)).map(([kind, { number, status, meaning }]) => {
    const row = `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`;
    return new Mistake(catalogue, `a row is missing that the kit answers with: write ${kind}: ${row}`);
  });
}

/** Such as UNKNOWN_PATH, by name. */
export function createMissingRows(
  catalogue: ErrorCatalogue,
  operations: readonly Operation[],
): Readonly<Partial<Record<RefusalKind, CatalogueEntry>>> {
  // Credentials may lack a scope, and then the request is forbidden.
  const hasScopes = listScopes(operations).length > 0;
  const kinds: RefusalKind[] = hasScopes ? [...CATALOGUE_KINDS, 'FORBIDDEN'] : CATALOGUE_KINDS;
  const takenNumbers = new Set(Object.values(catalogue).map(({ number }) => number));
  const missing = kinds.filter((kind) => !Object.hasOwn(catalogue, kind));
  const rows = missing.map((kind) => {
    // REFUSALS has HTTP's own status of each error, such as 413.
    const { status: httpStatus, meaning } = REFUSALS[kind];
    const status = STATUSES_KEPT.has(httpStatus) ? httpStatus : BAD_REQUEST;
    // 40100 for the status 401, or the next one that is free.
    let number = status * 100;
    while (takenNumbers.has(number)) number += 1;
    takenNumbers.add(number);
    return [kind, { number, status, meaning }] as const;
  });
  return Object.fromEntries(rows);
}
