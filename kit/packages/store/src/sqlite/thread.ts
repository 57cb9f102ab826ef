// A thread that writes to the database or reads from it. The rule for imports in commit.ts also applies here.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import {
  type Entry,
  checkWritable,
  createCommit,
  openDatabase,
  type Failure,
  type ReturnedRows,
  createBatchReader,
  createSteps,
  openReader,
} from './commit.ts';
import type { Sql } from '../statement.ts';
import { guardFiles, type FileIdentity } from './guard.ts';
import { watchLog } from './write-ahead-log.ts';

export interface ConnectionOptions {
  readonly file: string;
  /** The expected file. When the thread opens the path, another file could be there. */
  readonly identity: FileIdentity;
  /** The INSERT for each table; undefined if the connection only reads. */
  readonly inserts?: readonly string[];
}

export interface Answer {
  readonly outcomes: readonly (Failure | ReturnedRows)[];
  readonly logBytes: number;
  readonly warning?: string | undefined;
}

type Work = readonly Entry[] | Sql | 'check';

interface Connection {
  answer(question: Work): Answer;
  /** Saves the write-ahead log after a fault, and ends an abandoned transaction. */
  readonly recover: () => void;
  close(): void;
}

function connect({ file, identity, inserts }: ConnectionOptions): Connection {
  const database = inserts === undefined ? openReader(file) : openDatabase(file);
  const run = inserts === undefined ? createBatchReader(database) : createCommit(database, inserts);
  const guard = guardFiles(database, file, identity);
  const findWarning = watchLog(database);
  const steps = createSteps(database);
  let hasWarned = false;

  const isInTransaction = (): boolean => database.isOpen && database.isTransaction;

  // After a fault, the writer moves the content of the log into the open database file.
  function checkAndSaveLog(): string | undefined {
    // During a transaction, SQLite cannot empty the log, and nothing is acknowledged.
    if (isInTransaction()) return undefined;
    const fault = guard.findFault();
    if (fault !== undefined && inserts !== undefined && database.isOpen) guard.moveLogIntoFile();
    return fault;
  }

  function work(question: Work): Answer['outcomes'] {
    if (question === 'check') return checkWritable(database);
    return 'text' in question ? steps.run(question) : run(question);
  }

  return {
    recover() {
      if (isInTransaction()) steps.endOverdue();
      checkAndSaveLog();
    },
    answer(question) {
      // The first check prevents writing to lost files, and the second prevents acknowledging rows in them.
      const isIntact = checkAndSaveLog() === undefined;
      const outcomes = isIntact ? work(question) : [];
      const fault = checkAndSaveLog();
      const logBytes = guard.countLogBytes();
      if (fault === undefined)
        return { outcomes, logBytes, warning: isInTransaction() ? undefined : findWarning(logBytes) };
      const warning = hasWarned
        ? undefined
        : `nothing can be written until a restart, because ${fault} while it was open`;
      hasWarned = true;
      return { outcomes: failAll(question, fault), logBytes, warning };
    },
    close() {
      checkAndSaveLog();
      if (database.isOpen) database.close();
    },
  };
}

function failAll(question: Work, message: string): Failure[] {
  const entries = Array.isArray(question) ? (question as readonly Entry[]) : [undefined];
  return entries.map((_, index) => ({ index, message, isUnavailable: true }));
}

export type Question = Work | 'close';

const FILE_CHECK_MS = 1_000;

export function serveDatabase(port: MessagePort, task: ConnectionOptions): void {
  const connection = connect(task);
  // Without this timer, an idle thread would not move acknowledged rows into a renamed file.
  const checkTimer = setInterval(connection.recover, FILE_CHECK_MS);
  port.on('message', (question: Question) => {
    if (question !== 'close') {
      port.postMessage(connection.answer(question));
      return;
    }
    clearInterval(checkTimer);
    connection.close();
    port.close();
  });
}

/* istanbul ignore next: coverage does not see the thread */
if (parentPort !== null) serveDatabase(parentPort, workerData as ConnectionOptions);
