// Repeats transactions that PostgreSQL rolled back.
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../store';

// Classes of SQLSTATE (PostgreSQL, appendix A) for bad values: data exception, constraint violation, limit exceeded.
const DATA_ERRORS = new Set(['22', '23', '54']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention, system.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);
// Serialization failure and deadlock: nothing of the transaction was kept.
const ROLLED_BACK = new Set(['40001', '40P01']);

const MAX_TRIES = 3;

/**
 * Runs `work`, and again if PostgreSQL rolled it back because of another transaction.
 *
 * @throws StoreUnavailable when the database is at fault, or else its error
 */
export async function tryAgain<T>(work: () => Promise<T>, verbOfError: 'read' | 'written'): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const isRolledBack = error instanceof DatabaseError && ROLLED_BACK.has(String(error.code));
      if (!isRolledBack || tries === MAX_TRIES) {
        throw new StoreUnavailable(`the database cannot be ${verbOfError}`, { cause: error });
      }
    }
  }
}

/** Whether the values of a row or statement are at fault. */
export function isDataError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && DATA_ERRORS.has(classOf(error));
}

// Any error that the database did not report is an error of the connection.
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || UNAVAILABLE.has(classOf(error));
}

// The first two characters of an SQLSTATE are its class.
function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}
