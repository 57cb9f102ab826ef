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

/** Finds the rows that the kit needs and an error catalogue lacks. A contract without a catalogue needs none. */
export function findMissingRows(catalogue: ErrorCatalogue, operations: readonly Operation[]): Mistake[] {
  if (Object.keys(catalogue).length === 0) return [];
  return Object.entries(createMissingRows(catalogue, operations)).map(([kind, { number, status, meaning }]) => {
    const row = `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`;
    return new Mistake(catalogue, `a row is missing that the kit answers with: write ${kind}: ${row}`);
  });
}

/** Makes the rows that a catalogue lacks. */
export function createMissingRows(
  catalogue: ErrorCatalogue,
  operations: readonly Operation[],
): Readonly<Partial<Record<RefusalKind, CatalogueEntry>>> {
  const kinds: RefusalKind[] = listScopes(operations).length > 0 ? [...CATALOGUE_KINDS, 'FORBIDDEN'] : CATALOGUE_KINDS;
  const taken = new Set(Object.values(catalogue).map(({ number }) => number));
  const missing = kinds.filter((kind) => !Object.hasOwn(catalogue, kind));
  const rows = missing.map((kind) => {
    const { status: own, meaning } = REFUSALS[kind];
    const status = STATUSES_KEPT.has(own) ? own : BAD_REQUEST;
    // 40100, or the next one that is free.
    let number = status * 100;
    while (taken.has(number)) number += 1;
    taken.add(number);
    return [kind, { number, status, meaning }] as const;
  });
  return Object.fromEntries(rows);
}
