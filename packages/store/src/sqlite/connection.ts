// A connection to a database that notices when its files are lost.
// The thread imports this file: it may import only Node's modules, and files like this one by their full names.
import type { DatabaseSync } from 'node:sqlite';
import { check, createCommit, openDatabase, type Entry, type Failure, type Returned, type Run } from './commit.ts';
import { guardFiles, type FileIdentity } from './guard.ts';
import { watchLog } from './log.ts';
import { createReads, openReader } from './reads.ts';

/** What a connection is for. */
export interface Task {
  readonly file: string;
  /** The file that is meant: there may be another one at its path when it is opened. */
  readonly identity: FileIdentity;
  /** The SQL that stores a row, for each table. Without it, the connection reads. */
  readonly inserts?: readonly string[];
  /** Beside the thread that writes: it waits for no lock, and leaves the log to the thread. */
  readonly isBeside?: boolean;
}

/** What became of a batch, or of a check. */
export interface Answer {
  readonly outcomes: readonly (Failure | Returned)[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** For the log of the service, once. */
  readonly warning?: string | undefined;
}

/** An open connection. */
export interface Connection {
  answer(question: readonly Entry[] | 'check'): Answer;
  /** Checks that the files are still the same. */
  readonly look: () => void;
  close(): void;
}

/** If the database became unusable since the start checked it, every answer reports that. */
export function connect(task: Task): Connection {
  const { file, inserts, isBeside } = task;
  let database: DatabaseSync | undefined;
  try {
    database = inserts === undefined ? openReader(file) : openDatabase(file, isBeside);
    const run = inserts === undefined ? createReads(database) : createCommit(database, inserts);
    return createConnection(database, task, run);
  } catch (error) {
    database?.close();
    const { message } = error as Error;
    return {
      answer: (question) => ({ outcomes: failAll(question, message), logBytes: 0 }),
      look: ignore,
      close: ignore,
    };
  }
}

function ignore(): undefined {
  // Without a database there is nothing to check or close.
}

function createConnection(database: DatabaseSync, task: Task, run: Run): Connection {
  const { file, identity, inserts, isBeside = false } = task;
  const guard = guardFiles(database, file, identity);
  const findWarning = isBeside ? ignore : watchLog(database);
  let isTold = false;

  function look(): string | undefined {
    const fault = guard.findFault();
    // The thread that writes rescues what is in the log.
    if (fault !== undefined && inserts !== undefined && !isBeside && database.isOpen) guard.rescue();
    return fault;
  }

  return {
    look,
    answer(question) {
      // Check before, so that nothing is written to lost files, and after, so that nothing in them is acknowledged.
      const outcomes = look() === undefined ? (question === 'check' ? check(database) : run(question)) : [];
      const fault = look();
      const logBytes = guard.countLogBytes();
      if (fault === undefined) return { outcomes, logBytes, warning: findWarning(logBytes) };
      const warning = isTold ? undefined : `nothing is kept until a restart: ${fault} while it was open`;
      isTold = true;
      return { outcomes: failAll(question, fault), logBytes, warning };
    },
    close() {
      look();
      if (database.isOpen) database.close();
    },
  };
}

function failAll(question: readonly Entry[] | 'check', message: string): Failure[] {
  const entries = question === 'check' ? [undefined] : question;
  return entries.map((_, place) => ({ place, message, isUnavailable: true }));
}
