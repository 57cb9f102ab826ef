// The checks of an operation: credentials, request and reply.
import { createAuthentication, type Authenticate, type Verifier } from './authenticate';
import { resolveReference, type SecurityScheme } from '../document/document';
import { Refusal, toDepthRefusal } from '../refusal/refusal';
import { createEov, type AssertMessage } from '../eov/eov';
import { findEnough, type IsEnough } from '../eov/security';
import { Violation } from '../eov/violation';
import type { Contract } from '../operation/load-contract';
import { messagesOf, type Operation } from '../operation/operation';
import { createReplyCheck, type ReplyCheck } from '../reply/check-reply';

/** The checks of one operation. */
export interface Enforcement {
  /** @throws Refusal when no alternative of the operation's security is met, or when a verifier failed */
  readonly authenticate: Authenticate;
  /**
   * Fills in defaults.
   *
   * @throws Refusal when the request is not valid
   */
  readonly validate: AssertMessage;
  /** @throws Violation when the reply is not valid */
  readonly validateReply: AssertMessage;
  readonly checkReply: ReplyCheck;
}

/**
 * Compiles the checks of each operation.
 *
 * @param verifiers by the security scheme's name
 * @throws ContractError when an operation cannot be enforced
 */
export async function createEnforcements(
  { document, operations }: Contract,
  verifiers: Readonly<Record<string, Verifier>>,
): Promise<ReadonlyMap<Operation, Enforcement>> {
  const eov = createEov(document, operations.map(messagesOf));
  const nodes = Object.entries(document.components?.securitySchemes ?? {});
  const schemes = Object.fromEntries(
    nodes.map(([name, node]) => [name, resolveReference<SecurityScheme>(document, node)]),
  );
  const known = new Map<string, IsEnough>();
  const enforcements = new Map<Operation, Enforcement>();
  for (const operation of operations) {
    const alternatives = operation.security.map((all) => all.map(({ scheme }) => scheme));
    const key = JSON.stringify(alternatives);
    const isEnough = known.get(key) ?? (await findEnough(schemes, alternatives));
    known.set(key, isEnough);
    enforcements.set(operation, {
      authenticate: createAuthentication(operation, verifiers, isEnough),
      validate: refuseViolations(eov.assertRequest),
      validateReply: eov.assertReply,
      checkReply: createReplyCheck(operation, eov.assertReply),
    });
  }
  return enforcements;
}

function refuseViolations(assertRequest: AssertMessage): AssertMessage {
  return (message, value) => {
    try {
      assertRequest(message, value);
    } catch (cause) {
      // The stack overflowed: a recursive schema accepts a body of any depth.
      if (cause instanceof RangeError) throw toDepthRefusal();
      if (!(cause instanceof Violation)) throw cause;
      const isOfBody = cause.pointer.startsWith('/body');
      throw new Refusal(isOfBody ? 'INVALID_BODY' : 'INVALID_PARAMETER', cause.message);
    }
  };
}
