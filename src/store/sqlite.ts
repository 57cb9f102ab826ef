import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createGroupCommit, LIMITS, type Committer, type Failures } from './group-commit';
import { StoreUnavailable, type OpenStore, type StoredPlant, type StoreObserver } from './plant-store';
import { prepareSchema } from './sqlite-schema';
import type { Row, RowFailure } from './sqlite-commit';
import type { Answer, Question } from './sqlite-thread';

const THREAD = join(__dirname, `sqlite-thread${extname(__filename)}`);

/**
 * The embedded store: one file, created with its folder if missing. A thread of its own writes to it.
 *
 * @throws StoreUnavailable, with a message of one line that names the file, when the file cannot be used; it is not
 *   changed then
 */
export function openSqliteStore(file: string, observer: StoreObserver = {}): OpenStore {
  try {
    prepareSchema(file);
  } catch (error) {
    throw new StoreUnavailable(`the database ${file} cannot be used: ${(error as Error).message}`);
  }
  if (isOpenToOthers(file)) observer.warn?.(`other users of this machine can read or write ${file}`);
  return createGroupCommit(startThread(file, observer), LIMITS, observer.observeCommit);
}

// A file that is created here is private. The mode of an existing file stays: its owner may want it so.
function isOpenToOthers(file: string): boolean {
  return (statSync(file).mode & 0o006) !== 0 && (statSync(dirname(file)).mode & 0o001) !== 0;
}

// An uncaught error of the thread ends the process; no acknowledged plant is lost by that.
function startThread(file: string, { observeLog, warn }: StoreObserver): Committer {
  const thread = new Worker(THREAD, { workerData: file });
  // The thread answers messages in their order.
  const asked: ((failures: readonly RowFailure[]) => void)[] = [];
  thread.on('message', ({ failures, logBytes, warning }: Answer) => {
    observeLog?.(logBytes);
    if (warning !== undefined) warn?.(warning);
    asked.shift()?.(failures);
  });
  // A waiting client's connection keeps the process alive, so the thread need not. After on(), which refs the thread.
  thread.unref();

  function ask(question: Question): Promise<Failures> {
    return new Promise((resolve) => {
      asked.push((failures) => {
        resolve(new Map(failures.map((failure) => [failure.place, toError(failure)])));
      });
      thread.postMessage(question);
    });
  }

  return {
    commit: (batch) => ask(batch.map(toRow)),
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

export function toRow({ id, name, tag }: StoredPlant): Row {
  return [id, name, tag ?? null];
}

function toError({ message, isUnavailable }: RowFailure): Error {
  if (!isUnavailable) return new Error(message);
  return new StoreUnavailable(`the database cannot be written: ${message}`);
}
