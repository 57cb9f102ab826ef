import { ContractError } from '../contract/text/mistake';
import type { Enforcement } from './enforcement';
import { Violation } from '../validate/validator';
import type { Message } from '../contract/operation/message';
import { isPublic, messagesOf, type Operation } from '../contract/operation/operation';
import { Refusal } from '../errors/refusal';

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused.
 *
 * @param proven the replies that earlier operations have in common with this one, proven already; this one's are added
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

// Runs each check with a message that it must refuse. Throws if one lets it pass, such as `wrong replies pass`.
async function proveRefusals(enforcement: Enforcement, operation: Operation, proven: Set<Message>): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  const unprovenReplies = replies.filter((message) => !proven.has(message));
  const wrongRequest = { query: { 'not-in-any-contract': '1' } };
  const wrongReply = { 'not-in-any-contract': 1 };
  const isRefused = {
    'missing credentials':
      isPublic(operation) || (await throwsA(Refusal, () => enforcement.authenticate({ headers: {}, queryText: '' }))),
    'unknown query parameters': await throwsForAll(Refusal, requests, (message) => {
      enforcement.validate(message, wrongRequest);
    }),
    'wrong replies': await throwsForAll(Violation, unprovenReplies, (message) => {
      enforcement.validateReply(message, wrongReply);
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) if (!refused) throw new Error(`${what} pass`);
  for (const message of unprovenReplies) proven.add(message);
}

type ErrorClass = abstract new (...args: never[]) => Error;

async function throwsForAll(
  expected: ErrorClass,
  messages: readonly Message[],
  check: (message: Message) => unknown,
): Promise<boolean> {
  for (const message of messages) if (!(await throwsA(expected, () => check(message)))) return false;
  return true;
}

async function throwsA(expected: ErrorClass, check: () => unknown): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (cause) {
    // Any other error means that the check itself failed, such as for a pattern that does not compile.
    if (!(cause instanceof expected)) throw cause;
    return true;
  }
}
