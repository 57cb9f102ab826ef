import type { Document } from '../document/document';
import type { Message } from '../operation/message';
import { compile, type Judge } from './compile';
import { toMessageDocument } from './document';
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
  const { compileRequest, compileReply } = compile(messages);
  return { assertRequest: toAssert(requests, compileRequest), assertReply: toAssert(replies, compileReply) };

  function toAssert(some: Iterable<Message>, compileMessage: (name: string) => Judge): AssertMessage {
    const judges = new Map(Array.from(some, (message) => [message, compileMessage(String(names.get(message)))]));
    return (message, value) => {
      const judge = judges.get(message);
      if (!judge) throw new Error('the message is none of the contract');
      const fault = judge(value);
      if (fault) throw new Violation(fault.pointer, fault.text);
    };
  }
}
