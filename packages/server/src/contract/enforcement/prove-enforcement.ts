import { ContractError } from '../document/mistake';
import type { Enforcement } from './enforcement';
import { Violation } from '../eov/violation';
import type { Message } from '../operation/message';
import { isPublic, messagesOf, type Operation } from '../operation/operation';
import { Refusal } from '../refusal/refusal';

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused.
 *
 * @param proven the replies that were proven already: operations have some in common
 * @throws ContractError when a wrong message passes, or when a check itself fails
 */
export async function proveEnforcement(
  enforcement: Enforcement,
  operation: Operation,
  proven = new Set<Message>(),
): Promise<void> {
  try {
    await proveRefusals(enforcement, operation, proven);
  } catch (cause) {
    throw new ContractError(`${operation.id} cannot be enforced: ${(cause as Error).message}`, { cause });
  }
}

async function proveRefusals(enforcement: Enforcement, operation: Operation, proven: Set<Message>): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  const unproven = replies.filter((message) => !proven.has(message));
  const wrong = { query: { 'not-in-any-contract': '1' } };
  const isRefused = {
    'missing credentials':
      isPublic(operation) || (await isRefusal(Refusal, () => enforcement.authenticate({ headers: {}, queryText: '' }))),
    'unknown query parameters': await areRefusals(Refusal, requests, (message) => {
      enforcement.validate(message, wrong);
    }),
    'wrong replies': await areRefusals(Violation, unproven, (message) => {
      enforcement.validateReply(message, { 'not-in-any-contract': 1 });
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) if (!refused) throw new Error(`${what} pass`);
  for (const message of unproven) proven.add(message);
}

async function areRefusals(
  kind: abstract new (...args: never[]) => Error,
  messages: readonly Message[],
  attempt: (message: Message) => unknown,
): Promise<boolean> {
  for (const message of messages) if (!(await isRefusal(kind, () => attempt(message)))) return false;
  return true;
}

async function isRefusal(kind: abstract new (...args: never[]) => Error, attempt: () => unknown): Promise<boolean> {
  try {
    await attempt();
    return false;
  } catch (cause) {
    // Any other error means that the check itself failed, such as for a pattern that does not compile.
    if (!(cause instanceof kind)) throw cause;
    return true;
  }
}
