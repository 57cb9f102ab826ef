import { error } from 'express-openapi-validator';
import { errors } from '../../generated/contract';
import { ContractError } from './contract-error';
import type { Enforcement } from './enforcement';
import { Refusal, type ErrorName } from './errors';
import type { Operation } from './operation';
import type { Shape } from './shape';
import type { ValidatedRequest } from './validator';
import { toErrorBody } from './write';

// What the kit answers to any operation by itself. 404 and 405 are HTTP's, not an operation's.
const OWN_STATUSES = new Set([400, 401, 500, 503]);

/**
 * Proves at start-up that an operation is enforced: that what is wrong is refused, and that the contract declares what
 * the kit says when it refuses.
 *
 * @param probe a request that no operation allows
 * @throws ContractError when something passes, or cannot be enforced at all
 */
export async function proveEnforcement(
  enforcement: Enforcement,
  operation: Operation,
  probe: ValidatedRequest,
): Promise<void> {
  try {
    await proveRefusals(enforcement, operation, probe);
    proveOwnReplies(enforcement, operation);
  } catch (cause) {
    throw new ContractError(`${operation.id} cannot be enforced: ${(cause as Error).message}`, { cause });
  }
}

async function proveRefusals(enforcement: Enforcement, operation: Operation, probe: ValidatedRequest): Promise<void> {
  const [[status, shape]] = operation.replies as unknown as [[number, Shape | undefined]];
  const isRefused = {
    'missing credentials': await isRefusal(Refusal, () => enforcement.authenticate(probe)),
    'unknown query parameters': await isRefusal(Refusal, () => enforcement.validate(probe)),
    'wrong replies': await isRefusal(error.InternalServerError, () =>
      enforcement.checkReply(status, shape ? undefined : {}),
    ),
  };
  for (const [what, refused] of Object.entries(isRefused)) {
    if (!refused && !(operation.isPublic && what === 'missing credentials')) throw new Error(`${what} pass`);
  }
}

function proveOwnReplies(enforcement: Enforcement, { isPublic }: Operation): void {
  for (const name of Object.keys(errors) as ErrorName[]) {
    const refusal = new Refusal(name);
    const isOwn = OWN_STATUSES.has(refusal.status) && !(isPublic && refusal.status === 401);
    if (isOwn) enforcement.checkReply(refusal.status, toErrorBody(refusal));
  }
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
