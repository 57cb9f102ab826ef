import type { Document } from '../document/document';
import type { Message } from '../operation/message';
import { addFaults, type FoundFault } from '../refusal/fault';
import { compile } from './compile';
import { toMessageDocument } from './document';
import type { Judge } from './judge';
import { Violation } from './violation';

/** Validates messages with express-openapi-validator, as README.md beside this file shows. */
export interface Eov {
  /** Fills in defaults. `value` has its numbers as doubles. @throws Violation when the request is not valid */
  readonly assertRequest: AssertMessage;
  /**
   * Adds wrong fields of an invalid request to `found`, at most ten. For small requests only: it may cost several times as much.
   * Its function is compiled at the first call with a message, as it would double the time of the start.
   */
  readonly findFaults: (message: Message, value: unknown, found: readonly FoundFault[]) => readonly FoundFault[];
  /** `value` has its numbers as doubles. @throws Violation when the reply is not valid */
  readonly assertReply: AssertMessage;
}

export type AssertMessage = (message: Message, value: unknown) => void;

export interface Messages {
  readonly requests: readonly Message[];
  readonly replies: readonly Message[];
}

/** Compiles the schemas of all messages. @throws Error when express-openapi-validator cannot compile one */
export function createEov(document: Document, operations: readonly Messages[]): Eov {
  const requests = new Set(operations.flatMap((one) => one.requests));
  const replies = new Set(operations.flatMap((one) => one.replies));
  const { names, defaults, document: messageDocument } = toMessageDocument(document, [...requests, ...replies]);
  const compilers = compile(messageDocument);
  // A default that its schema refuses is not filled in: clients that send nothing would be told of it.
  for (const copy of defaults) if (!compilers.matches(copy, copy.default)) Reflect.deleteProperty(copy, 'default');
  const { compileRequest, compileAllErrorsRequest, compileReply } = compilers;
  const allErrorsJudges = new Map<string, Judge>();
  return {
    assertRequest: createAssert(requests, compileRequest),
    findFaults: (message, value, found) => {
      const name = nameOf(message);
      const judge = allErrorsJudges.get(name) ?? compileAllErrorsRequest(name);
      allErrorsJudges.set(name, judge);
      try {
        return addFaults(found, judge(value) ?? []);
      } catch (cause) {
        // What takes too many steps, or overflows the stack.
        if (!(cause instanceof RangeError)) throw cause;
        return found;
      }
    },
    assertReply: createAssert(replies, compileReply),
  };

  function nameOf(message: Message): string {
    return String(names.get(message));
  }

  // Compiles each message now, so that requests only run compiled code.
  function createAssert(messages: Iterable<Message>, compileMessage: (name: string) => Judge): AssertMessage {
    const judges = new Map(Array.from(messages, (message) => [message, compileMessage(nameOf(message))]));
    return (message, value) => {
      const judge = judges.get(message);
      if (!judge) throw new Error('the message is none of the contract');
      const faults = judge(value);
      // addFaults takes one fault of each field, at most ten.
      if (faults) throw new Violation(addFaults([], faults));
    };
  }
}
