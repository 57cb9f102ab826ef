import {
  CATALOGUE_KINDS,
  createCatalogueRenderer,
  findUndeclaredRefusals,
  Mistake,
  type Operation,
  type RefusalKind,
  REFUSALS,
} from '@contract-kit/server/contract';
import type { CatalogueEntry, ErrorCatalogue } from './error-catalogue';

// Any other status of HTTP is a request that fails.
const OWN_STATUSES = new Set([401, 404, 405, 500, 503]);
const FAILED = 400;

/** Each row that the kit needs and that is missing in an error catalogue. A contract without a catalogue needs none. */
export function findMissingRows(catalogue: ErrorCatalogue): Mistake[] {
  if (Object.keys(catalogue).length === 0) return [];
  return Object.entries(createRows(catalogue)).map(([kind, { number, status, meaning }]) => {
    const row = `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`;
    return new Mistake(catalogue, `a row is missing that the kit answers with: write ${kind}: ${row}`);
  });
}

/** Each operation that does not declare a status of the catalogue with which the kit answers. */
export function findUndeclaredRows(catalogue: ErrorCatalogue, operations: readonly Operation[]): Mistake[] {
  return findUndeclaredRefusals(operations, createCatalogueRenderer({ ...createRows(catalogue), ...catalogue }));
}

function createRows(catalogue: ErrorCatalogue): Readonly<Partial<Record<RefusalKind, CatalogueEntry>>> {
  const taken = new Set(Object.values(catalogue).map(({ number }) => number));
  const missing = CATALOGUE_KINDS.filter((kind) => !Object.hasOwn(catalogue, kind));
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
