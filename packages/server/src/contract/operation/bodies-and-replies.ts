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

/** A body of one media type, with the message that contains it. */
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
  /** By media type, in the order of the contract. */
  readonly media: ReadonlyMap<string, BodyMedia>;
  /** The message of a reply whose handler names no media type: with the first body, or without one. */
  readonly usual: Message;
}

/** @throws Mistake when the kit cannot read the body */
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

/** Reads the replies of an operation, by status. It adds mistakes to `mistakes`. */
export type ReadReplies = (object: OperationObject, mistakes: Mistakes) => Map<number, DeclaredReply>;

/** Replies with the same reference share one object, which is compiled once per operation. */
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
