/** One row of the error catalogue, `x-error-catalogue` in the contract. */
export interface CatalogueEntry {
  readonly number: number;
  readonly status: number;
  readonly meaning: string;
}

/** The rows by name, in the order of the contract. */
export type ErrorCatalogue = Readonly<Record<string, CatalogueEntry>>;

const MAX_INT32 = 2 ** 31 - 1;

/**
 * The error catalogue of a contract.
 *
 * @param document the parsed contract
 * @throws Error that lists every mistake: no catalogue or two, a row that lacks something, a number listed twice
 */
export function findErrorCatalogue(document: unknown): ErrorCatalogue {
  const found = [...catalogues(document)];
  if (found.length !== 1) {
    throw new Error(`the contract needs exactly one x-error-catalogue, it has ${String(found.length)}`);
  }
  const rows = (found[0] ?? {}) as Record<string, CatalogueEntry | null>;
  const problems = Object.entries(rows).flatMap(([name, entry]) => mistakes(name, entry ?? {}));
  const numbers = Object.values(rows).map((entry) => entry?.number);
  for (const twice of numbers.filter((number, index) => numbers.indexOf(number) !== index)) {
    problems.push(`${String(twice)} is listed twice`);
  }
  if (problems.length > 0) throw new Error(`x-error-catalogue: ${problems.join('; ')}`);
  return rows as ErrorCatalogue;
}

function* catalogues(node: unknown): Generator {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'x-error-catalogue') yield value;
    else yield* catalogues(value);
  }
}

function mistakes(name: string, { number, status, meaning }: Partial<CatalogueEntry>): string[] {
  const problems = [];
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) problems.push(`${name} is not a name in capitals`);
  if (number === undefined || !Number.isInteger(number) || Math.abs(number) > MAX_INT32) {
    problems.push(`${name}.number is not an int32`);
  }
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599) {
    problems.push(`${name}.status is not a status from 400 to 599`);
  }
  if (typeof meaning !== 'string' || meaning === '') problems.push(`${name}.meaning is missing`);
  return problems;
}
