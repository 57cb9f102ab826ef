// Reads the error catalogue of a contract.
import { findCatalogues, Mistake } from '@contract-kit/server/contract';

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
 * Reads `x-error-catalogue`, with rows such as `NOT_FOUND: { number: 40400, status: 404, meaning: ... }`. Mistakes are
 * a second catalogue, a row that lacks something, and a number that is listed twice.
 */
export function readErrorCatalogue(document: object): { catalogue: ErrorCatalogue; mistakes: readonly Mistake[] } {
  const [found, another] = [...findCatalogues(document)];
  if (!found) return { catalogue: {}, mistakes: [] };
  if (another) {
    const mistake = new Mistake(another, 'there is another x-error-catalogue: put their rows into one', CATALOGUE_KEY);
    return { catalogue: {}, mistakes: [mistake] };
  }
  const catalogue = (found[CATALOGUE_KEY] ?? {}) as ErrorCatalogue;
  const mistakes: Mistake[] = [];
  const firstRowByNumber = new Map<number, string>();
  // A row that is empty in YAML is null.
  for (const [name, row] of Object.entries(catalogue as Readonly<Record<string, CatalogueEntry | null>>)) {
    const problems = findRowProblems(name, row ?? {});
    const firstRow = row ? firstRowByNumber.get(row.number) : undefined;
    if (row && firstRow === undefined) firstRowByNumber.set(row.number, name);
    if (firstRow !== undefined) problems.push(`the number is that of ${firstRow}`);
    mistakes.push(...problems.map((problem) => new Mistake(catalogue, `${name}: ${problem}`, name)));
  }
  return { catalogue, mistakes };
}

function findRowProblems(name: string, { number, status, meaning }: Partial<CatalogueEntry>): string[] {
  const problems = [];
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) problems.push('write its name in capitals, such as NOT_FOUND');
  if (number === undefined || !Number.isInteger(number) || number < 0 || number > MAX_INT32) {
    problems.push('it needs a number that is an int32, and not negative');
  }
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599) {
    problems.push('it needs a status from 400 to 599');
  }
  if (typeof meaning !== 'string' || meaning === '') problems.push('it needs a meaning, a text');
  return problems;
}
