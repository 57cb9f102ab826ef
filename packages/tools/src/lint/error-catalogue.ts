// Reads the error catalogue of a contract.
import { DocumentError, type Operation, findCatalogues, listScopes } from '@contract-kit/contract';
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
 * a second catalogue, an incomplete row, and a number that is used twice.
 */
export function readErrorCatalogue(document: object): { catalogue: ErrorCatalogue; errors: readonly DocumentError[] } {
  const [owner, secondOwner] = [...findCatalogues(document)];
  if (!owner) return { catalogue: {}, errors: [] };
  if (secondOwner) {
    const error = new DocumentError(
      secondOwner,
      'there is a second x-error-catalogue; move all rows into one',
      CATALOGUE_KEY,
    );
    return { catalogue: {}, errors: [error] };
  }
  const catalogue = (owner[CATALOGUE_KEY] ?? {}) as ErrorCatalogue;
  const errors: DocumentError[] = [];
  const firstRowByNumber = new Map<number, string>();
  // An empty row in YAML is null.
  for (const [name, row] of Object.entries(catalogue as Readonly<Record<string, CatalogueEntry | null>>)) {
    const messages = findRowErrors(name, row ?? {});
    const firstRow = row ? firstRowByNumber.get(row.number) : undefined;
    if (row && firstRow === undefined) firstRowByNumber.set(row.number, name);
    if (firstRow !== undefined) messages.push(`its number is already used by ${firstRow}`);
    errors.push(...messages.map((message) => new DocumentError(catalogue, `${name}: ${message}`, name)));
  }
  return { catalogue, errors };
}

function findRowErrors(name: string, { number, status, meaning }: Partial<CatalogueEntry>): string[] {
  const messages: string[] = [];
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) messages.push('its name must be in capitals, such as NOT_FOUND');
  if (number === undefined || !Number.isInteger(number) || number < 0 || number > MAX_INT32) {
    messages.push(`it needs a number from 0 to ${String(MAX_INT32)}`);
  }
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599) {
    messages.push('it needs a status from 400 to 599');
  }
  if (typeof meaning !== 'string' || meaning === '')
    messages.push('it needs a meaning, which is a string that is not empty');
  return messages;
}

// Errors with these statuses keep them in a suggested row. All others get 400.
const STATUSES_KEPT = new Set([401, 403, 404, 405, 500, 503]);
const BAD_REQUEST = 400;

/** Finds errors that the kit itself responds with and the catalogue does not list; none without a catalogue. */
export function findMissingRows(catalogue: ErrorCatalogue, operations: readonly Operation[]): DocumentError[] {
  if (Object.keys(catalogue).length === 0) return [];
  return Object.entries(createMissingRows(catalogue, operations)).map(([kind, { number, status, meaning }]) => {
    const row = `{ number: ${String(number)}, status: ${String(status)}, meaning: ${JSON.stringify(meaning)} }`;
    return new DocumentError(
      catalogue,
      `the catalogue has no row for an error that the kit itself responds with; add ${kind}: ${row}`,
    );
  });
}

/** Creates the missing rows of a catalogue, by the name of the error, such as UNKNOWN_PATH. */
export function createMissingRows(
  catalogue: ErrorCatalogue,
  operations: readonly Operation[],
): Readonly<Partial<Record<RefusalKind, CatalogueEntry>>> {
  // A request is forbidden if its credentials lack a scope.
  const hasScopes = listScopes(operations).length > 0;
  const kinds: RefusalKind[] = hasScopes ? [...CATALOGUE_KINDS, 'FORBIDDEN'] : CATALOGUE_KINDS;
  const takenNumbers = new Set(Object.values(catalogue).map(({ number }) => number));
  const missing = kinds.filter((kind) => !Object.hasOwn(catalogue, kind));
  const rows = missing.map((kind) => {
    // REFUSALS has the usual HTTP status of each error, such as 413.
    const { status: httpStatus, meaning } = REFUSALS[kind];
    const status = STATUSES_KEPT.has(httpStatus) ? httpStatus : BAD_REQUEST;
    // 40100 for the status 401, or the next free number.
    let number = status * 100;
    while (takenNumbers.has(number)) number += 1;
    takenNumbers.add(number);
    return [kind, { number, status, meaning }] as const;
  });
  return Object.fromEntries(rows);
}
