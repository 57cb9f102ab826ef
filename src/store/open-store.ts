import type { ObserveCommit } from './group-commit';
import type { OpenStore } from './plant-store';
import { openPostgresStore } from './postgres';
import { openSqliteStore } from './sqlite';

/** Where plants are kept: the absolute path of a SQLite file, or a URL for each server of PostgreSQL. */
export type StoreLocation = { readonly file: string } | { readonly servers: readonly string[] };

/** @throws StoreUnavailable, one line, when it cannot be used */
export async function openStore(location: StoreLocation, observe?: ObserveCommit): Promise<OpenStore> {
  return 'file' in location ? openSqliteStore(location.file, observe) : openPostgresStore(location.servers, observe);
}

/** For people; no password is in it. */
export function describeLocation(location: StoreLocation): string {
  if ('file' in location) return location.file;
  return location.servers
    .map((server) => new URL(server))
    .map(({ host, pathname }) => `postgres://${host}${pathname}`)
    .join();
}
