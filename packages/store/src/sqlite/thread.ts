// A thread that writes the database, or one that reads it. Node runs this file directly, even where the rest of the source is compiled in
// memory: it may import only Node's modules, and files like this one by their full names.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { check, createCommit, openDatabase, type Entry, type Failure, type Returned, type Run } from './commit.ts';
import { guardFiles, type FileIdentity } from './guard.ts';
import { watchLog } from './log.ts';
import { createReads, openReader } from './reads.ts';

/** What the thread starts with. */
export interface Task {
  readonly file: string;
  /** The file that is meant: there may be another one at its path when the thread starts. */
  readonly identity: FileIdentity;
  /** The SQL that stores a row, for each table. Without it, the thread reads. */
  readonly inserts?: readonly string[];
}

/** A message to the thread: work on a batch, check that the database can be written, or close. */
export type Question = readonly Entry[] | 'check' | 'close';

/** The answer to every message but close. */
export interface Answer {
  readonly outcomes: readonly (Failure | Returned)[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** For the log of the service, once. */
  readonly warning?: string | undefined;
}

interface Connection {
  answer(question: readonly Entry[] | 'check'): Answer;
  /** Checks that the files are still the same. */
  readonly look: () => void;
  close(): void;
}

const LOOK_MS = 1_000;

/** Answers each message but close. */
export function serveDatabase(port: MessagePort, task: Task): void {
  const connection = connect(task);
  // Look regularly, so that acknowledged rows move along with a renamed file even when no message comes.
  const looking = setInterval(connection.look, LOOK_MS);
  port.on('message', (question: Question) => {
    if (question !== 'close') {
      port.postMessage(connection.answer(question));
      return;
    }
    clearInterval(looking);
    connection.close();
    port.close();
  });
}

// If the database became unusable since the start checked it, every answer reports that.
function connect(task: Task): Connection {
  const { file, inserts } = task;
  let database: DatabaseSync | undefined;
  try {
    database = inserts === undefined ? openReader(file) : openDatabase(file);
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

function ignore(): void {
  // Without a database there is nothing to check or close.
}

function createConnection(database: DatabaseSync, { file, identity, inserts }: Task, run: Run): Connection {
  const guard = guardFiles(database, file, identity);
  const findWarning = watchLog(database);
  let isTold = false;

  function look(): string | undefined {
    const fault = guard.findFault();
    // The thread that writes rescues what is in the log.
    if (fault !== undefined && inserts !== undefined && database.isOpen) guard.rescue();
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

/* istanbul ignore next: coverage does not see the thread */
if (parentPort !== null) serveDatabase(parentPort, workerData as Task);
