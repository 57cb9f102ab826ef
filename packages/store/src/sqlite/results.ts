// What became of the entries of a batch.
import type { Result, Results } from '../queue';
import { StoreUnavailable } from '../store';
import type { Failure, Returned } from './commit';
import type { Answer } from './connection';

/**
 * Converts the outcomes of a batch.
 *
 * @param verb what was to be done with the database, such as `written`
 */
export function toResults(outcomes: Answer['outcomes'], verb: string): Results {
  return new Map(outcomes.map((outcome) => [outcome.index, toResult(outcome, verb)]));
}

function toResult(outcome: Failure | Returned, verb: string): Result {
  if ('rows' in outcome) return outcome;
  if (!outcome.isUnavailable) return { error: new Error(outcome.message) };
  return { error: new StoreUnavailable(`the database cannot be ${verb}: ${outcome.message}`) };
}
