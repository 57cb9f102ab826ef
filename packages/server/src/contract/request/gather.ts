// Gathers the bytes of a body, within its limits.
import type { BodyBudget } from './body-budget';

export interface GatheredBytes {
  /** May drop a body, this one included. */
  readonly add: (chunk: Buffer) => void;
  /** Returns all bytes in one buffer, and ends the gathering. */
  readonly toBuffer: () => Buffer;
  readonly discard: () => void;
}

export const NOTHING: Buffer = Buffer.alloc(0);
const MAX_BLOCK_BYTES = 65_536;

/**
 * Copies the chunks that arrive into larger blocks, since a Buffer of one byte takes a hundred times its size. The blocks take at
 * most twice the size of the arrived bytes, and at most 64 kB more. `drop` is called when other bodies need the memory.
 */
export function createGatheredBytes(budget: BodyBudget, drop: () => void): GatheredBytes {
  const counted = budget.begin(drop);
  // Most bodies are one chunk, which is not copied.
  let first: Buffer = NOTHING;
  const blocks: Buffer[] = [];
  let size = 0;
  // How many bytes at the end of the last block are free.
  let free = 0;

  /** Frees the buffers at once: under attack the garbage collector is a hundred megabytes late. */
  function discard(): void {
    first = NOTHING;
    // Transferring a buffer to a length of 0 frees its memory.
    for (const { buffer } of blocks) (buffer as ArrayBuffer).transfer(0);
    blocks.length = 0;
    counted.end();
  }

  return {
    /** Copies a chunk into the free bytes of the last block, and the rest of it into a new block. */
    add(chunk) {
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
      // Not from Node's shared pool: discard() transfers the buffer away.
      const block = Buffer.allocUnsafeSlow(Math.max(rest, Math.min(sizeBefore, MAX_BLOCK_BYTES)));
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
