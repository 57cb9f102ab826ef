import { performance } from 'node:perf_hooks';
import type { Row } from './schema';
import { StoreUnavailable, type ObserveCommit, type Store } from './store';

/** The error of each row that was not stored, by its index in the batch. All other rows were stored. */
export type Failures = ReadonlyMap<number, Error>;

/** Commits batches of rows to a database. */
export interface Committer<Value> {
  /**
   * Stores rows, with one sync of the disk for all of them.
   *
   * @throws an error that applies to every row of the batch
   */
  commit(batch: readonly Row<Value>[]): Promise<Failures>;
  /** @throws StoreUnavailable when nothing can be stored now */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A store of the rows of all tables. */
export interface RowStore<Value> extends Omit<Store<never>, 'add'> {
  /** @param bytes that the row takes while it waits, besides the objects around it */
  add(row: Row<Value>, bytes: number): Promise<void>;
}

export interface GroupCommitLimits {
  /** How many batches are committed concurrently. */
  readonly commits: number;
  /** How many rows share a commit. */
  readonly batch: number;
  /** How many rows may wait, besides those that are being committed. */
  readonly waiting: number;
  /** How many bytes the waiting rows may take, roughly. A single one may be larger. */
  readonly bytes: number;
}

export const LIMITS: GroupCommitLimits = { commits: 1, batch: 1_000, waiting: 2_000, bytes: 64 * 1024 ** 2 };

// What the objects around a waiting row take.
const OVERHEAD = 300;

interface Waiting<Value> {
  readonly row: Row<Value>;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A store with group commit: rows of any table that arrive during a commit share the next one, in the order of arrival.
 * A row that arrives alone is committed at once. When too many rows wait, the store is unavailable at once.
 */
export function createGroupCommit<Value>(
  committer: Committer<Value>,
  limits: GroupCommitLimits,
  observe?: ObserveCommit,
): RowStore<Value> {
  let waiting: Waiting<Value>[] = [];
  let bytesWaiting = 0;
  let commits = 0;
  let isClosed = false;
  let whenIdle: (() => void) | undefined;

  function proceed(): void {
    while (commits < limits.commits && waiting.length > 0) {
      const batch = waiting.slice(0, limits.batch);
      waiting = waiting.slice(limits.batch);
      for (const { bytes } of batch) bytesWaiting -= bytes;
      commits++;
      void run(batch);
    }
    if (commits === 0) whenIdle?.();
  }

  async function run(batch: readonly Waiting<Value>[]): Promise<void> {
    const start = performance.now();
    const failureOf = await committer.commit(batch.map(({ row }) => row)).then(
      (failures) => (place: number) => failures.get(place),
      (error: unknown) => () => error,
    );
    observe?.({
      size: batch.length,
      milliseconds: performance.now() - start,
      isKept: batch.some((_, place) => failureOf(place) === undefined),
    });
    commits--;
    // Start the next commit before the replies of this one are written.
    proceed();
    for (const [place, { resolve, reject }] of batch.entries()) {
      const failure = failureOf(place);
      if (failure === undefined) resolve();
      else reject(failure);
    }
  }

  return {
    add(row, own) {
      if (isClosed) return Promise.reject(new StoreUnavailable('the store is closed'));
      const bytes = own + OVERHEAD;
      const isFull = waiting.length >= limits.waiting || (waiting.length > 0 && bytesWaiting + bytes > limits.bytes);
      if (isFull) return Promise.reject(new StoreUnavailable('too many rows wait to be kept'));
      return new Promise((resolve, reject) => {
        waiting.push({ row, bytes, resolve, reject });
        bytesWaiting += bytes;
        proceed();
      });
    },
    check: () => committer.check(),
    countWaiting: () => waiting.length,
    async close() {
      isClosed = true;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
        proceed();
      });
      await committer.close();
    },
  };
}
