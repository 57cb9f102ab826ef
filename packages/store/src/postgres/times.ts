// How long the store waits for PostgreSQL.

/** In milliseconds. */
export interface PostgresTimes {
  readonly connect: number;
  /** For one call of `use`. This timeout detects a server that vanished silently. */
  readonly work: number;
  /** From one cancel request to the next. It doubles each time, up to a minute. */
  readonly cancel: number;
  /** How long a migration waits for a lock, and all others behind it, before it lets them go first. */
  readonly lock: number;
  /** For all migrations: they may have to read and write large tables. */
  readonly migration: number;
}

export const TIMES: PostgresTimes = {
  connect: 3_000,
  work: 10_000,
  cancel: 1_000,
  lock: 2_000,
  migration: 60 * 60_000,
};
