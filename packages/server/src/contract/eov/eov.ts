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

// README.md beside this file has the figures.
const OPERATIONS_PER_DOCUMENT = 25;

/** @throws Error when express-openapi-validator cannot compile a schema */
export function createEov(document: Document, operations: readonly Messages[]): Eov {
  const requests = new Map<Message, AssertMessage>();
  const replies = new Map<Message, AssertMessage>();
  for (let first = 0; first < operations.length; first += OPERATIONS_PER_DOCUMENT) {
    const some = operations.slice(first, first + OPERATIONS_PER_DOCUMENT);
    const all = toMessageDocument(
      document,
      some.flatMap((one) => one.requests),
      some.flatMap((one) => one.replies),
    );
    const { judgeRequest, judgeReply } = compile(all.document);
    for (const [message, name] of all.names) {
      requests.set(message, createAssert('body', name, judgeRequest, 'request/body'));
      replies.set(message, createAssert('response', name, judgeReply, '/response'));
    }
  }
  return { assertRequest: toAssert(requests), assertReply: toAssert(replies) };
}

function toAssert(all: ReadonlyMap<Message, AssertMessage>): AssertMessage {
  return (message, value) => {
    const assert = all.get(message);
    if (!assert) throw new Error('the message is none of the contract');
    assert(message, value);
  };
}

/**
 * @param member where the validator looks for the value
 * @param name the property that stands for the message
 * @param place how the validator's texts name `member`
 */
function createAssert(member: string, name: string, judge: Judge, place: string): AssertMessage {
  const inText = `${place}/${name}`;
  const asMessage = place.slice(0, place.length - member.length - 1) || place;
  const inPointer = `/${member}/${name}`;
  return (_message, value) => {
    const fault = judge({ [member]: { [name]: value } });
    if (!fault) return;
    // The validator saw `{ m7: message }` as the body: take `m7` out of its pointer and text.
    throw new Violation(fault.pointer.replace(inPointer, ''), fault.text.replaceAll(inText, asMessage));
  };
}
