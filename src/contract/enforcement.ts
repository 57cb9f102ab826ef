import assert from 'node:assert';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { error } from 'express-openapi-validator';
import { ContractError } from './contract-error';
import { Refusal } from './errors';
import { MEDIA_TYPE, type Operation } from './operation';
import { createReplyCheck, type ReplyCheck } from './reply-check';
import type { Shape } from './shape';
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
 * Looks an operation up in the validator once, compiles its validators, and proves that each of them refuses.
 *
 * @throws ContractError when one of them lets everything pass
 */
export async function createEnforcement(
  validator: Validator,
  operation: Operation,
  app: Express,
): Promise<Enforcement> {
  const probe = createProbe(operation, app);
  await runStep(validator.lookUp, probe);
  const found = { ...probe.openapi };
  const enforcement: Enforcement = {
    async authenticate(req) {
      const security = { isMet: operation.isPublic };
      const known: ValidatedRequest = Object.assign(req, { openapi: { ...found, security } });
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
  await prove(enforcement, operation, probe);
  return enforcement;
}

function toValidationRefusal(cause: unknown): unknown {
  // A schema that refers to itself is as deep as the client makes it.
  if (cause instanceof RangeError)
    return new Refusal('INVALID_BODY', 'the request body is nested too deeply', { cause });
  if (!(cause instanceof error.BadRequest)) return cause;
  const isBody = cause.errors.every(({ path }) => path.startsWith('/body'));
  return new Refusal(isBody ? 'INVALID_BODY' : 'INVALID_PARAMETER', cause.message, { cause });
}

// A request that no operation allows: without credentials, and with a query parameter that is not listed.
function createProbe({ method, path, body }: Operation, app: Express): ValidatedRequest {
  const req = Object.setPrototypeOf(new IncomingMessage(new Socket()), app.request) as ValidatedRequest;
  req.method = method;
  req.url = req.originalUrl = `${path}?not-in-any-contract=1`;
  req.baseUrl = '';
  if (body) req.headers['content-type'] = MEDIA_TYPE;
  req.res = Object.setPrototypeOf(new ServerResponse(req), app.response) as Response;
  return req;
}

async function prove(enforcement: Enforcement, operation: Operation, probe: ValidatedRequest): Promise<void> {
  const { isPublic, replies, id } = operation;
  const [[status, shape]] = replies as unknown as [[number, Shape | undefined]];
  const isRefused = {
    'missing credentials': await refuses(() => enforcement.authenticate(probe)),
    'an unknown query parameter': await refuses(() => enforcement.validate(probe)),
    'a wrong reply': await refuses(() => {
      enforcement.checkReply(status, shape ? undefined : {});
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) {
    if (!refused && !(isPublic && what === 'missing credentials')) throw new ContractError(`${id} lets ${what} pass`);
  }
}

async function refuses(attempt: () => Promise<void> | void): Promise<boolean> {
  try {
    await attempt();
    return false;
  } catch (cause) {
    return !(cause instanceof assert.AssertionError);
  }
}
