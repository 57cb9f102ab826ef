// The memory limit for all unfinished bodies together.
import { performance } from 'node:perf_hooks';

const LEAST_BYTES = 128 * 1024 ** 2;

export interface BodyBudget {
  /** `drop` is called when the body has to give way to others; it is no longer counted then. */
  readonly begin: (drop: () => void) => CountedBody;
}

export interface CountedBody {
  /** Counts more bytes of its buffers. That may drop bodies, this one included. */
  readonly add: (bytes: number) => void;
  readonly end: () => void;
}

/** The limit for all unfinished bodies: at least twice that of one, so that a large body need not be dropped itself. */
export function toBudgetBytes(bodyLimit: number): number {
  return Math.max(LEAST_BYTES, 2 * bodyLimit);
}

/**
 * Beyond the limit, in bytes, the slowest body is dropped: the one with the fewest bytes per second since it began. Bodies of
 * less than half the average size stay: dropping them frees little.
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
    begin(drop) {
      const body = { bytes: 0, start: now(), drop };
      bodies.add(body);
      return {
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
