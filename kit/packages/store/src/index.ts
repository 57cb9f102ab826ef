// The public API. Everything else is private.
export { openStore } from './open-store';
export type { Migration, PostgresValue, Rows, SqliteValue, StoreSchema, Table } from './schema';
export type { Changed, Query, Statement } from './statement';
export {
  StoreUnavailable,
  type Commit,
  type ObserveCommit,
  type Store,
  type StoreObserver,
  type Transaction,
} from './store';
export { describeLocation, parseLocation, type StoreLocation } from './open-store';
export { createStoreMetrics } from './store-metrics';
