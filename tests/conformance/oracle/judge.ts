import type { Case } from '../case';
import type { Model, Operation, Reply } from '../contract/model';
import type { WireReply } from '../wire/reply';
import type { Secrets } from '../wire/secret';
import { judgeBody } from './body';
import { judgeEcho } from './echo';
import { judgeHeaders } from './headers';
import { judgeLeaks } from './leaks';
import { judgeStatus } from './status';
import type { Validate } from '../validator';

/** What every reply is held against. */
export interface Oracle {
  readonly model: Model;
  readonly validate: Validate;
  readonly secrets: Secrets;
}

/** Everything that is wrong with a reply to a case; empty when it is what the contract says. */
export function judge(oracle: Oracle, one: Case, reply: WireReply): string[] {
  const operation = operationOf(oracle.model, one);
  const declared = findReply(operation, reply.status);
  const expected = declared ?? errorReply(operation);
  return [
    ...judgeStatus(operation, one, reply.status),
    ...judgeHeaders(oracle, operation, one, { reply, declared, expected }),
    ...judgeBody(oracle, one, reply, expected),
    ...judgeEcho(operation, one, reply, declared),
    ...judgeLeaks(oracle, reply),
  ];
}

export function operationOf({ operations }: Model, { operation }: Case): Operation {
  const found = operations.find(({ id }) => id === operation);
  if (!found) throw new Error(`the contract has no operation ${operation}`);
  return found;
}

/** What the contract declares for a status, the nearest first (OpenAPI, Responses Object). */
export function findReply({ replies }: Operation, status: number): Reply | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status)[0] ?? ''}XX`) ?? replies.get('default');
}

// The protocol's own 404 and 405 have the body that the operation's errors have.
function errorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}
