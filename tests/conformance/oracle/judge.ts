import type { Case } from '../case';
import { findReply, operationOf, type Operation, type Reply } from '../contract/model';
import type { WireReply } from '../wire/reply';
import { judgeBody } from './body';
import { judgeEcho } from './echo';
import { judgeHeaders } from './headers';
import { judgeLeaks } from './leaks';
import type { Oracle } from './oracle';
import { judgeStatus } from './status';

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

// The protocol's own 404 and 405 have the body that the operation's errors have.
function errorReply({ replies }: Operation): Reply | undefined {
  return [...replies].find(([status]) => /^(?:[45]|default)/.test(status))?.[1];
}
