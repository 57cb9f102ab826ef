// Repeats transactions that PostgreSQL rolled back.
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../store';

// Classes of SQLSTATE (PostgreSQL, appendix A) for a bad row: data exception, constraint violation, limit exceeded.
const OF_THE_ROW = new Set(['22', '23', '54']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention, system.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);
// Serialization failure and deadlock: nothing is done.
const ROLLED_BACK = new Set(['40001', '40P01']);

const TRIES = 3;

/**
 * Does some work, and does it again if another transaction rolled it back.
 *
 * @throws StoreUnavailable when the database is at fault, or else its error
 */
export async function tryAgain<T>(work: () => Promise<T>, verb: 'read' | 'written'): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!(error instanceof DatabaseError) || !ROLLED_BACK.has(String(error.code)) || tries === TRIES) {
        throw new StoreUnavailable(`the database cannot be ${verb}`, { cause: error });
      }
    }
  }
}

/** Whether the values of a row are at fault. */
export function isOfTheRow(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && OF_THE_ROW.has(classOf(error));
}

// Any error that the database did not report is an error of the connection.
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || UNAVAILABLE.has(classOf(error));
}

function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}
