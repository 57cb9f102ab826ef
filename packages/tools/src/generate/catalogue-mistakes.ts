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

// Any other status of HTTP is a request that fails.
const OWN_STATUSES = new Set([401, 403, 404, 405, 500, 503]);
const FAILED = 400;

/** Each row of an error catalogue that the kit needs and that is missing; a contract without a catalogue lacks none. */
export function findMissingRows(catalogue: ErrorCatalogue, operations: readonly Operation[]): Mistake[] {
  if (Object.keys(catalogue).length === 0) return [];
  return Object.entries(createRows(catalogue, operations)).map(([kind, { number, status, meaning }]) => {
    const row = `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`;
    return new Mistake(catalogue, `a row is missing that the kit answers with: write ${kind}: ${row}`);
  });
}

/** The rows that a catalogue lacks, as they may be written. */
export function createRows(
  catalogue: ErrorCatalogue,
  operations: readonly Operation[],
): Readonly<Partial<Record<RefusalKind, CatalogueEntry>>> {
  const kinds: RefusalKind[] = listScopes(operations).length > 0 ? [...CATALOGUE_KINDS, 'FORBIDDEN'] : CATALOGUE_KINDS;
  const taken = new Set(Object.values(catalogue).map(({ number }) => number));
  const missing = kinds.filter((kind) => !Object.hasOwn(catalogue, kind));
  const rows = missing.map((kind) => {
    const { status: own, meaning } = REFUSALS[kind];
    const status = OWN_STATUSES.has(own) ? own : FAILED;
    let number = status * 100;
    while (taken.has(number)) number += 1;
    taken.add(number);
    return [kind, { number, status, meaning }] as const;
  });
  return Object.fromEntries(rows);
}
