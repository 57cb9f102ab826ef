import type { errors } from '../../generated/contract';
import { Refusal, type ErrorName } from './errors';
import type { OperationId, Status } from './handler';

/** The entries of the error catalogue whose status the contract declares for an operation. */
type DeclaredError<Id extends OperationId> = {
  [Name in ErrorName]: (typeof errors)[Name]['status'] extends Status<Id> ? Name : never;
}[ErrorName];

/**
 * What a handler does that `npm run generate` made and nobody has written yet.
 *
 * @param operation the operationId, which the client is told
 * @param name of the error; it does not compile where the contract does not declare the status
 * @throws Refusal always
 */
export function notBuilt<Id extends OperationId>(operation: Id, name: DeclaredError<Id>): never {
  throw new Refusal(name, `${operation} is not built yet`);
}
