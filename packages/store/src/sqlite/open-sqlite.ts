import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createGroupCommit, LIMITS, type Committer, type Failures, type RowStore } from '../group-commit';
import type { AnySchema, SqliteValue } from '../schema';
import { StoreUnavailable, type StoreObserver } from '../store';
import type { RowFailure } from './commit';
import { prepareSchema, toInserts } from './prepare-schema';
import type { Answer, Question, Task } from './thread';

const THREAD = join(__dirname, `thread${extname(__filename)}`);

/**
 * The embedded store: one file, created with its folder if missing. A thread of its own writes to it.
 *
 * @throws StoreUnavailable, with a message of one line that names the file, when the file cannot be used; it is not
 *   changed then
 */
export function openSqlite(file: string, schema: AnySchema, observer: StoreObserver): RowStore<SqliteValue> {
  try {
    prepareSchema(file, schema);
  } catch (error) {
    throw new StoreUnavailable(`the database ${file} cannot be used: ${(error as Error).message}`);
  }
  if (isOpenToOthers(file)) observer.warn?.(`other users of this machine can read or write ${file}`);
  return createGroupCommit(startThread({ file, inserts: toInserts(schema) }, observer), LIMITS, observer.observeCommit);
}

// A file that is created here is private. The mode of an existing file stays: its owner may want it so.
function isOpenToOthers(file: string): boolean {
  return (statSync(file).mode & 0o006) !== 0 && (statSync(dirname(file)).mode & 0o001) !== 0;
}

// An uncaught error of the thread ends the process; no acknowledged row is lost by that.
function startThread(task: Task, { observeLog, warn }: StoreObserver): Committer<SqliteValue> {
  const thread = new Worker(THREAD, { workerData: task });
  // The thread answers messages in their order.
  const asked: ((failures: readonly RowFailure[]) => void)[] = [];
  thread.on('message', ({ failures, logBytes, warning }: Answer) => {
    observeLog?.(logBytes);
    if (warning !== undefined) warn?.(warning);
    asked.shift()?.(failures);
    if (asked.length === 0) thread.unref();
  });
  // The thread keeps the process alive only while something waits for it. After on(), which refs the thread.
  thread.unref();

  function ask(question: Question): Promise<Failures> {
    return new Promise((resolve) => {
      asked.push((failures) => {
        resolve(new Map(failures.map((failure) => [failure.place, toError(failure)])));
      });
      thread.ref();
      thread.postMessage(question);
    });
  }

  return {
    commit: ask,
    async check() {
      for (const failure of (await ask('check')).values()) throw failure;
    },
    async close() {
      thread.ref();
      thread.postMessage('close');
      await once(thread, 'exit');
    },
  };
}

function toError({ message, isUnavailable }: RowFailure): Error {
  if (!isUnavailable) return new Error(message);
  return new StoreUnavailable(`the database cannot be written: ${message}`);
}
