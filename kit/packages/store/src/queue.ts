// Queues the work of a store, and decides which entries share a commit.
import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { getEnvironmentData } from 'node:worker_threads';
import type { Row } from './schema';
import type { Sql } from './statement';
import { StoreUnavailable, type ObserveCommit, type Store } from './store';

export type ReturnedRow = Readonly<Record<string, unknown>>;

/** A store for one engine. It handles rows and SQL, not items. `bytes` is the approximate memory of a waiting entry. */
export interface EngineStore<Value> extends Pick<Store<never>, 'check' | 'close'> {
  add(row: Row<Value>, bytes: number): Promise<unknown>;
  read(sql: Sql, bytes: number): Promise<readonly ReturnedRow[]>;
  write(statements: readonly Sql[], bytes: number): Promise<readonly ReturnedRow[]>;
  transaction(work: TransactionWork): Promise<unknown>;
}

/** Runs a statement in the open transaction. */
export type RunSql = (sql: Sql) => Promise<readonly ReturnedRow[]>;

/**
 * The work of a transaction. The engine repeats it if the database rolled it back.
 *
 * @param limit the time limit in milliseconds
 * @returns whether to commit
 * @throws the error of a statement
 */
export type TransactionWork = (run: RunSql, limit: number) => Promise<boolean>;

export type Result =
  | { readonly error: Error }
  | {
      readonly rows: readonly ReturnedRow[];
      /** The duration of a read, if it was measured. */
      readonly milliseconds?: number;
    };

/** The results, keyed by the entry's index in the batch. An entry without a result succeeded and returned no rows. */
export type Results = ReadonlyMap<number, Result>;

/** Runs a batch. @throws an error that applies to every entry of the batch */
export type RunBatch<Entry> = (batch: readonly Entry[]) => Promise<Results>;

export interface Queue<Entry> {
  /** @param bytes the memory of the entry's values */
  add(entry: Entry, bytes: number): Promise<readonly ReturnedRow[]>;
  /** Counts the waiting entries, but not entries in running batches. */
  countWaiting(): number;
  /** Refuses new entries, and waits until all earlier ones are done. */
  close(): Promise<void>;
}

export interface QueueLimits<Entry = unknown> {
  /** The number of batches that run concurrently. */
  readonly batches: number;
  readonly batchSize: number;
  readonly waiting: number;
  /** The approximate memory for waiting entries. A single entry can be larger. */
  readonly bytes: number;
  /** The longest time that an entry waits, in milliseconds. After that, its client has probably given up. */
  readonly wait: number;
  /** Whether entries that are added in the same turn of the event loop share a batch. By default, the first starts alone. */
  readonly isGathered?: boolean;
  /** Whether an entry must be in a batch of its own. */
  readonly isAlone?: (entry: Entry) => boolean;
}

/** Returns the memory for waiting entries in bytes. @param memory the container's memory in bytes; 0 without a limit */
export const toQueueBytes = (memory: number): number => Math.min(64 * 1024 ** 2, (memory || Infinity) / 16);

/** Defaults for both engines. With SQLite, a batch is one commit. */
export const DEFAULT_LIMITS: QueueLimits = {
  batches: 1,
  batchSize: 1_000,
  waiting: 2_000,
  bytes: toQueueBytes(process.constrainedMemory()),
  wait: 10_000,
};

/** Divides a limit among the processes that runService has started. The result is at least 1. */
export function toShare(limit: number): number {
  return Math.ceil(limit / (Number(getEnvironmentData('contract-kit:workers')) || 1));
}

const NO_ROWS: Result = { rows: [] };
const ENTRY_OVERHEAD_BYTES = 300;

interface WaitingEntry<Entry> {
  readonly entry: Entry;
  readonly bytes: number;
  readonly since: number;
  /** The caller's asynchronous context, for tracing. */
  readonly context: AsyncResource;
  readonly resolve: (rows: readonly ReturnedRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a queue for group commit. Entries that arrive while a batch runs share the next one, in order of arrival. The queue
 * refuses new entries while too many are waiting, and entries that have waited too long.
 */
export function createQueue<Entry>(
  run: RunBatch<Entry>,
  limits: QueueLimits<Entry>,
  observe?: ObserveCommit,
): Queue<Entry> {
  const { isAlone = () => false, isGathered = false } = limits;
  const [maxWaiting, maxBytes] = [toShare(limits.waiting), toShare(limits.bytes)];
  const waiting: WaitingEntry<Entry>[] = [];
  let bytesWaiting = 0;
  let batchesRunning = 0;
  let closing: Promise<void> | undefined;
  let whenIdle: (() => void) | undefined;

  function refuseOverdueEntries(now: number): void {
    const firstIndexInTime = waiting.findIndex(({ since }) => now - since <= limits.wait);
    for (const { bytes, reject } of waiting.splice(0, firstIndexInTime === -1 ? waiting.length : firstIndexInTime)) {
      bytesWaiting -= bytes;
      reject(new StoreUnavailable('the database is too slow for what waits'));
    }
  }

  function startBatches(): void {
    const now = performance.now();
    if (batchesRunning < limits.batches) refuseOverdueEntries(now);
    while (batchesRunning < limits.batches && waiting.length > 0) {
      const [{ entry: first, context }] = waiting as [WaitingEntry<Entry>];
      const end = waiting.findIndex(
        ({ entry }, index) => index === limits.batchSize || (index > 0 && (isAlone(first) || isAlone(entry))),
      );
      const batch = waiting.splice(0, end === -1 ? waiting.length : end);
      for (const { bytes } of batch) bytesWaiting -= bytes;
      batchesRunning++;
      // A batch that starts when another ends must not inherit that batch's context.
      void context.runInAsyncScope(runBatch, undefined, batch, now);
    }
    if (batchesRunning === 0) whenIdle?.();
  }

  async function runBatch(batch: readonly WaitingEntry<Entry>[], start: number): Promise<void> {
    const getResult = await run(batch.map(({ entry }) => entry)).then(
      (results) => (index: number) => results.get(index) ?? NO_ROWS,
      (error: unknown) => () => ({ error: error as Error }),
    );
    observe?.({
      size: batch.length,
      milliseconds: performance.now() - start,
      isKept: batch.some((_, index) => 'rows' in getResult(index)),
    });
    batchesRunning--;
    // The next batch starts before the callers of this one continue.
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
      const bytes = entryBytes + ENTRY_OVERHEAD_BYTES;
      const exceedsByteLimit = waiting.length > 0 && bytesWaiting + bytes > maxBytes;
      if (waiting.length >= maxWaiting || exceedsByteLimit) {
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
