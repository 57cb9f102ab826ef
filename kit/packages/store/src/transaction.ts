// Leads a transaction: runs the function of a service between its begin and its end, on either engine.
import type { ReturnedRow, RunSql } from './queue';
import { StatementError, type Sql } from './statement';
import { StoreUnavailable } from './store';

/** What became of the function of a transaction. After an error nothing is to be committed. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

interface Limits {
  /** In milliseconds. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a function whose statements are a transaction, one after the other. When a statement has failed, its time is over
 * or its signal is aborted, no other statement runs, and nothing is committed, whatever the function does.
 *
 * @throws the error of a statement, unless the function has thrown another one
 */
export async function leadTransaction<T>(
  runSql: RunSql,
  work: (run: RunSql) => Promise<T>,
  { limit, signal }: Limits,
): Promise<Outcome<T>> {
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  // Of a statement. Nothing may be committed after it.
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  // The latest statement; never rejected. The client of PostgreSQL gets one after the other.
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
    // The function need not have waited for all of them.
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
