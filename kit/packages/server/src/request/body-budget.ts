// Buffers bodies that arrive, and bounds what all of them take together.
import { performance } from 'node:perf_hooks';
import { toShare } from '../http/share';

const EMPTY_BUFFER: Buffer = Buffer.alloc(0);
const MAX_BLOCK_BYTES = 65_536;

export interface BodyBuffer {
  /** Copies a chunk into the free bytes of the last block, and the rest into a new one. May drop a body, this one included. */
  readonly add: (chunk: Buffer) => void;
  readonly size: () => number;
  /** Returns all bytes in one buffer, and ends the buffering. */
  readonly toBuffer: () => Buffer;
  readonly discard: () => void;
}

/**
 * Copies the chunks that arrive into larger blocks, since a Buffer of one byte takes a hundred times its size. The blocks take at
 * most twice the size of the arrived bytes, and at most 64 kB more. `drop` is called when other bodies need the memory.
 */
export function createBodyBuffer(budget: BodyBudget, drop: () => void): BodyBuffer {
  const counted = budget.begin(drop);
  // Most bodies are one chunk, which is not copied.
  let first: Buffer = EMPTY_BUFFER;
  const blocks: Buffer[] = [];
  let size = 0;
  // How many bytes at the end of the last block are free.
  let free = 0;

  /** Frees the buffers at once: under attack the garbage collector is a hundred megabytes late. */
  function discard(): void {
    first = EMPTY_BUFFER;
    // Transferring a buffer to a length of 0 frees its memory.
    for (const { buffer } of blocks) (buffer as ArrayBuffer).transfer(0);
    blocks.length = 0;
    counted.end();
  }

  return {
    size: () => size,
    add: (chunk) => {
      const sizeBefore = size;
      size += chunk.length;
      if (sizeBefore === 0) {
        first = chunk;
        counted.add(size);
        return;
      }
      const last = blocks.at(-1);
      const copied = last ? chunk.copy(last, last.length - free) : 0;
      const rest = chunk.length - copied;
      free -= copied;
      if (rest === 0) return;
      // A new block is as large as all that has arrived before, up to 64 kB: the blocks grow with the body.
      // allocUnsafeSlow does not use Node's shared pool: discard() transfers the whole buffer.
      const block = Buffer.allocUnsafeSlow(Math.max(rest, Math.min(sizeBefore, MAX_BLOCK_BYTES)));
      free = block.length - chunk.copy(block, 0, copied);
      blocks.push(block);
      counted.add(block.length);
    },
    toBuffer: () => {
      const all = blocks.length === 0 ? first : Buffer.concat([first, ...blocks], size);
      discard();
      return all;
    },
    discard,
  };
}

const MAX_BUDGET_BYTES = 128 * 1024 ** 2;

export interface BodyBudget {
  /** `drop` is called when the body has to give way to others; it is no longer counted then. */
  readonly begin: (drop: () => void) => CountedBody;
}

/** What bodies take, and may take, in bytes, and how many were dropped. */
export type BudgetCounts = Readonly<Record<'bytes' | 'limit' | 'dropped', number>>;

export interface CountedBody {
  /** Counts more bytes of its buffers. That may drop bodies, this one included. */
  readonly add: (bytes: number) => void;
  /** Its bytes still count, but it is no longer dropped for others. */
  readonly keep: () => void;
  readonly end: () => void;
}

/** The limit for all unfinished bodies: at least twice that of one, so that a large body need not be dropped itself. */
export function toBudgetBytes(bodyLimit: number, memory: number = process.constrainedMemory()): number {
  // A container without a limit has 0.
  return Math.max(toShare(Math.min(MAX_BUDGET_BYTES, (memory || Infinity) / 8)), 2 * bodyLimit);
}

/**
 * Beyond the limit, in bytes, the slowest body is dropped: the one with the fewest bytes per second since it began. Bodies of
 * less than half the average size stay: dropping them frees little.
 */
export function createBodyBudget(
  limit: number,
  watch?: (counts: BudgetCounts) => void,
  now: () => number = () => performance.now(),
): BodyBudget {
  interface Body {
    bytes: number;
    readonly start: number;
    readonly drop: () => void;
  }
  const bodies = new Set<Body>();
  const counts = { bytes: 0, limit, dropped: 0 };
  watch?.(counts);

  function end(body: Body): void {
    bodies.delete(body);
    counts.bytes -= body.bytes;
    body.bytes = 0;
  }

  function dropSlowest(): void {
    const time = now();
    const candidates = [...bodies];
    const halfOfAverage = candidates.reduce((sum, { bytes }) => sum + bytes, 0) / candidates.length / 2;
    const slowest = candidates
      .filter(({ bytes }) => bytes >= halfOfAverage)
      .reduce((slowest, other) =>
        other.bytes / (time - other.start) < slowest.bytes / (time - slowest.start) ? other : slowest,
      );
    end(slowest);
    counts.dropped++;
    slowest.drop();
  }

  return {
    begin(drop) {
      const body = { bytes: 0, start: now(), drop };
      bodies.add(body);
      return {
        add(bytes) {
          // One that was dropped no longer counts.
          if (!bodies.has(body)) return;
          body.bytes += bytes;
          counts.bytes += bytes;
          while (counts.bytes > limit && bodies.size > 0) dropSlowest();
        },
        keep() {
          bodies.delete(body);
        },
        end() {
          end(body);
        },
      };
    },
  };
}
