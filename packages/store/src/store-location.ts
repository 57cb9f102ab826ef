import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The location of the store: the absolute path of a SQLite file, or a URL for each server of PostgreSQL. */
export type StoreLocation = { readonly file: string } | { readonly servers: readonly string[] };

/**
 * Parses the location of a store: `file:` and a path, or a URL of PostgreSQL with one host or several.
 *
 * @throws Error with a message that continues the name of a setting
 * @example parseLocation('file:data/plants.db')
 */
export function parseLocation(text: string): StoreLocation {
  if (/^postgres(ql)?:/.test(text)) return { servers: parseServers(text) };
  const path = /^file:([^?#]+)$/.exec(text)?.[1];
  if (path === undefined || path.endsWith('/')) {
    throw new Error('must be file: and a path, such as file:data/store.db, or the URL of a PostgreSQL server');
  }
  // `file:///data/store.db` is a URL; `file:data/store.db` has a path, relative to the working directory.
  return { file: path.startsWith('//') ? fileURLToPath(text) : resolve(path) };
}

/**
 * Describes a location for the log, without a password.
 *
 * @example describeLocation(parseLocation('postgres://user:secret@db/plants')) // 'postgres://db/plants'
 */
export function describeLocation(location: StoreLocation): string {
  if ('file' in location) return location.file;
  return location.servers
    .map((server) => new URL(server))
    .map(({ host, pathname }) => `postgres://${host}${pathname}`)
    .join();
}

// Makes a URL for each host. As in libpq, hosts are separated by commas, and each may have a port.
function parseServers(text: string): string[] {
  // The scheme with user and password; the hosts; the path and the query.
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(text) ?? [];
  const servers = hosts.split(',').map((host) => start + host + rest);
  // The message never shows the value, which may contain a password.
  if (start === '' || !servers.every((server) => URL.canParse(server))) {
    throw new Error('must be like postgres://user:password@host:5432/database, with one host or several: host1,host2');
  }
  return servers;
}
