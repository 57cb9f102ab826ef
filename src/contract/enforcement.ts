import assert from 'node:assert';
import { error } from 'express-openapi-validator';
import { MESSAGES, type Enforceable } from './enforceable';
import { Refusal, toDepthRefusal } from './errors';
import { JSON_TYPE } from './media-type';
import type { Message } from './message';
import type { Operation } from './operation';
import { proveEnforcement } from './prove-enforcement';
import { createReplyCheck, type ReplyCheck } from './reply-check';
import { createReplyValidator, type ValidateReply } from './reply-validator';
import { createAuthentication, type Authenticate } from './security';
import { runStep, type Validator } from './validator';

/** What express-openapi-validator enforces for one operation. */
export interface Enforcement {
  /** @throws Refusal when no alternative of the operation's security is met, or that could not be told */
  readonly authenticate: Authenticate;
  readonly validate: ValidateRequest;
  readonly validateReply: ValidateReply;
  readonly checkReply: ReplyCheck;
}

/**
 * Fills in what has a default.
 *
 * @param value a message with its numbers as doubles
 * @throws Refusal when it is not what the contract says
 */
export type ValidateRequest = (message: Message, value: unknown) => Promise<void>;

/** Where the validator looks for the operation; it says nothing to a request that has none. */
export interface OpenApi {
  readonly schema: { readonly operationId?: string };
}

/**
 * Looks operations up in the validator once, compiles what it needs, and proves that it refuses.
 *
 * @returns what enforces one of them
 * @throws ContractError when an operation cannot be enforced
 */
export async function createEnforcements(
  validator: Validator,
  { paths, names }: Enforceable,
): Promise<ReadonlyMap<Operation, Enforcement>> {
  const messages = await lookUp(validator, MESSAGES, MESSAGES);
  const validate = createRequestValidator(validator, names, messages);
  const validateReply = await createReplyValidator(validator, names, messages);
  const enforcements = new Map<Operation, Enforcement>();
  for (const [operation, path] of paths) {
    const authenticate = createAuthentication(validator, operation, await lookUp(validator, path, operation.id));
    const checkReply = createReplyCheck(operation, validateReply);
    const enforcement = { authenticate, validate, validateReply, checkReply };
    await proveEnforcement(enforcement, operation);
    enforcements.set(operation, enforcement);
  }
  return enforcements;
}

async function lookUp(validator: Validator, path: string, operationId: string): Promise<OpenApi> {
  const app = { enabled: () => true };
  const probe = {
    app,
    method: 'POST',
    path,
    originalUrl: path,
    baseUrl: '',
    openapi: undefined as OpenApi | undefined,
  };
  await runStep(validator.load, probe);
  await runStep(validator.lookUp, probe);
  assert(probe.openapi, 'the validator found no operation');
  assert.equal(probe.openapi.schema.operationId, operationId, 'the validator found another operation');
  return probe.openapi;
}

function createRequestValidator(
  validator: Validator,
  names: ReadonlyMap<Message, string>,
  openapi: OpenApi,
): ValidateRequest {
  const request = { method: 'POST', path: MESSAGES, originalUrl: MESSAGES, query: {}, params: {}, openapi };
  const headers = { 'content-type': JSON_TYPE };
  return async (message, value) => {
    const name = String(names.get(message));
    try {
      await runStep(validator.validateRequest, { ...request, headers, body: { [name]: value } });
    } catch (cause) {
      throw toValidationRefusal(cause, name);
    }
  };
}

// The validator took all messages together for a body.
function toValidationRefusal(cause: unknown, name: string): unknown {
  if (cause instanceof RangeError) return toDepthRefusal();
  if (!(cause instanceof error.BadRequest)) return cause;
  const [place] = cause.errors.map(({ path }) => path);
  const message = cause.message.replaceAll(`request/body/${name}`, 'request');
  const isOfBody = String(place).startsWith(`/body/${name}/body`);
  return new Refusal(isOfBody ? 'INVALID_BODY' : 'INVALID_PARAMETER', message);
}
