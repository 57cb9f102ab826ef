/** How often a process is killed, in each proof that does so. */
export const ROUNDS = read('DURABILITY_ROUNDS', 100);

/** What all randomness comes from, so that a run can be had again: same plants, same moments. */
export const SEED = read('DURABILITY_SEED', 1);

/** The programs of a PostgreSQL for the proof of a failover, instead of those that come with the packages. */
export const POSTGRES_BIN = process.env['DURABILITY_POSTGRES_BIN'];

function read(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} is no number from 1`);
  return value;
}
