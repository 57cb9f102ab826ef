import { performance } from 'node:perf_hooks';

const LEAST_BYTES = 128 * 1024 ** 2;

/** What all request bodies that are not whole yet may take together. */
export interface BodyBudget {
  /**
   * Counts a body from its beginning.
   *
   * @param drop called when its bytes are needed for bodies with more progress; they no longer count then
   */
  readonly begin: (drop: () => void) => CountedBody;
}

/** A body that is not whole yet. */
export interface CountedBody {
  /** Counts more bytes of its buffers. That may drop bodies, this one included. */
  readonly add: (bytes: number) => void;
  /** Its bytes no longer count. */
  readonly end: () => void;
}

/** The bytes for all unfinished bodies: always more than one body may have, so that there is another one to drop. */
export function toBudgetBytes(bodyLimit: number): number {
  return Math.max(LEAST_BYTES, 2 * bodyLimit);
}

/**
 * Beyond the limit the body with the least progress is dropped: the fewest bytes per second since it began. So bodies
 * that stall or trickle give way to bodies that arrive. Bodies below half of the average are kept: they free little.
 *
 * @param limit in bytes of buffers
 * @param observeDrop called for each body that is dropped
 * @param now the time in milliseconds
 */
export function createBodyBudget(
  limit: number,
  observeDrop: () => void = () => undefined,
  now: () => number = () => performance.now(),
): BodyBudget {
  interface Entry {
    bytes: number;
    readonly start: number;
    readonly drop: () => void;
  }
  const entries = new Set<Entry>();
  let held = 0;

  function end(entry: Entry): void {
    if (entries.delete(entry)) held -= entry.bytes;
  }

  function dropSlowest(): void {
    const time = now();
    const worthwhile = held / entries.size / 2;
    const slowest = [...entries]
      .filter(({ bytes }) => bytes >= worthwhile)
      .reduce((one, other) => (other.bytes / (time - other.start) < one.bytes / (time - one.start) ? other : one));
    end(slowest);
    observeDrop();
    slowest.drop();
  }

  return {
    begin(drop) {
      const entry = { bytes: 0, start: now(), drop };
      entries.add(entry);
      return {
        add(bytes) {
          entry.bytes += bytes;
          held += bytes;
          while (held > limit) dropSlowest();
        },
        end() {
          end(entry);
        },
      };
    },
  };
}
