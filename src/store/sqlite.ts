import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable, type PlantStore } from './plant-store';
import { openDatabase } from './sqlite-database';

// The result codes that say nothing against the plant: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
// PROTOCOL, NOTADB.
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

const BUSY = 5;
// How long a lock of another process is waited for, while other requests are served.
const BUSY_TIMEOUT_MS = 250;
const BUSY_RETRY_MS = 10;

/** The embedded store: one file. A plant is on disk when it is acknowledged. */
export function openSqliteStore(file: string): PlantStore {
  return createSqliteStore(openDatabase(file));
}

export function createSqliteStore(database: DatabaseSync): PlantStore {
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    async add({ id, name, tag }) {
      const deadline = Date.now() + BUSY_TIMEOUT_MS;
      for (;;) {
        try {
          insert.run(id, name, tag ?? null);
          return;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          if (!isBusy(error) || Date.now() > deadline) {
            throw new StoreUnavailable('the database cannot be written', { cause: error });
          }
        }
        await setTimeout(BUSY_RETRY_MS);
      }
    },
    close: () =>
      Promise.try(() => {
        database.close();
      }),
  };
}

function isBusy(error: unknown): boolean {
  return (error as { errcode: number }).errcode === BUSY;
}

function isUnavailable(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return UNAVAILABLE.has(errcode & 0xff);
}
