// Reads the declared headers of a reply.
import { resolveReference, type Document, type HeaderObject, type Reference, type Schema } from '../document/document';
import { assertName } from '../document/schema-support';
import { Mistake } from '../document/mistake';
import { readNotation, type Notation } from './parameters';

export interface ReplyHeader extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

// RFC 9110 section 5.1.
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

// The kit writes these headers itself, declared or not. A handler sets none of them but Content-Type.
const OWN_HEADERS = ['content-type', 'content-length', 'x-request-id'] as const;
export type OwnHeader = (typeof OWN_HEADERS)[number];

// RFC 9110 section 7.6.1. Transfer-Encoding and Trailer too: the kit frames a body by its length.
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Without those that the kit writes itself, such as Content-Type. Throws a Mistake when the kit cannot write a header. */
export function readReplyHeaders(
  document: Document,
  headers: Readonly<Record<string, HeaderObject | Reference>>,
): ReplyHeader[] {
  return Object.entries(headers)
    .filter(([name]) => !isOwnHeader(name.toLowerCase()))
    .map(([name, node], index, all) => {
      const object = resolveReference<HeaderObject>(document, node);
      if (!HEADER_NAME.test(name)) throw new Mistake(headers, `${name} is no name of a header`, name);
      assertName(headers, name);
      if (CONNECTION_HEADERS.has(name.toLowerCase())) {
        throw new Mistake(headers, `the header ${name} is about a connection, not a reply: leave it out`, name);
      }
      const isRepeated = all.slice(0, index).some(([earlier]) => earlier.toLowerCase() === name.toLowerCase());
      if (isRepeated)
        throw new Mistake(headers, `the header ${name} is listed twice: names are the same in any case`, name);
      const notation = readNotation(document, object, 'header');
      if (name.toLowerCase() === 'set-cookie' && notation.form !== 'scalar') {
        throw new Mistake(headers, 'one Set-Cookie has one cookie: give it the type string', name);
      }
      return { name, isRequired: object.required ?? false, ...notation };
    });
}

/** Whether the kit writes a header itself; the name is in lower case. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.some((own) => own === name);
}
