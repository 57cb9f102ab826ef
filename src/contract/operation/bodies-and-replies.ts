import { readContent, type Media } from './content';
import {
  resolveReference,
  type Document,
  type OperationObject,
  type RequestBody,
  type Response,
} from '../document/document';
import { readReplyHeaders, toReplyMessage, toRequestMessage, type Message, type ReplyHeader } from './message';
import { Mistake, type Mistakes } from '../document/mistake';
import type { Parameter } from './parameter';

/** A body of one media type, with the message that it is part of. */
export type BodyMedia = Media & Message;

/** The body of a request. */
export interface DeclaredBody {
  readonly isRequired: boolean;
  /** By media type. */
  readonly media: ReadonlyMap<string, BodyMedia>;
}

/** The replies of one status. */
export interface DeclaredReply {
  readonly headers: readonly ReplyHeader[];
  /** By media type, the first one first. */
  readonly media: ReadonlyMap<string, BodyMedia>;
  /** What is expected of one that names no media type: it has the first, or no body where there is none. */
  readonly usual: Message;
}

/** @throws Mistake when the kit cannot read it */
export function readBodyDeclaration(
  document: Document,
  parameters: readonly Parameter[],
  object: OperationObject,
): DeclaredBody | undefined {
  if (!object.requestBody) return undefined;
  const { required = false, content } = resolveReference<RequestBody>(document, object.requestBody);
  const all = readContent(document, content, false);
  if (all.length === 0) throw new Mistake(content, 'a body needs a media type, such as application/json');
  const toMessage = (media: Media): Message => toRequestMessage(document, parameters, { media, isRequired: required });
  return { isRequired: required, media: new Map(all.map((media) => [media.type, { ...media, ...toMessage(media) }])) };
}

/** The declared replies of an operation by status; what is wrong with one is kept among the mistakes. */
export type ReadReplies = (object: OperationObject, mistakes: Mistakes) => Map<number, DeclaredReply>;

/** Reads replies. Those that refer to the same one are the same, and are compiled once for an operation. */
export function createRepliesReader(document: Document): ReadReplies {
  const known = new Map<Response, DeclaredReply>();

  function toReply(response: Response): DeclaredReply {
    const { headers: listed = {}, content = {} } = response;
    const headers = readReplyHeaders(document, listed);
    const media = readContent(document, content, true).map((one) => ({
      ...one,
      ...toReplyMessage(document, headers, one),
    }));
    return {
      headers,
      media: new Map(media.map((one) => [one.type, one])),
      usual: media[0] ?? toReplyMessage(document, headers, undefined),
    };
  }

  return ({ responses }, mistakes) => {
    const replies = new Map<number, DeclaredReply>();
    for (const [status, node] of Object.entries(responses)) {
      if (status.startsWith('x-')) continue;
      mistakes.attempt(() => {
        assertStatus(responses, status);
      });
      const reply = mistakes.attempt(() => {
        const response = resolveReference<Response>(document, node);
        const found = known.get(response) ?? toReply(response);
        known.set(response, found);
        return found;
      });
      if (reply) replies.set(Number(status), reply);
    }
    return replies;
  };
}

function assertStatus(responses: object, status: string): void {
  if (!/^[2-5]\d\d$/.test(status)) {
    throw new Mistake(responses, `the status ${status} is not spelled out: write one from 200 to 599`, status);
  }
}
