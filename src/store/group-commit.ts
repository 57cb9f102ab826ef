import { performance } from 'node:perf_hooks';
import { StoreUnavailable, type ObserveCommit, type OpenStore, type StoredPlant } from './plant-store';

/** The error of each plant that was not stored, by its index in the batch. All other plants were stored. */
export type Failures = ReadonlyMap<number, Error>;

/** Commits batches of plants to a database. */
export interface Committer {
  /**
   * Stores plants, with one sync of the disk for all of them.
   *
   * @throws an error that applies to every plant of the batch
   */
  commit(batch: readonly StoredPlant[]): Promise<Failures>;
  /** @throws StoreUnavailable when nothing can be stored now */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface GroupCommitLimits {
  /** How many batches are committed concurrently. */
  readonly commits: number;
  /** How many plants share a commit. */
  readonly batch: number;
  /** How many plants may wait, besides those that are being committed. */
  readonly waiting: number;
  /** How many bytes the waiting plants may take, roughly. A single one may be larger; the body limit bounds it. */
  readonly bytes: number;
}

export const LIMITS: GroupCommitLimits = { commits: 1, batch: 1_000, waiting: 2_000, bytes: 64 * 1024 ** 2 };

interface Waiting {
  readonly plant: StoredPlant;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A store with group commit: plants that arrive during a commit share the next one. A plant that arrives alone is
 * committed at once. When too many plants wait, the store is unavailable at once.
 */
export function createGroupCommit(committer: Committer, limits: GroupCommitLimits, observe?: ObserveCommit): OpenStore {
  let waiting: Waiting[] = [];
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

  async function run(batch: readonly Waiting[]): Promise<void> {
    const start = performance.now();
    const failureOf = await committer.commit(batch.map(({ plant }) => plant)).then(
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
    add(plant) {
      if (isClosed) return Promise.reject(new StoreUnavailable('the store is closed'));
      const bytes = bytesOf(plant);
      const isFull = waiting.length >= limits.waiting || (waiting.length > 0 && bytesWaiting + bytes > limits.bytes);
      if (isFull) return Promise.reject(new StoreUnavailable('too many plants wait to be kept'));
      return new Promise((resolve, reject) => {
        waiting.push({ plant, bytes, resolve, reject });
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

// A string takes one or two bytes per character. The objects around it take the rest.
function bytesOf({ name, tag = '' }: StoredPlant): number {
  return 2 * (name.length + tag.length) + 300;
}
