/** A plant as it is kept: all of it is its identity. */
export interface StoredPlant {
  /** In the range of int64. */
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** Where plants are kept. */
export interface PlantStore {
  /**
   * Keeps a plant. It is on disk when the promise is fulfilled. A plant that is kept already is kept once.
   *
   * @throws StoreUnavailable when it could not be kept now; it may be tried again
   */
  add(plant: StoredPlant): Promise<void>;

  /** Ends the use of the store. Nothing may be added after it. */
  close(): Promise<void>;
}

/** A store as those see it who run it. */
export interface OpenStore extends PlantStore {
  /** @throws StoreUnavailable when nothing could be kept now */
  check(): Promise<void>;

  /** How many plants wait to be kept, besides those that are being written. */
  countWaiting(): number;
}

/** A commit that is over. */
export interface Commit {
  /** In plants. */
  readonly size: number;
  readonly milliseconds: number;
  /** Whether any of them was kept. */
  readonly isKept: boolean;
}

/** Is told of every commit. */
export type ObserveCommit = (commit: Commit) => void;

/** Is told what happens in a store. */
export interface StoreObserver {
  readonly observeCommit?: ObserveCommit;
  /** The size of the write-ahead log of SQLite, in bytes. */
  readonly observeLog?: (bytes: number) => void;
  /** One line for the log. */
  readonly warn?: (message: string) => void;
}

/** The store cannot be used now: it is locked, full, broken or away. */
export class StoreUnavailable extends Error {}
