// The thread that writes the database. Node runs this file as it is, also where the rest of the source is compiled in
// memory: it may import nothing but what comes with Node, and such files by their whole names.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { check, createCommit, openDatabase, type Row, type RowFailure } from './sqlite-commit.ts';
import { guardFiles } from './sqlite-guard.ts';
import { watchLog } from './sqlite-log.ts';

/** What the thread is asked: to keep rows, whether it could, or to end. */
export type Question = readonly Row[] | 'check' | 'close';

/** What it answers to all but the last. */
export interface Answer {
  readonly failures: readonly RowFailure[];
  /** The size of the write-ahead log. */
  readonly logBytes: number;
  /** For the log of the service, once. */
  readonly warning?: string | undefined;
}

interface Connection {
  answer(question: readonly Row[] | 'check'): Answer;
  /** Looks whether the files are still the same. */
  readonly look: () => void;
  close(): void;
}

const LOOK_MS = 1_000;

/** Answers each question but the last one. */
export function serveDatabase(port: MessagePort, file: string): void {
  const connection = connect(file);
  // What is acknowledged goes along with a file that is renamed, also when nothing is asked any more.
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

// One that cannot be used any more, since the start looked at it, says so whenever it is asked.
function connect(file: string): Connection {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file);
    return createConnection(database, file);
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
  // There is nothing to look at, or to close.
}

function createConnection(database: DatabaseSync, file: string): Connection {
  const commit = createCommit(database);
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
      // Before, so that nothing is written into files that are lost; after, so that nothing is acknowledged from them.
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

function failAll(question: readonly Row[] | 'check', message: string): RowFailure[] {
  const rows = question === 'check' ? [undefined] : question;
  return rows.map((_, place) => ({ place, message, isUnavailable: true }));
}

/* istanbul ignore next: what runs as a thread is not seen from here */
if (parentPort !== null) serveDatabase(parentPort, workerData as string);
