import { createBodyBuffer } from './body-budget';
import type { BodyLimits } from './receive-body';
import { MAX_MEMORY_BYTES } from './body-limit';
import type { TemporaryFile } from './temporary-files';

export interface ByteStore {
  readonly size: () => number;
  /** Returns a promise if the bytes go to a file. It rejects with a Refusal if they cannot be written. */
  readonly add: (bytes: Buffer) => Promise<void> | undefined;
  readonly toBlob: () => Promise<Blob>;
  /** Returns the temporary file, if there is one. The caller of toBlob() must remove it. */
  readonly file: () => TemporaryFile | undefined;
  readonly discard: () => void;
}

/**
 * Stores the bytes of a handler's Blob in memory, or in a temporary file if they are more than 1 MB. `drop` is called when other
 * bodies need the space.
 */
export function createByteStore(
  { budget, createFile }: Pick<BodyLimits, 'budget' | 'createFile'>,
  drop: () => void,
): ByteStore {
  const buffer = createBodyBuffer(budget, drop);
  let file: TemporaryFile | undefined;
  let size = 0;
  return {
    size: () => size,
    add(bytes) {
      size += bytes.length;
      if (file) return file.write(bytes);
      if (size <= MAX_MEMORY_BYTES) {
        buffer.add(bytes);
        return undefined;
      }
      file = createFile(drop);
      return file.write(Buffer.concat([buffer.toBuffer(), bytes]));
    },
    toBlob: async () => (file ? await file.toBlob() : new Blob([buffer.toBuffer() as Buffer<ArrayBuffer>])),
    file: () => file,
    discard() {
      buffer.discard();
      void file?.remove();
    },
  };
}
