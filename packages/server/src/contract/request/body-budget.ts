// The memory limit for all unfinished bodies together.
import { performance } from 'node:perf_hooks';

const LEAST_BYTES = 128 * 1024 ** 2;

/** The memory limit for all unfinished request bodies together. */
export interface BodyBudget {
  /**
   * Starts to count a body.
   *
   * @param drop called when the body has to give way to others; it is no longer counted then
   */
  readonly begin: (drop: () => void) => CountedBody;
}

/** An unfinished body. */
export interface CountedBody {
  /** Counts more bytes of its buffers. That may drop bodies, this one included. */
  readonly add: (bytes: number) => void;
  /** Stops counting the body. */
  readonly end: () => void;
}

/** The limit for all unfinished bodies: at least twice that of one, so that a large body need not be dropped itself. */
export function toBudgetBytes(bodyLimit: number): number {
  return Math.max(LEAST_BYTES, 2 * bodyLimit);
}

/**
 * Creates the memory limit for all unfinished request bodies together. Beyond it, the slowest body is dropped: the one with the
 * fewest bytes per second since it began.
 * Bodies of less than half the average size stay: dropping them frees little.
 *
 * @param limit of all buffers together, in bytes
 * @param observeDrop called for each body that is dropped
 * @param now the time in milliseconds
 */
export function createBodyBudget(
  limit: number,
  observeDrop: () => void = () => undefined,
  now: () => number = () => performance.now(),
): BodyBudget {
  interface Body {
    bytes: number;
    readonly start: number;
    readonly drop: () => void;
  }
  const bodies = new Set<Body>();
  let totalBytes = 0;

  function end(body: Body): void {
    if (bodies.delete(body)) totalBytes -= body.bytes;
  }

  /** Drops the body with the fewest bytes per second, of those with at least half of the average size. */
  function dropSlowest(): void {
    const time = now();
    const halfOfAverage = totalBytes / bodies.size / 2;
    const slowest = [...bodies]
      .filter(({ bytes }) => bytes >= halfOfAverage)
      .reduce((one, other) => (other.bytes / (time - other.start) < one.bytes / (time - one.start) ? other : one));
    end(slowest);
    observeDrop();
    slowest.drop();
  }

  return {
    /** Starts to count a body; `drop` is called if it has to give way to others. */
    begin(drop) {
      const body = { bytes: 0, start: now(), drop };
      bodies.add(body);
      return {
        /** Counts more bytes of the body, and drops bodies while all together are above the limit. */
        add(bytes) {
          body.bytes += bytes;
          totalBytes += bytes;
          while (totalBytes > limit) dropSlowest();
        },
        end() {
          end(body);
        },
      };
    },
  };
}
