import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgres } from './postgres/open-postgres';
import { toDatabase, type ServersLocation } from './postgres/pool';
import type { EngineStore, ReturnedRow, RunSql } from './queue';
import { rowsOf, type AnySchema, type PostgresValue, type SqliteValue, type StoreSchema } from './schema';
import { openSqlite } from './sqlite/open-sqlite';
import {
  addStatements,
  measureValues,
  toSql,
  toStatement,
  type Engine,
  type Query,
  type Sql,
  type Statement,
} from './statement';
import type { Store, StoreObserver, Transaction } from './store';
import { superviseTransaction, type Outcome } from './transaction';

/**
 * Opens a store. It creates missing tables and migrates old ones. Several servers can safely do this at the same time.
 *
 * @throws StoreUnavailable, with a one-line message, if the store cannot be used
 * @example
 * const store = await openStore(parseLocation('file:data/notes.db'), schema);
 * await store.add.notes({ id: 1, text: 'Milk' });
 */
export async function openStore<Items>(
  location: StoreLocation,
  schema: StoreSchema<Items>,
  observer: StoreObserver = {},
): Promise<Store<Items>> {
  const anySchema = schema as unknown as AnySchema;
  const safeObserver = toSafeObserver(observer);
  const { add, ...otherMethods } =
    'file' in location
      ? createStore(await openSqlite(location.file, anySchema, safeObserver), 'sqlite', anySchema)
      : createStore(await openPostgres(location, anySchema, safeObserver), 'postgres', anySchema);
  return { ...otherMethods, add: add as Store<Items>['add'] };
}

// An error in an observer must not end the process or leave callers of `add` waiting forever.
function toSafeObserver(observer: StoreObserver): Required<StoreObserver> {
  const failedNames = new Set<keyof StoreObserver>();
  const warnOnce = (name: keyof StoreObserver, error: unknown): void => {
    if (failedNames.has(name)) return;
    failedNames.add(name);
    call('warn', `${name} failed; its further errors are not reported: ${String(error)}`);
  };
  const call = (name: keyof StoreObserver, value: unknown): void => {
    try {
      const result: unknown = observer[name]?.(value as never);
      if (result !== undefined) Promise.resolve(result).catch(warnOnce.bind(undefined, name));
    } catch (error) {
      warnOnce(name, error);
    }
  };
  return {
    observeCommit: call.bind(undefined, 'observeCommit'),
    observeLog: call.bind(undefined, 'observeLog'),
    watch: call.bind(undefined, 'watch'),
    warn: call.bind(undefined, 'warn'),
  };
}

function createStore<Value extends SqliteValue | PostgresValue>(
  store: EngineStore<Value>,
  engine: Engine,
  { tables }: AnySchema,
): Store<Record<string, never>> {
  const adders = Object.entries(tables).map(([name, table], index) => {
    const { toRow } = rowsOf(table, engine);
    const add = async (item: never): Promise<void> => {
      assertOutsideTransaction('add');
      const values = toRow(item) as readonly Value[];
      await store.add([index, values], measureValues(values, engine));
    };
    return [name, add] as const;
  });

  // Set in calls from a transaction's function. `isOver` is true once the transaction has ended.
  const caller = new AsyncLocalStorage<{ isOver: boolean }>();

  // With SQLite, calling the store from inside a transaction would deadlock.
  function assertOutsideTransaction(name: string): void {
    if (caller.getStore()?.isOver === false)
      throw new Error(`inside a transaction, use tx.write: store.${name} would wait for the transaction to end`);
  }

  async function runAll<Item>(queries: readonly AnyQuery<Item>[], runSql: RunAllSql): Promise<Item[]> {
    const statements = queries.map(toStatement);
    const sql = statements.map((statement) => toSql(statement, engine)) as [Sql, ...Sql[]];
    let rows: readonly ReturnedRow[];
    try {
      let bytes = 0;
      for (const { values } of sql) bytes += measureValues(values, engine);
      rows = await runSql(sql, bytes);
    } catch (error) {
      throw addStatements(error as Error, sql);
    }
    const [last] = statements.slice(-1) as [Statement<Item>];
    return rows.map((row) => last.toItem(row as never));
  }

  let closing: Promise<void> | undefined;
  return {
    ...store,
    close: () => (closing ??= store.close()),
    add: Object.fromEntries(adders),
    read: (query) => runAll([query], ([sql], bytes) => store.read(sql, bytes)),
    async write<Item>(...queries: AnyQuery<Item>[]) {
      assertOutsideTransaction('write');
      return runAll(queries, (sql, bytes) => store.write(sql, bytes));
    },
    async transaction<T>(work: (tx: Transaction) => Promise<T>, { signal }: { signal?: AbortSignal | undefined } = {}) {
      assertOutsideTransaction('transaction');
      let outcome: Outcome<T> | undefined;
      const begin = async (runSql: RunSql, limit: number): Promise<boolean> => {
        const runWork = (runNext: RunSql): Promise<T> => {
          const runOne = <Item>(query: AnyQuery<Item>): Promise<Item[]> => runAll([query], ([sql]) => runNext(sql));
          return work({ read: runOne, write: runOne });
        };
        const state = { isOver: false };
        outcome = await caller.run(state, superviseTransaction<T>, runSql, runWork, { limit, signal }).finally(() => {
          state.isOver = true;
        });
        return 'value' in outcome;
      };
      await store.transaction(begin);
      const settled = outcome as unknown as Outcome<T>;
      if ('error' in settled) throw settled.error;
      return settled.value;
    },
  };
}

