import type { Changed, Query, Statement } from './statement';

/**
 * Reads and changes rows: in a transaction, what it changes is kept when all is.
 *
 * @example const leave = async (tx: Transaction) => { if ((await tx.read(findNote(1n))).length > 0) await tx.write(removeNote(2n)); };
 */
export interface Transaction {
  /** Reads rows as they are now: in a transaction, with its own changes, and without those that begin after it. */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /** @returns an item for each row that the statement changed, as its RETURNING has it */
  write<Item>(statement: Statement<Item>): Promise<Item[]>;
  write<Row>(query: Query<Row>): Promise<Changed<Row>[]>;
}

/** An open store. `Items` has the type of each table's items, by the table's name. */
export interface Store<Items> extends Transaction {
  /**
   * Stores an item, by the name of its table. It is on disk when the promise is fulfilled. Adding the same item again
   * changes nothing.
   *
   * @throws StoreUnavailable when it cannot be stored now; the caller may try again
   */
  readonly add: { readonly [Name in keyof Items]: (item: Items[Name]) => Promise<void> };

  /**
   * Reads what is on disk, without waiting for those that write.
   *
   * @throws StoreUnavailable when it cannot be read now; the caller may try again
   * @example const [note] = await store.read(findNote(1n));
   */
  read<Item>(query: Statement<Item> | Query<Item>): Promise<Item[]>;

  /**
   * Runs statements that change rows, all of them or none: one that changes no row undoes those before it, and then
   * nothing is returned. What is changed is on disk when the promise is fulfilled.
   *
   * @returns an item for each row that the last statement changed, as its RETURNING has it
   * @throws StoreUnavailable when it could not be done; on PostgreSQL, it may be done when the connection was lost
   * @example const [note] = await store.write(removeLabels(1n), renameNote(1n, 'Oat milk'));
   */
  write<Item>(...statements: readonly [...(Statement<unknown> | Query<unknown>)[], Statement<Item>]): Promise<Item[]>;
  write<Row>(...queries: readonly [...(Statement<unknown> | Query<unknown>)[], Query<Row>]): Promise<Changed<Row>[]>;

  /**
   * Runs a function whose reads and changes are one transaction: as if nothing else happened in the meantime. What it
   * changed is on disk when the promise is fulfilled, with what the function returned. If the function throws, one of its
   * statements fails, or `signal` is aborted before the commit, all is undone, and the promise is rejected with that.
   *
   * On PostgreSQL, the function is called again when the server rolled the transaction back because of another one. It
   * waits for nothing but `tx`: while it runs, others wait for it, and its time is limited.
   *
   * @throws StoreUnavailable as `write` does, and when its time is over
   * @example await store.transaction(async (tx) => { const [note] = await tx.read(findNote(1n)); await tx.write(removeNote(1n)); });
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;

  /** @throws StoreUnavailable when nothing can be stored now */
  check(): Promise<void>;

  /** Closes the store when all that was added is stored. Nothing may be added after it. */
  close(): Promise<void>;
}

/** A finished commit. */
export interface Commit {
  /** The number of rows. */
  readonly size: number;
  readonly milliseconds: number;
  /** Whether any of the rows was stored. */
  readonly isKept: boolean;
}

/** Called after every commit. */
export type ObserveCommit = (commit: Commit) => void;

/** The rows, with changes, and the reads that wait, and the connections to each server of PostgreSQL. */
export interface StoreCounts {
  readonly rows: number;
  readonly reads: number;
  readonly pools?: Readonly<Record<'write' | 'read', readonly PoolCounts[]>>;
}

/** Connections, and calls that wait for one. */
export type PoolCounts = Readonly<Record<'used' | 'idle' | 'waiting', number>>;

/** Observes a store. */
export interface StoreObserver {
  readonly observeCommit?: ObserveCommit;
  /** The size of the write-ahead log of SQLite, in bytes. */
  readonly observeLog?: (bytes: number) => void;
  /** Gets the function that counts, when the store is open. */
  readonly watch?: (count: () => StoreCounts) => void;
  /** Called with one line for the log. */
  readonly warn?: (message: string) => void;
}

/**
 * The store cannot be used now: it is locked, full, broken or unreachable.
 *
 * @example isUnavailable: (cause) => cause instanceof StoreUnavailable
 */
export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE';
}
