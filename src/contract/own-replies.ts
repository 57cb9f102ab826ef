import type { OperationObject } from './document';
import { Mistake } from './mistake';
import { isPublic, type Operation } from './operation';

/** The statuses that the kit answers to an operation by itself. 404 and 405 are HTTP's, not an operation's. */
export function ownStatuses(operation: Pick<Operation, 'security'>): number[] {
  return isPublic(operation) ? [400, 500, 503] : [400, 401, 500, 503];
}

/** @throws Mistake when an operation does not declare what the kit answers by itself */
export function assertOwnReplies({ responses }: OperationObject, operation: Pick<Operation, 'security'>): void {
  const missing = ownStatuses(operation).filter((status) => !Object.hasOwn(responses, String(status)));
  if (missing.length === 0) return;
  throw new Mistake(
    responses,
    `the kit answers ${missing.join(', ')} by itself: declare each with an Error as its body`,
  );
}