type AnyQuery<Item> = Statement<Item> | Query<Item>;
type RunAllSql = (sql: readonly [Sql, ...Sql[]], bytes: number) => Promise<readonly ReturnedRow[]>;

/** The absolute path of a SQLite file, or a URL for each PostgreSQL server. */
export type StoreLocation = { readonly file: string } | ServersLocation;

/**
 * Parses the location of a store, which is `file:` and a path, or a PostgreSQL URL with one or more hosts.
 *
 * @param readAgain reads the text again before each new connection, in case the user, password or TLS has changed
 * @throws Error with a message to be put after the name of a setting, such as 'must be file: and a path'
 * @example parseLocation('file:data/plants.db')
 */
export function parseLocation(text: string, readAgain?: () => string): StoreLocation {
  if (/^postgres(ql)?:/.test(text)) {
    const servers = parseServers(text);
    return readAgain ? { servers, readServers: () => rereadServers(readAgain, servers) } : { servers };
  }
  const path = /^file:([^?#]+)$/.exec(text)?.[1];
  if (path === undefined || path.endsWith('/')) {
    throw new Error('must be file: and a path, such as file:data/store.db, or the URL of a PostgreSQL server');
  }
  // `file:///data/store.db` is a URL. `file:data/store.db` has a path relative to the working directory.
  return { file: path.startsWith('//') ? fileURLToPath(text) : resolve(path) };
}

/**
 * Describes a location for the log, without the user and password.
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

function rereadServers(readAgain: () => string, servers: readonly string[]): string[] {
  try {
    const newServers = parseServers(readAgain());
    // A different database would not have the rows that were already acknowledged.
    if (newServers.map(toDatabase).join() !== servers.map(toDatabase).join())
      throw new Error('names another database: restart the service, as only user, password and TLS are read again');
    return newServers;
  } catch (error) {
    throw new Error(`the file with the URL ${(error as Error).message}`);
  }
}

// Splits a URL with several hosts into one URL per host. As in libpq, commas separate the hosts, each with an optional port.
function parseServers(text: string): string[] {
  const [, prefix = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(text) ?? [];
  const servers = hosts.split(',').map((host) => prefix + host + rest);
  // The error messages do not contain the value, because it can include a password.
  if (rest.includes('@')) {
    // An unescaped / ? or # ends the hosts, so a part of the password would be used as a host name, and logged.
    throw new Error('must write / ? # @ and % in a password as %2F %3F %23 %40 and %25');
  }
  if (prefix === '' || !servers.every((server) => URL.canParse(server))) {
    throw new Error('must be like postgres://user:password@host:5432/database, with one host or several: host1,host2');
  }
  return servers;
}
