import type { ObserveCommit } from './group-commit';
import type { OpenStore } from './plant-store';
import { openPostgresStore } from './postgres';
import { openSqliteStore } from './sqlite';
import type { StoreLocation } from './store-location';

/** @throws StoreUnavailable, one line, when it cannot be used */
export async function openStore(location: StoreLocation, observe?: ObserveCommit): Promise<OpenStore> {
  return 'file' in location ? openSqliteStore(location.file, observe) : openPostgresStore(location.servers, observe);
}
