import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable, type PlantStore } from './plant-store';
import { openDatabase } from './sqlite-database';

// The result codes that say nothing against the plant: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN,
// PROTOCOL, NOTADB.
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

/** The embedded store: one file. A plant is on disk when it is acknowledged. */
export function openSqliteStore(file: string): PlantStore {
  return createSqliteStore(openDatabase(file));
}

export function createSqliteStore(database: DatabaseSync): PlantStore {
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    add: ({ id, name, tag }) =>
      Promise.try(() => {
        try {
          insert.run(id, name, tag ?? null);
        } catch (error) {
          throw isUnavailable(error) ? new StoreUnavailable('the database cannot be written', { cause: error }) : error;
        }
      }),
    close: () =>
      Promise.try(() => {
        database.close();
      }),
  };
}

function isUnavailable(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && UNAVAILABLE.has(errcode & 0xff);
}
