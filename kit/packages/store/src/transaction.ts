// Runs the function of a transaction, for both engines.
import type { ReturnedRow, RunSql } from './queue';
import { StatementError, type Sql } from './statement';
import { StoreUnavailable } from './store';

/** The outcome of a transaction's function. If it is an error, nothing may be committed. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

interface TransactionLimits {
  /** The time limit in milliseconds. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a function's statements one after another. After a failed statement, a timeout or an abort, it runs no further
 * statements, and nothing is committed, regardless of what the function does.
 *
 * @throws the error of a statement, unless the function throws another one
 */
export async function superviseTransaction<T>(
  runSql: RunSql,
  work: (run: RunSql) => Promise<T>,
  { limit, signal }: TransactionLimits,
): Promise<Outcome<T>> {
  const { promise: interruption, reject: interrupt } = Promise.withResolvers<never>();
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  // PostgreSQL's client requires one statement at a time, so each waits for the latest. This promise never rejects.
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
    interrupt(new StoreUnavailable(`the transaction did not end within ${String(limit)} ms`));
  }, limit);
  const abort = (): void => {
    interrupt(signal?.reason);
  };
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    const value = await Promise.race([work(run), interruption]);
    isOver = true;
    // The function might not have waited for all of its statements.
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
