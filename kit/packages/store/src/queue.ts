// The queue of a store: what waits, and what shares a commit.
import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import type { Row } from './schema';
import type { Sql } from './statement';
import { StoreUnavailable, type ObserveCommit, type Store } from './store';

/** A row as a statement returns it. */
export type ReturnedRow = Readonly<Record<string, unknown>>;

/** A store of one engine, of rows and SQL. `bytes` is roughly the memory that an entry takes while it waits. */
export interface EngineStore<Value> extends Pick<Store<never>, 'check' | 'close'> {
  add(row: Row<Value>, bytes: number): Promise<unknown>;
  read(sql: Sql, bytes: number): Promise<readonly ReturnedRow[]>;
  write(statements: readonly Sql[], bytes: number): Promise<readonly ReturnedRow[]>;
  transaction(work: TransactionWork): Promise<unknown>;
}

/** Runs a statement in the open transaction of an engine. */
export type RunSql = (sql: Sql) => Promise<readonly ReturnedRow[]>;

/**
 * What runs in a transaction of an engine, which repeats it when the database has rolled it back. `limit` is the time that
 * it may take, in milliseconds.
 *
 * @returns whether to commit
 * @throws the error of a statement
 */
export type TransactionWork = (run: RunSql, limit: number) => Promise<boolean>;

export type Result =
  | { readonly error: Error }
  | {
      readonly rows: readonly ReturnedRow[];
      /** What a statement that reads took, where that is known. */
      readonly milliseconds?: number;
    };

/** The result of each entry, by its index in the batch. An entry without a result is done, and returned nothing. */
export type Results = ReadonlyMap<number, Result>;

/** Works on a batch, such as with one sync of the disk. @throws an error that applies to every entry of the batch */
export type RunBatch<Entry> = (batch: readonly Entry[]) => Promise<Results>;

export interface Queue<Entry> {
  /** `bytes`: the memory that the entry takes while it waits, besides the objects around it. */
  add(entry: Entry, bytes: number): Promise<readonly ReturnedRow[]>;
  /** The number of entries that wait; entries in running batches do not count. */
  countWaiting(): number;
  /** Refuses new entries, and ends when all others are done. */
  close(): Promise<void>;
}

export interface QueueLimits<Entry = unknown> {
  /** How many batches are worked on concurrently. */
  readonly batches: number;
  /** How many entries share a batch. */
  readonly batchSize: number;
  readonly waiting: number;
  /** How many bytes the waiting entries may take, roughly. A single one may be larger. */
  readonly bytes: number;
  /** How long an entry may wait for its batch, in milliseconds: whoever added it has gone then. */
  readonly wait: number;
  /** Whether entries that are added in one turn of the event loop share a batch, which costs less than the first one alone. */
  readonly isGathered?: boolean;
  /** Whether an entry is a batch by itself. */
  readonly isAlone?: (entry: Entry) => boolean;
}

/** @param memory of the container; 0 without a limit */
export const toQueueBytes = (memory: number): number => Math.min(64 * 1024 ** 2, (memory || Infinity) / 16);

/** Of both engines: a batch is a commit of SQLite. */
export const DEFAULT_LIMITS: QueueLimits = {
  batches: 1,
  batchSize: 1_000,
  waiting: 2_000,
  bytes: toQueueBytes(process.constrainedMemory()),
  wait: 10_000,
};

const NO_ROWS: Result = { rows: [] };
// The approximate memory of the objects around a waiting entry.
const OVERHEAD_BYTES = 300;

interface WaitingEntry<Entry> {
  readonly entry: Entry;
  readonly bytes: number;
  /** When it was added. */
  readonly since: number;
  /** The asynchronous context of the caller, which a trace needs. */
  readonly context: AsyncResource;
  readonly resolve: (rows: readonly ReturnedRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A queue for group commit: entries that arrive during a batch share the next one, in the order of arrival. An entry
 * that arrives alone is worked on at once. When too many entries wait, new ones are refused at once. An entry that has
 * waited too long is refused when its turn comes.
 */
export function createQueue<Entry>(
  run: RunBatch<Entry>,
  limits: QueueLimits<Entry>,
  observe?: ObserveCommit,
): Queue<Entry> {
  const { isAlone = () => false, isGathered = false } = limits;
  const waiting: WaitingEntry<Entry>[] = [];
  let bytesWaiting = 0;
  let batchesRunning = 0;
  let closing: Promise<void> | undefined;
  let whenIdle: (() => void) | undefined;

  // Of those that wait, the oldest come first.
  function refuseLate(now: number): void {
    const inTime = waiting.findIndex(({ since }) => now - since <= limits.wait);
    for (const { bytes, reject } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) {
      bytesWaiting -= bytes;
      reject(new StoreUnavailable('the database is too slow for what waits'));
    }
  }

  // When nothing is left, `close` can end.
  function startBatches(): void {
    const now = performance.now();
    if (batchesRunning < limits.batches) refuseLate(now);
    while (batchesRunning < limits.batches && waiting.length > 0) {
      const [{ entry: first, context }] = waiting as [WaitingEntry<Entry>];
      const end = waiting.findIndex(
        ({ entry }, index) => index === limits.batchSize || (index > 0 && (isAlone(first) || isAlone(entry))),
      );
      const batch = waiting.splice(0, end === -1 ? waiting.length : end);
      for (const { bytes } of batch) bytesWaiting -= bytes;
      batchesRunning++;
      // A batch that starts when another ends would have its context otherwise.
      void context.runInAsyncScope(runBatch, undefined, batch, now);
    }
    if (batchesRunning === 0) whenIdle?.();
  }

  // The promise is never rejected.
  async function runBatch(batch: readonly WaitingEntry<Entry>[], start: number): Promise<void> {
    const getResult = await run(batch.map(({ entry }) => entry)).then(
      (results) => (index: number) => results.get(index) ?? NO_ROWS,
      // An error of the batch is the result of every entry.
      (error: unknown) => () => ({ error: error as Error }),
    );
    observe?.({
      size: batch.length,
      milliseconds: performance.now() - start,
      isKept: batch.some((_, index) => 'rows' in getResult(index)),
    });
    batchesRunning--;
    // Start the next batch before the callers of this one go on.
    startBatches();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = getResult(index);
      if ('rows' in result) resolve(result.rows);
      else reject(result.error);
    }
  }

  return {
    add(entry, entryBytes) {
      if (closing) return Promise.reject(new StoreUnavailable('the store is closed'));
      const bytes = entryBytes + OVERHEAD_BYTES;
      // A single entry may be larger than the limit.
      const takesTooMuch = waiting.length > 0 && bytesWaiting + bytes > limits.bytes;
      if (waiting.length >= limits.waiting || takesTooMuch) {
        return Promise.reject(new StoreUnavailable('too many rows are waiting for the database'));
      }
      return new Promise((resolve, reject) => {
        const context = new AsyncResource('Entry');
        waiting.push({ entry, bytes, since: performance.now(), context, resolve, reject });
        bytesWaiting += bytes;
        if (!isGathered) startBatches();
        else if (waiting.length === 1) setImmediate(startBatches);
      });
    },
    countWaiting: () => waiting.length,
    close() {
      closing ??= new Promise((resolve) => {
        whenIdle = resolve;
        startBatches();
      });
      return closing;
    },
  };
}
