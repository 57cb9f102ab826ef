// Reads the error catalogue of a contract.
import { Mistake, type Operation, findCatalogues, listScopes } from '@contract-kit/contract';
import { CATALOGUE_KINDS, REFUSALS, type RefusalKind } from '@contract-kit/server/errors';

/** One row of the error catalogue, `x-error-catalogue` in the contract. */
export interface CatalogueEntry {
  readonly number: number;
  readonly status: number;
  readonly meaning: string;
}

/** The rows by name, in the order of the contract. */
export type ErrorCatalogue = Readonly<Record<string, CatalogueEntry>>;

const CATALOGUE_KEY = 'x-error-catalogue';
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Reads `x-error-catalogue`, with rows such as `NOT_FOUND: { number: 40400, status: 404, meaning: ... }`. Errors are
 * a second catalogue, a row that lacks something, and a number that is listed twice.
 */
export function readErrorCatalogue(document: object): { catalogue: ErrorCatalogue; errors: readonly Mistake[] } {
  const [found, another] = [...findCatalogues(document)];
  if (!found) return { catalogue: {}, errors: [] };
  if (another) {
    const error = new Mistake(another, 'there is another x-error-catalogue: put their rows into one', CATALOGUE_KEY);
    return { catalogue: {}, errors: [error] };
  }
  const catalogue = (found[CATALOGUE_KEY] ?? {}) as ErrorCatalogue;
  const errors: Mistake[] = [];
  const firstRowByNumber = new Map<number, string>();
  // A row that is empty in YAML is null.
  for (const [name, row] of Object.entries(catalogue as Readonly<Record<string, CatalogueEntry | null>>)) {
    const messages = findRowErrors(name, row ?? {});
    const firstRow = row ? firstRowByNumber.get(row.number) : undefined;
    if (row && firstRow === undefined) firstRowByNumber.set(row.number, name);
    if (firstRow !== undefined) messages.push(`the number is that of ${firstRow}`);
    errors.push(...messages.map((message) => new Mistake(catalogue, `${name}: ${message}`, name)));
  }
  return { catalogue, errors };
}

function findRowErrors(name: string, { number, status, meaning }: Partial<CatalogueEntry>): string[] {
  const messages: string[] = [];
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) messages.push('write its name in capitals, such as NOT_FOUND');
  if (number === undefined || !Number.isInteger(number) || number < 0 || number > MAX_INT32) {
    messages.push('it needs a number that is an int32, and not negative');
  }
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599) {
    messages.push('it needs a status from 400 to 599');
  }
  if (typeof meaning !== 'string' || meaning === '') messages.push('it needs a meaning, a text');
  return messages;
}

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

/** Creates the rows that the catalogue lacks, by the name of the error, such as UNKNOWN_PATH. */
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
