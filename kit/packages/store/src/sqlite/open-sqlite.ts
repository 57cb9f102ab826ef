import { statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  createQueue,
  DEFAULT_LIMITS,
  type EngineStore,
  type Result,
  type Results,
  type RunSql,
  type TransactionWork,
} from '../queue';
import type { AnySchema, SqliteValue } from '../schema';
import type { Sql } from '../statement';
import { StoreUnavailable, type StoreObserver } from '../store';
import { BEGIN, COMMIT, ROLLBACK, TRANSACTION_MS, type Entry, type Failure, type ReturnedRows } from './commit';
import { prepareSchema, toInserts } from './prepare-schema';
import { createQuickReads } from './quick-reads';
import type { Question, Answer, ConnectionOptions } from './thread';

// The maximum number of reads that are sent to the thread together. All of them wait for the slowest one.
const MAX_READS_PER_MESSAGE = 64;
interface ReadEntry {
  readonly statements: readonly [Sql];
}

const THREAD_FILE = join(__dirname, `thread${extname(__filename)}`);

interface Thread {
  hasEnded(): boolean;
  ask(question: Exclude<Question, 'close'>): Promise<Results>;
  close(): Promise<void>;
}

/**
 * Opens a file, and creates it and its folder if they are missing. One thread writes to the file, and another reads it.
 *
 * @throws StoreUnavailable with a one-line message if the file cannot be used. The file then stays unchanged.
 */
export async function openSqlite(
  file: string,
  schema: AnySchema,
  observer: StoreObserver,
  threadFile = THREAD_FILE,
): Promise<EngineStore<SqliteValue>> {
  try {
    await prepareSchema(file, schema, { warn: observer.warn });
  } catch (error) {
    throw new StoreUnavailable(`the database ${file} cannot be used: ${(error as Error).message}`);
  }
  if (isAccessibleToOthers(file)) observer.warn?.(`other users of this machine can read or write ${file}`);
  const { dev, ino } = statSync(file);
  const task = { file, identity: { dev, ino } };
  const writer = startThread(threadFile, { ...task, inserts: toInserts(schema) }, 'written', observer);
  // The first read starts this thread, because some services never read. After a crash, the next read starts it again.
  let reader: Thread | undefined;
  const quickReads = createQuickReads(file, task.identity);
  async function readInThread(batch: readonly ReadEntry[]): Promise<Results> {
    if (reader === undefined || reader.hasEnded()) reader = startThread(threadFile, task, 'read', {});
    const results = await reader.ask(batch);
    for (const [index, { statements }] of batch.entries()) quickReads.observe(statements[0], results.get(index));
    return results;
  }
  // Until a transaction ends, the thread runs nothing else.
  const writes = createQueue<Entry | TransactionWork>(
    async (batch) => {
      if (typeof batch[0] !== 'function') return writer.ask(batch as readonly Entry[]);
      await runTransaction(writer, batch[0]);
      return new Map();
    },
    { ...DEFAULT_LIMITS, isAlone: (entry) => typeof entry === 'function', isGathered: true },
    observer.observeCommit,
  );
  const reads = createQueue(readInThread, { ...DEFAULT_LIMITS, batchSize: MAX_READS_PER_MESSAGE });
  observer.watch?.(() => ({ rows: writes.countWaiting(), reads: reads.countWaiting() }));
  return {
    add: (row, bytes) => writes.add(row, bytes),
    read: async (sql, bytes) => quickReads.read(sql) ?? (await reads.add({ statements: [sql] }, bytes)),
    write: (statements, bytes) => writes.add({ statements }, bytes),
    transaction: (work) => writes.add(work, 0),
    // A check has results only if the database cannot be written.
    async check() {
      for (const result of (await writer.ask('check')).values()) throw (result as { error: Error }).error;
    },
    async close() {
      quickReads.close();
      await Promise.all([reads.close(), writes.close()]);
      // The last connection moves the content of the log into the file, so the writer must be closed last.
      await reader?.close();
      await writer.close();
    },
  };
}

async function runTransaction(writer: Thread, work: TransactionWork): Promise<void> {
  const run: RunSql = async (step) => {
    const result = (await writer.ask(step)).get(0) ?? { rows: [] };
    if ('error' in result) throw result.error;
    return result.rows;
  };
  await run(BEGIN);
  try {
    await run((await work(run, TRANSACTION_MS)) ? COMMIT : ROLLBACK);
  } catch (error) {
    await run(ROLLBACK);
    throw error;
  }
}

// Whether to warn about a file. New files are private, but an existing one keeps its mode, which its owner might have chosen.
function isAccessibleToOthers(file: string): boolean {
  return (statSync(file).mode & 0o006) !== 0 && (statSync(dirname(file)).mode & 0o001) !== 0;
}

function startThread(
  threadFile: string,
  task: ConnectionOptions,
  deniedAction: 'read' | 'written',
  { observeLog, warn }: Pick<StoreObserver, 'observeLog' | 'warn'>,
): Thread {
  const thread = new Worker(threadFile, { workerData: task });
  const pendingAnswers: PromiseWithResolvers<Answer['outcomes']>[] = [];
  thread.on('message', ({ outcomes, logBytes, warning }: Answer) => {
    observeLog?.(logBytes);
    if (warning !== undefined) warn?.(warning);
    pendingAnswers.shift()?.resolve(outcomes);
    if (pendingAnswers.length === 0) thread.unref();
  });
  let reason = 'the store is closed';
  thread.on('error', ({ message }: Error) => {
    reason = `its thread ended: ${message}`;
    warn?.(`the database cannot be ${deniedAction} until a restart: ${reason}`);
  });
  let hasEnded = false;
  const exitPromise = new Promise<void>((resolve) => {
    thread.on('exit', () => {
      hasEnded = true;
      for (const { reject } of pendingAnswers.splice(0)) reject(refuse());
      resolve();
    });
  });
  const refuse = (): StoreUnavailable => new StoreUnavailable(`the database cannot be ${deniedAction}: ${reason}`);
  // on() has called ref(), but only a waiting caller should keep the process alive.
  thread.unref();

  return {
    hasEnded: () => hasEnded,
    async ask(question) {
      if (hasEnded) throw refuse();
      // This comes first, because it throws if a value cannot be sent, such as a function.
      thread.postMessage(question);
      const answer = Promise.withResolvers<Answer['outcomes']>();
      pendingAnswers.push(answer);
      thread.ref();
      return toResults(await answer.promise, deniedAction);
    },
    async close() {
      thread.ref();
      thread.postMessage('close');
      await exitPromise;
    },
  };
}

function toResults(outcomes: Answer['outcomes'], deniedAction: string): Results {
  return new Map(outcomes.map((outcome) => [outcome.index, toResult(outcome, deniedAction)]));
}

function toResult(outcome: Failure | ReturnedRows, deniedAction: string): Result {
  if ('rows' in outcome) return outcome;
  if (!outcome.isUnavailable) return { error: new Error(outcome.message) };
  return { error: new StoreUnavailable(`the database cannot be ${deniedAction}: ${outcome.message}`) };
}
