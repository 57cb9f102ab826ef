import { hash } from 'node:crypto';

/** How often a process is killed, in each proof that does so. */
export const ROUNDS = read('DURABILITY_ROUNDS', 100);

/** What all randomness comes from, so that a run can be had again: same plants, same moments. */
const SEED = read('DURABILITY_SEED', 1);

function read(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} is no number from 1`);
  return value;
}

/** The name of the test that runs, which is that of a proof unless it says otherwise. */
export function nameOfTest(): string {
  return String(expect.getState().currentTestName);
}

export type Random = ReturnType<typeof createRandom>;

/**
 * Makes numbers that are the same in each run with the same seed.
 *
 * @param name tells the numbers of one proof from those of another
 */
export function createRandom(name = nameOfTest()) {
  let state = Number.parseInt(hash('sha256', `${String(SEED)} ${name}`).slice(0, 8), 16);

  // Mulberry32.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From the first to the last, both included. */
  function integer(first: number, last: number): number {
    return first + Math.floor(next() * (last - first + 1));
  }

  return {
    integer,
    pick: <T>(values: readonly T[]) => values[integer(0, values.length - 1)] as T,
    shuffle<T>(values: readonly T[]): T[] {
      const shuffled = [...values];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => integer(0, 255))),
  };
}
