import { ContractError } from '../document/mistake';
import { renderOwnReplies } from '../refusal/own-replies';
import type { Enforcement } from './enforcement';
import { Violation } from '../eov/violation';
import type { Message } from '../operation/message';
import { isPublic, messagesOf, type Operation } from '../operation/operation';
import { Refusal } from '../refusal/refusal';
import type { Render } from '../refusal/render';

// Samples of the headers that the kit adds to its own 401 and 503, checked against the contract where it declares them.
const REFUSAL_HEADERS: Readonly<Record<string, unknown>> = { 'www-authenticate': 'Bearer realm=""', 'retry-after': 1 };

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused, and the contract declares
 * the replies by which the kit refuses.
 *
 * @throws ContractError when a wrong message passes, or when a check itself fails
 */
export async function proveEnforcement(enforcement: Enforcement, operation: Operation, render: Render): Promise<void> {
  try {
    await proveRefusals(enforcement, operation);
    proveOwnReplies(enforcement, operation, render);
  } catch (cause) {
    throw new ContractError(`${operation.id} cannot be enforced: ${(cause as Error).message}`, { cause });
  }
}

async function proveRefusals(enforcement: Enforcement, operation: Operation): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  const wrong = { query: { 'not-in-any-contract': '1' } };
  const isRefused = {
    'missing credentials':
      isPublic(operation) || (await isRefusal(Refusal, () => enforcement.authenticate({ headers: {}, queryText: '' }))),
    'unknown query parameters': await areRefusals(Refusal, requests, (message) => {
      enforcement.validate(message, wrong);
    }),
    'wrong replies': await areRefusals(Violation, replies, (message) => {
      enforcement.validateReply(message, { 'not-in-any-contract': 1 });
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) if (!refused) throw new Error(`${what} pass`);
}

function proveOwnReplies({ checkReply }: Enforcement, operation: Operation, render: Render): void {
  for (const { status, type, body } of renderOwnReplies(operation, render)) {
    const own = (operation.replies.get(status)?.headers ?? []).flatMap(({ name }) => {
      const value = REFUSAL_HEADERS[name.toLowerCase()];
      return value === undefined ? [] : [[name, value] as const];
    });
    try {
      checkReply({ status, body, headers: { ...Object.fromEntries(own), 'Content-Type': type } });
    } catch (cause) {
      const { message } = cause as Error;
      throw new Error(`the kit answers ${String(status)} with ${type} by itself: ${message}`, { cause });
    }
  }
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
