// A connection that writes the database, or one that reads it. It looks after the files that it has open.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import { performance } from 'node:perf_hooks';
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
  /** Whether it waits neither for locks of others nor to empty the write-ahead log. */
  readonly isHasty?: boolean;
}

export interface Answer {
  readonly outcomes: readonly (Failure | ReturnedRows)[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** A warning for the log of the service, reported once. */
  readonly warning?: string | undefined;
  /** What the work took; Infinity if the files are lost. */
  readonly milliseconds: number;
}

/** A batch, or a step of a transaction. */
export type Work = readonly Entry[] | Sql | 'check';

export interface Connection {
  answer(question: Work): Answer;
  /** Rescues the content of the write-ahead log if the files were removed, replaced or truncated; ends a forgotten transaction. */
  readonly checkFiles: () => void;
  /** @returns whether the files were found as they should be, now and before */
  isIntact(): boolean;
  close(): void;
}

/** Opens a connection, to write if the options have inserts, or else to read. */
export function connect({ file, identity, inserts, isHasty = false }: ConnectionOptions): Connection {
  const database = inserts === undefined ? openReader(file) : openDatabase(file, isHasty);
  const run = inserts === undefined ? createBatchReader(database) : createCommit(database, inserts);
  const guard = guardFiles(database, file, identity);
  const findWarning = isHasty ? () => undefined : watchLog(database);
  const steps = createSteps(database);
  let hasWarned = false;

  // Then SQLite cannot empty the log, nor say whether it made it smaller itself.
  const isInTransaction = (): boolean => database.isOpen && database.isTransaction;

  // After a fault, moves the content of the write-ahead log into the opened database, which may close it. Only a
  // connection that writes, one with inserts, does so.
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
    isIntact: () => checkAndSaveLog() === undefined,
    answer(question) {
      // Check before, so that nothing is written to lost files, and after, so that nothing in them is acknowledged.
      const isIntact = checkAndSaveLog() === undefined;
      const start = performance.now();
      const outcomes = isIntact ? work(question) : [];
      const milliseconds = performance.now() - start;
      const fault = checkAndSaveLog();
      const logBytes = guard.countLogBytes();
      if (fault === undefined)
        return { outcomes, logBytes, milliseconds, warning: isInTransaction() ? undefined : findWarning(logBytes) };
      const warning = hasWarned
        ? undefined
        : `nothing can be written until a restart, because ${fault} while it was open`;
      hasWarned = true;
      return { outcomes: failAll(question, fault), logBytes, milliseconds: Infinity, warning };
    },
    // A rescue may have closed the database already.
    close() {
      checkAndSaveLog();
      if (database.isOpen) database.close();
      guard.close();
    },
  };
}

function failAll(question: Work, message: string): Failure[] {
  const entries = Array.isArray(question) ? (question as readonly Entry[]) : [undefined];
  return entries.map((_, index) => ({ index, message, isUnavailable: true }));
}
