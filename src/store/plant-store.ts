/** A plant in the store. Two plants are the same if all fields are equal. */
export interface StoredPlant {
  /** In the range of int64. */
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** A store of plants. */
export interface PlantStore {
  /**
   * Stores a plant. It is on disk when the promise is fulfilled. Adding the same plant again changes nothing.
   *
   * @throws StoreUnavailable when it cannot be stored now; the caller may try again
   */
  add(plant: StoredPlant): Promise<void>;

  /** Closes the store. No plant may be added after it. */
  close(): Promise<void>;
}

/** A store with the functions for operators. */
export interface OpenStore extends PlantStore {
  /** @throws StoreUnavailable when nothing can be stored now */
  check(): Promise<void>;

  /** How many plants wait, besides those that are being committed. */
  countWaiting(): number;
}

/** A finished commit. */
export interface Commit {
  /** The number of plants. */
  readonly size: number;
  readonly milliseconds: number;
  /** Whether any of the plants was stored. */
  readonly isKept: boolean;
}

/** Called after every commit. */
export type ObserveCommit = (commit: Commit) => void;

/** Observes a store. */
export interface StoreObserver {
  readonly observeCommit?: ObserveCommit;
  /** The size of the write-ahead log of SQLite, in bytes. */
  readonly observeLog?: (bytes: number) => void;
  /** Called with one line for the log. */
  readonly warn?: (message: string) => void;
}

/** The store cannot be used now: it is locked, full, broken or unreachable. */
export class StoreUnavailable extends Error {}
