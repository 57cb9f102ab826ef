// Runs statements on the main thread that were quick before: to send their rows between threads costs more than to read them.
import { performance } from 'node:perf_hooks';
import type { Result, ReturnedRow } from '../queue';
import type { Sql } from '../statement';
import { createStatements, MAX_STATEMENTS, openReader, startMeter } from './commit';
import { guardFiles, type FileIdentity } from './guard';

export interface QuickReads {
  /** @returns the rows; undefined if the statement is for the thread: it may be slow, or cannot be run now */
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  /** Tells what a statement took in the thread. */
  observe(sql: Sql, result: Result | undefined): void;
  /** From now on every statement is for the thread. */
  close(): void;
}

/** What a statement may take to stay on the main thread. */
const QUICK_MS = 1;
// After a run of 5 ms, a statement is left to the thread for 5 s: the main thread waits for it a thousandth of the time.
const PENALTY = 1_000;
// A failure is like a run that took so long.
const FAILURE_MS = 2;
// What took longer was no pause to collect garbage: the statement is slow with some of its values.
const PAUSE_MS = 50;

// To look at the files takes longer than to read a row.
const CHECK_MS = 5;

interface Connection {
  read(sql: Sql): readonly ReturnedRow[] | undefined;
  close(): void;
}

/** Runs a statement from its second time on, if the last time was quick. */
export function createQuickReads(file: string, identity: FileIdentity): QuickReads {
  // From when on each statement may run here, by its text.
  const quickFrom = new Map<string, number>();
  let connection: Connection | undefined;
  let isClosed = false;

  function note(text: string, milliseconds: number): void {
    if (quickFrom.size >= MAX_STATEMENTS) quickFrom.clear();
    quickFrom.set(text, performance.now() + (milliseconds > QUICK_MS ? PENALTY * milliseconds : 0));
  }

  return {
    observe({ text }, result) {
      // Other values may be slow again.
      const isSlow = Number(quickFrom.get(text)) - performance.now() > PENALTY * PAUSE_MS;
      if (result && 'milliseconds' in result && !isSlow) note(text, result.milliseconds);
    },
    read(sql) {
      const from = quickFrom.get(sql.text);
      if (from === undefined || from > performance.now() || isClosed) return undefined;
      connection ??= attempt(() => connect(file, identity, note));
      const rows = attempt(() => connection?.read(sql));
      if (!rows) note(sql.text, FAILURE_MS);
      return rows;
    },
    close() {
      isClosed = true;
      connection?.close();
    },
  };
}

// The thread tries again what fails here, and waits for locks.
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** @param noteSlow is told what a statement took that was not quick, or a few milliseconds more */
function connect(
  file: string,
  identity: FileIdentity,
  noteSlow: (text: string, milliseconds: number) => void,
): Connection {
  const database = openReader(file, 0);
  const guard = guardFiles(database, file, identity);
  const run = createStatements(database);
  let checked = -Infinity;
  let measure = startMeter();
  return {
    read({ text, values }) {
      const start = performance.now();
      if (start - checked > CHECK_MS) {
        if (guard.findFault() !== undefined) return undefined;
        checked = start;
        measure = startMeter();
      }
      const rows = run(text, values);
      // The meter costs more than the time, so it runs from one look at the files to the next.
      if (performance.now() - start > QUICK_MS) noteSlow(text, measure());
      return rows;
    },
    close() {
      database.close();
    },
  };
}
