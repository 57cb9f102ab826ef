import assert from 'node:assert';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { error } from 'express-openapi-validator';
import { Refusal, toDepthRefusal } from './errors';
import { MEDIA_TYPE, type Operation } from './operation';
import { proveEnforcement } from './prove-enforcement';
import { createReplyCheck, type ReplyCheck } from './reply-check';
import { toSecurityRefusal } from './security';
import { runStep, type ValidatedRequest, type Validator } from './validator';

/** What express-openapi-validator enforces for one operation. */
export interface Enforcement {
  /** @throws Refusal when no alternative of the operation's security is met, or that could not be told */
  readonly authenticate: (req: Request) => Promise<void>;
  /** @throws Refusal when query or body are not what the contract says */
  readonly validate: (req: Request) => Promise<void>;
  /** @throws Error when the contract does not declare this status with this body */
  readonly checkReply: ReplyCheck;
}

/**
 * Looks an operation up in the validator once, compiles its validators, and proves that they refuse.
 *
 * @throws ContractError when the operation cannot be enforced
 */
export async function createEnforcement(
  validator: Validator,
  operation: Operation,
  app: Express,
): Promise<Enforcement> {
  const probe = createProbe(operation, app);
  await runStep(validator.load, probe);
  await runStep(validator.lookUp, probe);
  const found = probe.openapi;
  assert.equal(found.schema.operationId, operation.id, 'the validator found another operation');
  const enforcement: Enforcement = {
    async authenticate(req) {
      const security = { isMet: operation.isPublic };
      const known = req as ValidatedRequest;
      known.openapi = { ...found, security };
      try {
        await runStep(validator.secure, known);
      } catch (cause) {
        throw toSecurityRefusal(known, cause);
      }
      assert(security.isMet, 'the validator let a request pass that no verifier accepted');
    },
    async validate(req) {
      try {
        await runStep(validator.validateRequest, req);
      } catch (cause) {
        throw toValidationRefusal(cause);
      }
    },
    checkReply: await createReplyCheck(validator, operation, found),
  };
  await proveEnforcement(enforcement, operation, probe);
  return enforcement;
}

function toValidationRefusal(cause: unknown): unknown {
  if (cause instanceof RangeError) return toDepthRefusal();
  if (!(cause instanceof error.BadRequest)) return cause;
  const [place] = cause.errors.map(({ path }) => path);
  return new Refusal(String(place).startsWith('/body') ? 'INVALID_BODY' : 'INVALID_PARAMETER', cause.message);
}

// A request that no operation allows: without credentials, and with a query parameter that is not listed.
function createProbe({ method, path }: Operation, app: Express): ValidatedRequest {
  const req = Object.setPrototypeOf(new IncomingMessage(new Socket()), app.request) as ValidatedRequest;
  req.method = method;
  req.url = req.originalUrl = `${path}?not-in-any-contract=1`;
  req.headers['content-type'] = MEDIA_TYPE;
  req.res = Object.setPrototypeOf(new ServerResponse(req), app.response) as Response;
  return req;
}
