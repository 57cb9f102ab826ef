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

/** An operation's checks. The judge functions are for the proof at start-up. */
export interface Validators extends Pick<Validator, 'judgeRequest' | 'judgeReply' | 'nameOf'> {
  readonly authenticate: Authenticate;
  readonly checkRequest: RequestCheck;
  readonly checkItem: RequestCheck;
  readonly checkReply: ReplyCheck;
}

export interface MessageOptions {
  /** What happens to a readOnly property that a client sends; by default `drop`. */
  readonly readOnly?: ReadOnlyRule | undefined;
  /** The team's own formats by name: each function returns whether a string has the format. */
  readonly formats?: Formats | undefined;
}

/** Creates the checks of operations. Watched ones need no verifiers. @throws ContractError if an operation cannot be enforced */
export function createValidators(
  { document, operations }: Pick<Contract, 'document' | 'operations'>,
  eov: OpenApiValidator | undefined,
  verifiers: Readonly<Record<string, Verifier>>,
  options: MessageOptions & { readonly isWatched?: (operation: Operation) => boolean } = {},
): ReadonlyMap<Operation, Validators> {
  const { isWatched = () => false, readOnly = 'drop', formats } = options;
  const validator = createValidator(eov, document, operations.map(messagesOf), formats);
  const sharedChecks = {
    ...validator,
    checkRequest: createRequestCheck(validator, readOnly),
    checkItem: createRequestCheck({ ...validator, judgeRequest: validator.judgeRequestItem }, readOnly),
  };
  return new Map(
    operations.map((operation) => {
      const authenticate = isWatched(operation) ? refuseAll : createAuthentication(operation, verifiers, validator);
      return [operation, { ...sharedChecks, authenticate, checkReply: createReplyCheck(operation, validator) }];
    }),
  );
}

const refuseAll: Authenticate = () => Promise.reject(new Refusal('CREDENTIALS_MISSING'));

// How long the check of missing credentials may take. Without a limit, one that never answers would make the start hang silently.
const PROOF_TIMEOUT_MS = 10_000;

/**
 * Proves at start-up that an operation refuses invalid requests and replies.
 *
 * @param proven collects proofs, so that equal messages, which share a compiled schema, are proven only once
 * @throws ContractError when an invalid message passes, or when a check fails or never answers
 */
export async function proveValidators(
  { authenticate, judgeRequest, judgeReply, nameOf }: Validators,
  operation: Operation,
  proven: Set<string>,
): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  if (!isPublic(operation)) {
    const credentials = 'missing credentials';
    const timeout = new AbortController();
    const outcome: unknown = await Promise.race([
      Promise.try(authenticate, { headers: {}, queryText: '' }).catch((cause: unknown) => cause),
      setTimeout(PROOF_TIMEOUT_MS, new Error(`nothing checks ${credentials}`), { signal: timeout.signal }),
    ]);
    timeout.abort();
    if (!(outcome instanceof Refusal)) fail(outcome instanceof Error ? outcome : new Error(`${credentials} pass`));
  }
  proveMessages('unknown query parameters', requests, judgeRequest, { query: { 'not-in-any-contract': '1' } });
  proveMessages('wrong replies', replies, judgeReply, { 'not-in-any-contract': 1 });

  function proveMessages(label: string, messages: MessageSchema[], judge: JudgeMessage, sample: object): void {
    for (const message of messages) {
      const proof = `${label}: ${nameOf(message)}`;
      if (proven.has(proof)) continue;
      try {
        if (judge(message, sample).length === 0) throw new Error(`${label} pass`);
      } catch (cause) {
        fail(cause as Error);
      }
      proven.add(proof);
    }
  }

  function fail(cause: Error): never {
    throw new ContractError(`${operation.id} cannot be enforced: ${cause.message}`, { cause });
  }
}
