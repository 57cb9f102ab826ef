// Gathers the bytes of a body, within its limits.
import type { BodyBudget } from './body-budget';

/** The bytes of a body that have arrived so far. */
export interface GatheredBytes {
  /** May drop a body, this one included. */
  readonly add: (chunk: Buffer) => void;
  /** Returns all bytes in one buffer, and ends the gathering. */
  readonly toBuffer: () => Buffer;
  /** Frees the bytes, and ends the gathering. */
  readonly discard: () => void;
}

export const NOTHING: Buffer = Buffer.alloc(0);
const BLOCK_BYTES = 65_536;

/**
 * Copies chunks into blocks, since a Buffer of one byte takes a hundred times its size. The blocks take at most twice the
 * size of the arrived bytes, and at most 64 kB more.
 *
 * @param budget counts the buffers
 * @param drop called when other bodies need the memory
 */
export function createGatheredBytes(budget: BodyBudget, drop: () => void): GatheredBytes {
  const counted = budget.begin(drop);
  // Most bodies are one chunk, which is not copied.
  let first: Buffer = NOTHING;
  const blocks: Buffer[] = [];
  let size = 0;
  // How many bytes at the end of the last block are free.
  let free = 0;

  // Free the buffers at once: under attack the garbage collector is a hundred megabytes late.
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
      // Not from Node's shared pool: discard() transfers the buffer away.
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
