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
import type { JudgeMessage, OpenApiValidator, Validator } from '../validate/validator';
import { createValidator } from '../validate/eov/eov';
import { createRequestCheck, type ReadOnlyRule, type RequestCheck } from '../request/check-request';
import { createReplyCheck, type ReplyCheck } from '../reply/check-reply';

/** The proof at start-up asks the validator itself, as checkRequest and checkReply do. */
export interface Validators extends Pick<Validator, 'judgeRequest' | 'judgeReply' | 'nameOf'> {
  readonly authenticate: Authenticate;
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

/** Creates the checks of each operation; a watched one needs no verifiers. @throws ContractError when one cannot be enforced */
export function createValidators(
  { document, operations }: Pick<Contract, 'document' | 'operations'>,
  eov: OpenApiValidator | undefined,
  verifiers: Readonly<Record<string, Verifier>>,
  options: MessageOptions & { readonly isWatched?: (operation: Operation) => boolean } = {},
): ReadonlyMap<Operation, Validators> {
  const { isWatched = () => false, readOnly = 'drop', formats } = options;
  const validator = createValidator(eov, document, operations.map(messagesOf), formats);
  const validators = {
    ...validator,
    checkRequest: createRequestCheck(validator, readOnly),
    checkItem: createRequestCheck({ ...validator, judgeRequest: validator.judgeRequestItem }, readOnly),
  };
  return new Map(
    operations.map((operation) => {
      const authenticate = isWatched(operation) ? refuseAll : createAuthentication(operation, verifiers, validator);
      return [operation, { ...validators, authenticate, checkReply: createReplyCheck(operation, validator) }];
    }),
  );
}

const refuseAll: Authenticate = () => Promise.reject(new Refusal('CREDENTIALS_MISSING'));

// A check that never answers would leave the start without a word.
const PROOF_TIMEOUT_MS = 10_000;

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused.
 *
 * @param proven gets its proofs: equal messages, which one compiled schema judges, are proven once
 * @throws ContractError when a wrong message passes, or when a check itself fails or never answers
 */
export async function proveValidators(
  { authenticate, judgeRequest, judgeReply, nameOf }: Validators,
  operation: Operation,
  proven: Set<string>,
): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  if (!isPublic(operation)) {
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
