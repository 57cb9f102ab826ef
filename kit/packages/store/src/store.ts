import type { Changed, Query, Statement } from './statement';

/**
 * Reads and changes rows in a transaction, which keeps either all changes or none.
 *
 * @example const leave = async (tx: Transaction) => { if ((await tx.read(findNote(1n))).length > 0) await tx.write(removeNote(2n)); };
 */
export interface Transaction {
  /** Reads rows. A transaction sees its own changes, but no changes from transactions that begin later. */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /** @returns an item for each changed row, from the statement's RETURNING clause */
  write<Item>(statement: Statement<Item>): Promise<Item[]>;
  write<Row>(query: Query<Row>): Promise<Changed<Row>[]>;
}

/** An open store. `Items` maps the name of each table to the type of its items. */
export interface Store<Items> extends Transaction {
  /**
   * Stores an item in a table. When the promise is fulfilled, the item is on disk. Adding the same item again changes nothing.
   *
   * @throws StoreUnavailable if it cannot be stored now; the caller can try again
   */
  readonly add: { readonly [Name in keyof Items]: (item: Items[Name]) => Promise<void> };

  /**
   * Reads rows that are on disk, and does not wait for writers.
   *
   * @throws StoreUnavailable if they cannot be read now; the caller can try again
   * @example const [note] = await store.read(findNote(1n));
   */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /**
   * Runs statements that change rows, and keeps either all changes or none. If a statement changes no row, the earlier ones are
   * undone, and the result is empty. When the promise is fulfilled, the changes are on disk.
   *
   * @returns an item for each row that the last statement changed, from that statement's RETURNING clause
   * @throws StoreUnavailable if the write failed. If the connection to PostgreSQL was lost, it might have taken effect anyway.
   * @example const [note] = await store.write(removeLabels(1n), renameNote(1n, 'Oat milk'));
   */
  write<Item>(...statements: readonly [...(Statement<unknown> | Query<unknown>)[], Statement<Item>]): Promise<Item[]>;
  write<Row>(...queries: readonly [...(Statement<unknown> | Query<unknown>)[], Query<Row>]): Promise<Changed<Row>[]>;

  /**
   * Runs a function as one serializable transaction, and returns its result when the changes are on disk. If the function throws,
   * a statement fails, or `signal` is aborted before the commit, all changes are undone, and the promise is rejected.
   *
   * With PostgreSQL, the function is repeated if another transaction interfered. Its time is limited, and other writers wait for
   * it, so it should wait only for `tx`.
   *
   * @throws StoreUnavailable for the same reasons as `write`, and if the function takes too long
   * @example await store.transaction(async (tx) => { const [note] = await tx.read(findNote(1n)); await tx.write(removeNote(1n)); });
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;

  /** @throws StoreUnavailable if nothing can be stored now */
  check(): Promise<void>;

  /** Closes the store once everything that was added earlier has been stored. */
  close(): Promise<void>;
}

export interface Commit {
  /** The number of entries in the batch. */
  readonly size: number;
  readonly milliseconds: number;
  /** Whether at least one row was stored. */
  readonly isKept: boolean;
}

export type ObserveCommit = (commit: Commit) => void;

/** The number of waiting rows (including changes) and reads, and the connections to each PostgreSQL server. */
export interface StoreCounts {
  readonly rows: number;
  readonly reads: number;
  readonly pools?: Readonly<Record<'write' | 'read', readonly PoolCounts[]>>;
}

/** The number of used and idle connections, and of calls that wait for one. */
export type PoolCounts = Readonly<Record<'used' | 'idle' | 'waiting', number>>;

export interface StoreObserver {
  readonly observeCommit?: ObserveCommit;
  /** Called with the size of SQLite's write-ahead log, in bytes. */
  readonly observeLog?: (bytes: number) => void;
  /** Called once the store is open, with a function that returns its counts. */
  readonly watch?: (count: () => StoreCounts) => void;
  /** Called with one line for the log. */
  readonly warn?: (message: string) => void;
}

/**
 * Thrown if the store cannot be used now because it is locked, full, broken or unreachable.
 *
 * @example isUnavailable: (cause) => cause instanceof StoreUnavailable
 */
export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE';
}
