import type { Returned } from './queue';
import type { Row } from './schema';
import type { Sql } from './statement';
import type { Store } from './store';

/** A store of one engine, of rows and SQL. `bytes` is roughly the memory that an entry takes while it waits. */
export interface EngineStore<Value> extends Pick<Store<never>, 'check' | 'countWaiting' | 'close'> {
  add(row: Row<Value>, bytes: number): Promise<void>;
  read(sql: Sql, bytes: number): Promise<readonly Returned[]>;
  write(statements: readonly Sql[], bytes: number): Promise<readonly Returned[]>;
}
