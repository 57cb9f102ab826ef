import { errors } from '../../generated/contract';
import { ContractError } from './contract-error';
import type { Enforcement } from './enforcement';
import { Refusal, type ErrorName } from './errors';
import { Violation } from './eov/violation';
import type { Message } from './message';
import { isPublic, type Operation } from './operation';
import { ownStatuses } from './own-replies';
import { toErrorBody } from './write';

// What the kit sends with a refusal by itself.
const OWN_HEADERS: Readonly<Record<string, unknown>> = { 'www-authenticate': 'Bearer realm=""', 'retry-after': 1 };

/**
 * Proves at start-up that an operation is enforced: that what is wrong is refused, and that the contract declares what
 * the kit says when it refuses.
 *
 * @throws ContractError when something passes, or cannot be enforced at all
 */
export async function proveEnforcement(enforcement: Enforcement, operation: Operation): Promise<void> {
  try {
    await proveRefusals(enforcement, operation);
    proveOwnReplies(enforcement, operation);
  } catch (cause) {
    throw new ContractError(`${operation.id} cannot be enforced: ${(cause as Error).message}`, { cause });
  }
}

async function proveRefusals(enforcement: Enforcement, operation: Operation): Promise<void> {
  const { bare, body, replies } = operation;
  const requests = [...(bare ? [bare] : []), ...(body?.media.values() ?? [])];
  const answers = [...replies.values()].flatMap((reply) => [reply.usual, ...reply.media.values()]);
  const wrong = { query: { 'not-in-any-contract': '1' } };
  const isRefused = {
    'missing credentials':
      isPublic(operation) || (await isRefusal(Refusal, () => enforcement.authenticate({ headers: {}, queryText: '' }))),
    'unknown query parameters': await areRefusals(Refusal, requests, (message) => {
      enforcement.validate(message, wrong);
    }),
    'wrong replies': await areRefusals(Violation, answers, (message) => {
      enforcement.validateReply(message, { 'not-in-any-contract': 1 });
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) if (!refused) throw new Error(`${what} pass`);
}

function proveOwnReplies({ checkReply }: Enforcement, operation: Operation): void {
  const refusals = (Object.keys(errors) as ErrorName[]).map((name) => new Refusal(name));
  const statuses = ownStatuses(operation);
  for (const [status, { headers }] of operation.replies) {
    if (!statuses.includes(status)) continue;
    const own = headers.flatMap(({ name }) => {
      const value = OWN_HEADERS[name.toLowerCase()];
      return value === undefined ? [] : [[name, value] as const];
    });
    for (const refusal of refusals.filter((one) => one.status === status)) {
      checkReply({ status, body: toErrorBody(refusal), headers: Object.fromEntries(own) });
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
    // Anything else says that it cannot be told at all, such as a pattern that does not compile.
    if (!(cause instanceof kind)) throw cause;
    return true;
  }
}
