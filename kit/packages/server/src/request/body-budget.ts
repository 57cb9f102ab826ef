// Buffers bodies as they arrive, and limits the total memory that they use.
import { performance } from 'node:perf_hooks';
import { toProcessShare } from '../http/share';

const EMPTY_BUFFER: Buffer = Buffer.alloc(0);
const MAX_BLOCK_BYTES = 65_536;

export interface BodyBuffer {
  /** Adds a chunk. This can cause a body to be dropped, even this one. */
  readonly add: (chunk: Buffer) => void;
  readonly size: () => number;
  readonly toBuffer: () => Buffer;
  readonly discard: () => void;
}

/**
 * Buffers a body. Copies chunks into larger blocks, since a one-byte Buffer takes up a hundred bytes. Together, the blocks are
 * at most twice as large as the received bytes, and at most 64 kB larger. `drop` is called when other bodies need the memory.
 */
export function createBodyBuffer(budget: BodyBudget, drop: () => void): BodyBuffer {
  const countedBody = budget.begin(drop);
  // The first chunk, which is not copied, since most bodies are one chunk.
  let first: Buffer = EMPTY_BUFFER;
  const blocks: Buffer[] = [];
  let size = 0;
  let freeBytesInLastBlock = 0;

  // Frees the buffers at once, since under attack the garbage collector lags behind by a hundred megabytes.
  function discard(): void {
    first = EMPTY_BUFFER;
    // Transferring a buffer to a length of 0 frees its memory.
    for (const { buffer } of blocks) (buffer as ArrayBuffer).transfer(0);
    blocks.length = 0;
    countedBody.end();
  }

  return {
    size: () => size,
    add: (chunk) => {
      const sizeBefore = size;
      size += chunk.length;
      if (sizeBefore === 0) {
        first = chunk;
        countedBody.add(size);
        return;
      }
      const lastBlock = blocks.at(-1);
      const copiedBytes = lastBlock ? chunk.copy(lastBlock, lastBlock.length - freeBytesInLastBlock) : 0;
      const remainingBytes = chunk.length - copiedBytes;
      freeBytesInLastBlock -= copiedBytes;
      if (remainingBytes === 0) return;
      // allocUnsafeSlow does not use Node's shared pool, which discard() must not transfer.
      const block = Buffer.allocUnsafeSlow(Math.max(remainingBytes, Math.min(sizeBefore, MAX_BLOCK_BYTES)));
      freeBytesInLastBlock = block.length - chunk.copy(block, 0, copiedBytes);
      blocks.push(block);
      countedBody.add(block.length);
    },
    toBuffer: () => {
      const bytes = blocks.length === 0 ? first : Buffer.concat([first, ...blocks], size);
      discard();
      return bytes;
    },
    discard,
  };
}

const MAX_BUDGET_BYTES = 128 * 1024 ** 2;

export interface BodyBudget {
  /** Starts to count a body. Calls `drop` when the body has to make room for others, and no longer counts it then. */
  readonly begin: (drop: () => void) => CountedBody;
}

/** The total size of bodies and its limit, in bytes, and the number of dropped bodies. */
export type BudgetCounts = Readonly<Record<'bytes' | 'limit' | 'dropped', number>>;

export interface CountedBody {
  /** Counts more bytes. This can cause a body to be dropped, even this one. */
  readonly add: (bytes: number) => void;
  /** Keeps the body from being dropped for others. Its bytes still count. */
  readonly keep: () => void;
  readonly end: () => void;
}

/** Returns the limit for all unfinished bodies together, at least twice the limit for one, so that a large body always fits. */
export function toBudgetBytes(bodyLimit: number, memory: number = process.constrainedMemory()): number {
  // Without a limit, constrainedMemory() can return 0.
  return Math.max(toProcessShare(Math.min(MAX_BUDGET_BYTES, (memory || Infinity) / 8)), 2 * bodyLimit);
}

/**
 * Limits the total size of bodies, in bytes. Above the limit, drops the body that arrives most slowly. It keeps bodies of less than
 * half the average size, since dropping them would free little.
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
    const slowestBody = candidates
      .filter(({ bytes }) => bytes >= halfOfAverage)
      .reduce((slowest, body) =>
        body.bytes / (time - body.start) < slowest.bytes / (time - slowest.start) ? body : slowest,
      );
    end(slowestBody);
    counts.dropped++;
    slowestBody.drop();
  }

  return {
    begin(drop) {
      const body = { bytes: 0, start: now(), drop };
      bodies.add(body);
      return {
        add(bytes) {
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
