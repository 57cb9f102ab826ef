import type { BodyBudget } from './body-budget';

/** A body's bytes, as far as they have arrived. */
export interface GatheredBytes {
  /** May lead to a drop. */
  readonly add: (chunk: Buffer) => void;
  /** All of them in one buffer; ends the gathering. */
  readonly toBuffer: () => Buffer;
  /** Ends the gathering without them. */
  readonly discard: () => void;
}

/** No bytes. */
export const NOTHING: Buffer = Buffer.alloc(0);
const BLOCK_BYTES = 65_536;

/**
 * Gathers chunks in blocks, for a chunk of one byte takes a hundred times its size. The buffers take at most twice what
 * has arrived, and at most 64 kB more.
 *
 * @param budget that the buffers count for
 * @param drop called when they are needed for other bodies
 */
export function createGatheredBytes(budget: BodyBudget, drop: () => void): GatheredBytes {
  const counted = budget.begin(drop);
  // Most bodies are one chunk, which is kept as it is.
  let first: Buffer = NOTHING;
  const blocks: Buffer[] = [];
  let size = 0;
  // At the end of the last block.
  let free = 0;

  // At once: under attack the garbage collector is a hundred megabytes late.
  function discard(): void {
    first = NOTHING;
    for (const { buffer } of blocks) (buffer as ArrayBuffer).transfer(0);
    blocks.length = 0;
    counted.end();
  }

  return {
    add(chunk) {
      const before = size;
      size += chunk.length;
      if (before === 0) {
        first = chunk;
        counted.add(size);
        return;
      }
      const last = blocks.at(-1);
      const copied = last ? chunk.copy(last, last.length - free) : 0;
      const rest = chunk.length - copied;
      free -= copied;
      if (rest === 0) return;
      // Not of Node's pool, which many share.
      const block = Buffer.allocUnsafeSlow(Math.max(rest, Math.min(before, BLOCK_BYTES)));
      free = block.length - chunk.copy(block, 0, copied);
      blocks.push(block);
      counted.add(block.length);
    },
    toBuffer() {
      const all = blocks.length === 0 ? first : Buffer.concat([first, ...blocks], size);
      discard();
      return all;
    },
    discard,
  };
}
