// A thread that writes the database, or one that reads it. Node runs this file directly, even where the rest of the
// source is compiled in memory: it may import only Node's modules, and files like this one by their full names.
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
  /** The file that is meant: there may be another one at its path when it is opened. */
  readonly identity: FileIdentity;
  /** The SQL that stores a row, for each table. Without it, the connection reads. */
  readonly inserts?: readonly string[];
}

export interface Answer {
  readonly outcomes: readonly (Failure | ReturnedRows)[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** A warning for the log of the service, reported once. */
  readonly warning?: string | undefined;
}

/** A batch, or a step of a transaction. */
type Work = readonly Entry[] | Sql | 'check';

interface Connection {
  answer(question: Work): Answer;
  /** Rescues the content of the write-ahead log if the files were removed, replaced or truncated; ends a forgotten transaction. */
  readonly checkFiles: () => void;
  close(): void;
}

/** Opens a connection, to write if the task has inserts, or else to read. An error ends the thread, which says why. */
function connect({ file, identity, inserts }: ConnectionOptions): Connection {
  const database = inserts === undefined ? openReader(file) : openDatabase(file);
  const run = inserts === undefined ? createBatchReader(database) : createCommit(database, inserts);
  const guard = guardFiles(database, file, identity);
  const findWarning = watchLog(database);
  const steps = createSteps(database);
  let hasWarned = false;

  // Then SQLite cannot empty the log, nor say whether it made it smaller itself.
  const isInTransaction = (): boolean => database.isOpen && database.isTransaction;

  // After a fault, moves the content of the write-ahead log into the opened database, which may close it. Only the
  // connection that writes, the one with inserts, does so.
  function checkAndSaveLog(): string | undefined {
    // Nothing is acknowledged before its end.
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
    checkFiles() {
      if (isInTransaction()) steps.endOverdue();
      checkAndSaveLog();
    },
    answer(question) {
      // Check before, so that nothing is written to lost files, and after, so that nothing in them is acknowledged.
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
    // A rescue may have closed the database already.
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
  // Look at the files regularly, so that acknowledged rows move along with a renamed file even when no message comes.
  const checkTimer = setInterval(connection.checkFiles, FILE_CHECK_MS);
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
