import type { Document } from '../document/document';
import type { Message } from '../operation/message';
import { addFields, type FoundFault } from '../refusal/fault';
import { compile } from './compile';
import { toMessageDocument } from './document';
import type { Judge } from './judge';
import { Violation } from './violation';

/** Validates messages with express-openapi-validator, as README.md beside this file shows. */
export interface Eov {
  /**
   * Fills in defaults.
   *
   * @param value a request, its numbers as doubles
   * @throws Violation when the request is not valid
   */
  readonly assertRequest: AssertMessage;
  /**
   * Looks for more wrong fields of a request that is not valid, and small: it may cost several times as much. The function for it is compiled at the first
   * call with a message: the start would take twice as long.
   *
   * @param found by `assertRequest`
   * @returns at most ten, with those
   */
  readonly findFaults: (message: Message, value: unknown, found: readonly FoundFault[]) => readonly FoundFault[];
  /**
   * @param value a reply, its numbers as doubles
   * @throws Violation when the reply is not valid
   */
  readonly assertReply: AssertMessage;
}

export type AssertMessage = (message: Message, value: unknown) => void;

/** The messages of one operation. */
export interface Messages {
  readonly requests: readonly Message[];
  readonly replies: readonly Message[];
}

/** @throws Error when express-openapi-validator cannot compile a schema */
export function createEov(document: Document, operations: readonly Messages[]): Eov {
  // Operations have replies in common.
  const requests = new Set(operations.flatMap((one) => one.requests));
  const replies = new Set(operations.flatMap((one) => one.replies));
  const { names, document: messages } = toMessageDocument(document, [...requests, ...replies]);
  const { compileRequest, compileWholeRequest, compileReply } = compile(messages);
  const whole = new Map<string, Judge>();
  return {
    assertRequest: toAssert(requests, compileRequest),
    findFaults: (message, value, found) => {
      const name = nameOf(message);
      const judge = whole.get(name) ?? compileWholeRequest(name);
      whole.set(name, judge);
      return addFields(found, judge(value) ?? []);
    },
    assertReply: toAssert(replies, compileReply),
  };

  function nameOf(message: Message): string {
    return String(names.get(message));
  }

  function toAssert(some: Iterable<Message>, compileMessage: (name: string) => Judge): AssertMessage {
    const judges = new Map(Array.from(some, (message) => [message, compileMessage(nameOf(message))]));
    return (message, value) => {
      const judge = judges.get(message);
      if (!judge) throw new Error('the message is none of the contract');
      const faults = judge(value);
      if (faults) throw new Violation(addFields([], faults));
    };
  }
}
