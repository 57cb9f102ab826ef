import type { Changed, Query, Statement } from './statement';

/**
 * Reads and changes rows in a transaction, which keeps all changes or none.
 *
 * @example const leave = async (tx: Transaction) => { if ((await tx.read(findNote(1n))).length > 0) await tx.write(removeNote(2n)); };
 */
export interface Transaction {
  /** Reads rows. In a transaction, it sees the transaction's own changes, but none that begin later. */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /** @returns an item for each changed row, from its RETURNING */
  write<Item>(statement: Statement<Item>): Promise<Item[]>;
  write<Row>(query: Query<Row>): Promise<Changed<Row>[]>;
}

/** An open store. `Items` maps the name of each table to the type of its items. */
export interface Store<Items> extends Transaction {
  /**
   * Stores an item in a table. It is on disk when the promise is fulfilled. Adding the same item again changes nothing.
   *
   * @throws StoreUnavailable if it cannot be stored now; the caller may try again
   */
  readonly add: { readonly [Name in keyof Items]: (item: Items[Name]) => Promise<void> };

  /**
   * Reads rows that are on disk, without waiting for writers.
   *
   * @throws StoreUnavailable if they cannot be read now; the caller may try again
   * @example const [note] = await store.read(findNote(1n));
   */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /**
   * Runs statements that change rows, all of them or none: one that changes no row undoes those before it, and the result is
   * empty. The changes are on disk when the promise is fulfilled.
   *
   * @returns an item for each row that the last statement changed, from its RETURNING
   * @throws StoreUnavailable if it failed; if PostgreSQL lost the connection, the changes may have been made anyway
   * @example const [note] = await store.write(removeLabels(1n), renameNote(1n, 'Oat milk'));
   */
  write<Item>(...statements: readonly [...(Statement<unknown> | Query<unknown>)[], Statement<Item>]): Promise<Item[]>;
  write<Row>(...queries: readonly [...(Statement<unknown> | Query<unknown>)[], Query<Row>]): Promise<Changed<Row>[]>;

  /**
   * Runs a function as one serializable transaction, and returns its result when the changes are on disk. If the function throws,
   * one of its statements fails, or `signal` is aborted before the commit, all changes are undone, and the promise is rejected.
   *
   * PostgreSQL may repeat the function if another transaction interfered. Others wait for it and its time is limited, so it should
   * wait for nothing but `tx`.
   *
   * @throws StoreUnavailable as `write` does, and when its time is up
   * @example await store.transaction(async (tx) => { const [note] = await tx.read(findNote(1n)); await tx.write(removeNote(1n)); });
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;

  /** @throws StoreUnavailable if nothing can be stored now */
  check(): Promise<void>;

  /** Closes the store once everything that was added before is stored. */
  close(): Promise<void>;
}

/** A finished commit. */
export interface Commit {
  /** The number of rows. */
  readonly size: number;
  readonly milliseconds: number;
  /** Whether at least one row was stored. */
  readonly isKept: boolean;
}

export type ObserveCommit = (commit: Commit) => void;

/** How many rows (including changes) and reads are waiting, and the connections to each PostgreSQL server. */
export interface StoreCounts {
  readonly rows: number;
  readonly reads: number;
  readonly pools?: Readonly<Record<'write' | 'read', readonly PoolCounts[]>>;
}

/** Connections, and calls that wait for one. */
export type PoolCounts = Readonly<Record<'used' | 'idle' | 'waiting', number>>;

export interface StoreObserver {
  readonly observeCommit?: ObserveCommit;
  /** Gets the size of SQLite's write-ahead log, in bytes. */
  readonly observeLog?: (bytes: number) => void;
  /** Gets the function that counts, once the store is open. */
  readonly watch?: (count: () => StoreCounts) => void;
  /** Gets one line for the log. */
  readonly warn?: (message: string) => void;
}

/**
 * Thrown if the store cannot be used now: it is locked, full, broken or unreachable.
 *
 * @example isUnavailable: (cause) => cause instanceof StoreUnavailable
 */
export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE';
}
