// The checks of an operation: credentials, request and reply; and the proof that each refuses what is wrong.
import { createAuthentication, type Authenticate, type Verifier } from '../auth/authenticate';
import { addFaults, toFault, toDepthRefusal, Refusal, toFaultRefusal } from '../errors/refusal';
import {
  TooManySteps,
  Violation,
  type AssertMessage,
  type CreateValidator,
  type Validator,
} from '../validate/validator';
import { convertByShape } from '../request/convert';
import type { ReadRequest } from '../request/request-reader';
import type { Contract } from '../contract/operation/load-contract';
import { messagesOf, isPublic, type Operation } from '../contract/operation/operation';
import { createReplyCheck, type ReplyCheck } from '../reply/check-reply';
import { ContractError } from '../contract/text/mistake';
import type { Message } from '../contract/operation/message';

export interface Enforcement {
  readonly authenticate: Authenticate;
  /** Fills in defaults, too. @throws Refusal when the request is not valid */
  readonly validate: AssertMessage;
  /** Adds further wrong fields to the error of `validate`; unchanged if that is no refusal, or the request is large. */
  readonly addWrongFields: (cause: unknown, request: Pick<ReadRequest, 'message' | 'value' | 'tokens'>) => unknown;
  /** @throws Violation when the reply is not valid */
  readonly validateReply: AssertMessage;
  readonly checkReply: ReplyCheck;
}

/** Compiles the checks of each operation. @throws ContractError when one cannot be enforced */
export function createEnforcements(
  { document, operations }: Contract,
  createValidator: CreateValidator,
  verifiers: Readonly<Record<string, Verifier>>,
): ReadonlyMap<Operation, Enforcement> {
  const { assertRequest, findFaults, assertReply } = createValidator(document, operations.map(messagesOf));
  const enforcements = new Map<Operation, Enforcement>();
  for (const operation of operations) {
    enforcements.set(operation, {
      authenticate: createAuthentication(operation, verifiers),
      validate: refuseViolations(assertRequest),
      addWrongFields: createAddWrongFields(findFaults),
      // The part of checkReply that is the validator's, for the proof at start-up that it works.
      validateReply: assertReply,
      checkReply: createReplyCheck(operation, assertReply),
    });
  }
  return enforcements;
}

function createAddWrongFields(findFaults: Validator['findFaults']): Enforcement['addWrongFields'] {
  return (cause, { message, value, tokens }) => {
    // A second validation of a large request would cost too much.
    if (!(cause instanceof Refusal) || cause.faults.length === 0 || !isSmall(value)) return cause;
    const found = findFaults(message, value, cause.faults);
    // The validator sees only doubles; this finds int64s whose digits are out of range.
    const int64Faults = convertByShape(message.shape, value, tokens).faults;
    return toFaultRefusal(addFaults(found, int64Faults).map((fault) => toFault(message.shape, fault)));
  };
}

function refuseViolations(assertRequest: AssertMessage): AssertMessage {
  return (message, value) => {
    try {
      assertRequest(message, value);
    } catch (cause) {
      if (cause instanceof TooManySteps) throw toDepthRefusal('nests alternatives too deeply to be validated');
      // The stack overflowed: a recursive schema accepts a body of any depth.
      if (cause instanceof RangeError) throw toDepthRefusal();
      if (!(cause instanceof Violation)) throw cause;
      throw toFaultRefusal(cause.faults.map((found) => toFault(message.shape, found)));
    }
  };
}

// Decides whether a request is small enough to look for all of its wrong fields.
const MAX_CHARACTERS = 65_536;
const MAX_VALUES = 1_000;

/** Whether a value has less than 64 kB of names and strings, and at most a thousand values: validating it again is cheap. */
function isSmall(value: unknown): boolean {
  // A list, not recursion: a value may be nested deeper than the stack.
  const values = [value];
  let characters = 0;
  // The loop goes on with the members that are added during it. Bytes count as one value.
  for (const item of values) {
    if (typeof item === 'string') characters += item.length;
    else if (typeof item === 'object' && item !== null && !ArrayBuffer.isView(item)) {
      const members: unknown[] = Object.values(item);
      if (values.length + members.length > MAX_VALUES) return false;
      values.push(...members);
      if (!Array.isArray(item)) characters += Object.keys(item).join('').length;
    }
    if (characters >= MAX_CHARACTERS) return false;
  }
  return true;
}

/**
 * Proves at start-up that an operation is enforced: wrong requests and replies are refused.
 *
 * @param proven the replies that earlier operations have in common with this one, proven already; this one's are added
 * @throws ContractError when a wrong message passes, or when a check itself fails
 */
export async function proveEnforcement(
  enforcement: Enforcement,
  operation: Operation,
  proven = new Set<Message>(),
): Promise<void> {
  try {
    await proveRefusals(enforcement, operation, proven);
  } catch (cause) {
    throw new ContractError(`${operation.id} cannot be enforced: ${(cause as Error).message}`, { cause });
  }
}

// Runs each check with a message that it must refuse. Throws if one lets it pass, such as `wrong replies pass`.
async function proveRefusals(enforcement: Enforcement, operation: Operation, proven: Set<Message>): Promise<void> {
  const { requests, replies } = messagesOf(operation);
  const unprovenReplies = replies.filter((message) => !proven.has(message));
  const wrongRequest = { query: { 'not-in-any-contract': '1' } };
  const wrongReply = { 'not-in-any-contract': 1 };
  const isRefused = {
    'missing credentials':
      isPublic(operation) || (await throwsA(Refusal, () => enforcement.authenticate({ headers: {}, queryText: '' }))),
    'unknown query parameters': await throwsForAll(Refusal, requests, (message) => {
      enforcement.validate(message, wrongRequest);
    }),
    'wrong replies': await throwsForAll(Violation, unprovenReplies, (message) => {
      enforcement.validateReply(message, wrongReply);
    }),
  };
  for (const [what, refused] of Object.entries(isRefused)) if (!refused) throw new Error(`${what} pass`);
  for (const message of unprovenReplies) proven.add(message);
}

type ErrorClass = abstract new (...args: never[]) => Error;

async function throwsForAll(
  expected: ErrorClass,
  messages: readonly Message[],
  check: (message: Message) => unknown,
): Promise<boolean> {
  for (const message of messages) if (!(await throwsA(expected, () => check(message)))) return false;
  return true;
}

async function throwsA(expected: ErrorClass, check: () => unknown): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (cause) {
    // Any other error means that the check itself failed, such as for a pattern that does not compile.
    if (!(cause instanceof expected)) throw cause;
    return true;
  }
}
