// Runs a transaction's function between its begin and its end, on either engine.
import type { ReturnedRow, RunSql } from './queue';
import { StatementError, type Sql } from './statement';
import { StoreUnavailable } from './store';

/** The outcome of a transaction's function. After an error, nothing must be committed. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

interface Limits {
  /** How long the function may take, in milliseconds. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a function's statements one after another. After a failed statement, the time limit or an abort, it runs no other
 * statement, and nothing is committed, whatever the function does.
 *
 * @throws the error of a statement, unless the function throws another one
 */
export async function superviseTransaction<T>(
  runSql: RunSql,
  work: (run: RunSql) => Promise<T>,
  { limit, signal }: Limits,
): Promise<Outcome<T>> {
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  // After the failure of a statement, nothing may be committed.
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  // The latest statement, which never rejects. PostgreSQL's client wants one statement at a time.
  let latest: Promise<unknown> = Promise.resolve();

  function run(sql: Sql): Promise<readonly ReturnedRow[]> {
    if (isOver) return Promise.reject(new StatementError('the transaction has ended'));
    const running = latest.then(() => {
      if (failure) throw failure.error;
      return runSql(sql);
    });
    latest = running.catch((error: unknown) => {
      failure ??= { error };
    });
    return running;
  }

  const timer = setTimeout(() => {
    end(new StoreUnavailable(`the transaction did not end within ${String(limit)} ms`));
  }, limit);
  const abort = (): void => {
    end(signal?.reason);
  };
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    const value = await Promise.race([work(run), ended]);
    isOver = true;
    // The function may not have waited for all of its statements.
    await latest;
    if (failure) throw failure.error;
    return { value };
  } catch (error) {
    isOver = true;
    if (failure?.error === error) throw error;
    failure ??= { error };
    await latest;
    return { error };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
