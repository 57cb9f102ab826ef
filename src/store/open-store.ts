import type { OpenStore, StoreObserver } from './plant-store';
import { openPostgresStore } from './postgres';
import { openSqliteStore } from './sqlite';
import type { StoreLocation } from './store-location';

/** @throws StoreUnavailable, with a message of one line, when the store cannot be used */
export async function openStore(location: StoreLocation, observer: StoreObserver = {}): Promise<OpenStore> {
  return 'file' in location
    ? openSqliteStore(location.file, observer)
    : openPostgresStore(location.servers, observer.observeCommit);
}
