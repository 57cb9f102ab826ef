// The thread that writes the database. Node runs this file directly, even where the rest of the source is compiled in
// memory: it may import only Node's modules, and files like this one by their full names.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Row, SqliteValue } from '../schema.ts';
import { check, createCommit, openDatabase, type RowFailure } from './commit.ts';
import { guardFiles } from './guard.ts';
import { watchLog } from './log.ts';

/** What the thread starts with. */
export interface Task {
  readonly file: string;
  /** The SQL that stores a row, for each table. */
  readonly inserts: readonly string[];
}

/** A message to the thread: store rows, check that it could, or close. */
export type Question = readonly Row<SqliteValue>[] | 'check' | 'close';

/** The answer to every message but close. */
export interface Answer {
  readonly failures: readonly RowFailure[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** For the log of the service, once. */
  readonly warning?: string | undefined;
}

interface Connection {
  answer(question: readonly Row<SqliteValue>[] | 'check'): Answer;
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
function connect({ file, inserts }: Task): Connection {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file);
    const commit = createCommit(database, inserts);
    return createConnection(database, file, commit);
  } catch (error) {
    database?.close();
    const { message } = error as Error;
    return {
      answer: (question) => ({ failures: failAll(question, message), logBytes: 0 }),
      look: ignore,
      close: ignore,
    };
  }
}

function ignore(): void {
  // Without a database there is nothing to check or close.
}

function createConnection(database: DatabaseSync, file: string, commit: ReturnType<typeof createCommit>): Connection {
  const guard = guardFiles(database, file);
  const findWarning = watchLog(database);
  let isTold = false;

  function look(): string | undefined {
    const fault = guard.findFault();
    if (fault !== undefined && database.isOpen) guard.rescue();
    return fault;
  }

  return {
    look,
    answer(question) {
      // Check before, so that nothing is written to lost files, and after, so that nothing in them is acknowledged.
      const failures = look() === undefined ? (question === 'check' ? check(database) : commit(question)) : [];
      const fault = look();
      const logBytes = guard.countLogBytes();
      if (fault === undefined) return { failures, logBytes, warning: findWarning(logBytes) };
      const warning = isTold ? undefined : `nothing is kept until a restart: ${fault} while it was open`;
      isTold = true;
      return { failures: failAll(question, fault), logBytes, warning };
    },
    close() {
      look();
      if (database.isOpen) database.close();
    },
  };
}

function failAll(question: readonly Row<SqliteValue>[] | 'check', message: string): RowFailure[] {
  const rows = question === 'check' ? [undefined] : question;
  return rows.map((_, place) => ({ place, message, isUnavailable: true }));
}

/* istanbul ignore next: coverage does not see the thread */
if (parentPort !== null) serveDatabase(parentPort, workerData as Task);
