import assert from 'node:assert';
import { error } from 'express-openapi-validator';
import type { Enforceable } from './enforceable';
import { Refusal, toDepthRefusal } from './errors';
import type { Message } from './message';
import { proveEnforcement } from './prove-enforcement';
import { createReplyCheck, type ReplyCheck } from './reply-check';
import { createReplyValidator, type ValidateReply } from './reply-validator';
import { createAuthentication, type Authenticate } from './security';
import { runStep, type Validator } from './validator';

/** What express-openapi-validator enforces for one operation. */
export interface Enforcement {
  /** @throws Refusal when no alternative of the operation's security is met, or that could not be told */
  readonly authenticate: Authenticate;
  /**
   * Fills in what has a default.
   *
   * @param value a message with its numbers as doubles
   * @throws Refusal when it is not what the contract says
   */
  readonly validate: (message: Message, value: unknown) => Promise<void>;
  readonly validateReply: ValidateReply;
  readonly checkReply: ReplyCheck;
}

/** Where the validator looks for the operation; it says nothing to a request that has none. */
export interface OpenApi {
  readonly schema: { readonly operationId?: string };
}

const POST = 'POST';
const CONSTANT = { method: POST, originalUrl: '/', query: {}, params: {} };

/**
 * Looks an operation up in the validator once, compiles its validators, and proves that they refuse.
 *
 * @throws ContractError when the operation cannot be enforced
 */
export async function createEnforcement(validator: Validator, enforceable: Enforceable): Promise<Enforcement> {
  const { operation, path, requests } = enforceable;
  const openapi = await lookUp(validator, path);
  assert.equal(openapi.schema.operationId, operation.id, 'the validator found another operation');
  const validateReply = await createReplyValidator(validator, enforceable, openapi);
  const enforcement: Enforcement = {
    authenticate: createAuthentication(validator, operation, openapi),
    async validate(message, body) {
      const headers = { 'content-type': requests.get(message) };
      try {
        await runStep(validator.validateRequest, { ...CONSTANT, path, headers, openapi, body });
      } catch (cause) {
        throw toValidationRefusal(cause);
      }
    },
    validateReply,
    checkReply: createReplyCheck(operation, validateReply),
  };
  await proveEnforcement(enforcement, operation);
  return enforcement;
}

async function lookUp(validator: Validator, path: string): Promise<OpenApi> {
  const app = { enabled: () => true };
  const probe = { app, method: POST, path, originalUrl: path, baseUrl: '', openapi: undefined as OpenApi | undefined };
  await runStep(validator.load, probe);
  await runStep(validator.lookUp, probe);
  assert(probe.openapi, 'the validator found no operation');
  return probe.openapi;
}

// The validator took the whole message for a body.
function toValidationRefusal(cause: unknown): unknown {
  if (cause instanceof RangeError) return toDepthRefusal();
  if (!(cause instanceof error.BadRequest)) return cause;
  const [place] = cause.errors.map(({ path }) => path);
  const message = cause.message.replaceAll('request/body/', 'request/');
  return new Refusal(String(place).startsWith('/body/body') ? 'INVALID_BODY' : 'INVALID_PARAMETER', message);
}
