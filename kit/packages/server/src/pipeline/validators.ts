// The validators of an operation: of its credentials, requests and replies; and the proof that each refuses what is wrong.
import { setTimeout } from 'node:timers/promises';
import {
  ContractError,
  isPublic,
  messagesOf,
  type Contract,
  type MessageSchema,
  type Operation,
} from '@contract-kit/contract';
import { createAuthentication, type Authenticate, type Verifier } from '../auth/authenticate';
import { Refusal } from '../errors/refusal';
import type { Formats } from '../validate/formats';
import type { JudgeMessage, MessageValidator, OpenApiValidator } from '../validate/validator';
import { createMessageValidator, createValidator } from '../validate/eov/eov';
import { createRequestCheck, type ReadOnlyRule, type RequestCheck } from '../request/check-request';
import { createReplyCheck, type ReplyCheck } from '../reply/check-reply';

export interface Validators extends MessageChecks {
  readonly authenticate: Authenticate;
}

/** The proof at start-up asks the validator itself, as checkRequest and checkReply do. */
export interface MessageChecks extends Pick<MessageValidator, 'judgeRequest' | 'judgeReply' | 'nameOf'> {
  readonly checkRequest: RequestCheck;
  readonly checkItem: RequestCheck;
  readonly checkReply: ReplyCheck;
}

/** How messages are judged. */
export interface MessageOptions {
  /** Whether to drop a readOnly property that a client sends, which is the default, or to refuse the request. */
  readonly readOnly?: ReadOnlyRule | undefined;
  /** The team's own formats: whether a string is of the format, by its name. */
  readonly formats?: Formats | undefined;
}

/** Creates the checks of each operation. @throws ContractError when one cannot be enforced */
export function createValidators(
  { document, operations }: Contract,
  eov: OpenApiValidator,
  verifiers: Readonly<Record<string, Verifier>>,
  options: MessageOptions = {},
): ReadonlyMap<Operation, Validators> {
  const validator = createValidator(eov, document, operations.map(messagesOf), options.formats);
  return new Map(
    operations.map((operation) => {
      const authenticate = createAuthentication(operation, verifiers, validator);
      return [operation, { authenticate, ...createChecks(operation, validator, options) }];
    }),
  );
}

/** Creates the checks of the messages of each operation, without those of its credentials. */
export function createMessageChecks(
  { document, operations }: Pick<Contract, 'document' | 'operations'>,
  options: MessageOptions = {},
): ReadonlyMap<Operation, MessageChecks> {
  const validator = createMessageValidator(document, operations.map(messagesOf), options.formats);
  return new Map(operations.map((operation) => [operation, createChecks(operation, validator, options)]));
}

function createChecks(
  operation: Operation,
  validator: MessageValidator,
  { readOnly = 'drop' }: MessageOptions,
): MessageChecks {
  return {
    ...validator,
    checkRequest: createRequestCheck(validator, readOnly),
    checkItem: createRequestCheck({ ...validator, judgeRequest: validator.judgeRequestItem }, readOnly),
    checkReply: createReplyCheck(operation, validator),
  };
}

// A check that never answers would leave the start without a word.
const PROOF_TIMEOUT_MS = 10_000;

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused.
 *
 * @param proven gets its proofs: equal messages, which one compiled schema judges, are proven once
 * @throws ContractError when a wrong message passes, or when a check itself fails or never answers
 */
export async function proveValidators(
  { authenticate, judgeRequest, judgeReply, nameOf }: MessageChecks & Partial<Validators>,
  operation: Operation,
  proven: Set<string>,
): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  if (authenticate && !isPublic(operation)) {
    const credentials = 'missing credentials';
    const decided = new AbortController();
    const found: unknown = await Promise.race([
      Promise.try(authenticate, { headers: {}, queryText: '' }).catch((cause: unknown) => cause),
      setTimeout(PROOF_TIMEOUT_MS, new Error(`nothing checks ${credentials}`), { signal: decided.signal }),
    ]);
    decided.abort();
    if (!(found instanceof Refusal)) fail(found instanceof Error ? found : new Error(`${credentials} pass`));
  }
  proveMessages('unknown query parameters', requests, judgeRequest, { query: { 'not-in-any-contract': '1' } });
  proveMessages('wrong replies', replies, judgeReply, { 'not-in-any-contract': 1 });

  function proveMessages(what: string, messages: MessageSchema[], judge: JudgeMessage, wrong: object): void {
    for (const message of messages) {
      const proof = `${what}: ${nameOf(message)}`;
      if (proven.has(proof)) continue;
      try {
        if (judge(message, wrong).length === 0) throw new Error(`${what} pass`);
      } catch (cause) {
        // Unless it passed, the check itself failed, such as for a pattern that does not compile.
        fail(cause as Error);
      }
      proven.add(proof);
    }
  }

  function fail(cause: Error): never {
    throw new ContractError(`${operation.id} cannot be enforced: ${cause.message}`, { cause });
  }
}
