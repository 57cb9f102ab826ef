// Reads the bodies and replies of an operation.
import { ANYTHING, readContent, type Media } from './content';
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

/** A body of a reply. */
export interface ReplyMedia extends BodyMedia {
  /** The message of a reply whose body is a stream: only its headers are checked. undefined where `this` serves too. */
  readonly streamed: Message | undefined;
}

/** The body of a request. */
export interface DeclaredBody {
  readonly isRequired: boolean;
  /** By media type. */
  readonly media: ReadonlyMap<string, BodyMedia>;
}

/** The key of a reply in `responses`: a status, a range such as 4XX, or default. */
export type ReplyKey = number | `${number}XX` | 'default';

/** The reply that a contract declares for a status, for a range of them, or as the default. */
export interface DeclaredReply {
  /** The node of the document. */
  readonly object: Response;
  readonly headers: readonly ReplyHeader[];
  /** By media type, in the order of the contract. */
  readonly media: ReadonlyMap<string, ReplyMedia>;
  /** The message that is checked where the handler names no media type: that of the first body, or of no body. */
  readonly defaultMessage: Message;
}

/**
 * Reads the request body of an operation; undefined if it declares none.
 *
 * @throws Mistake when the kit cannot read the body
 */
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

/** Reads the replies of an operation. It adds mistakes to `mistakes`. */
export type ReadReplies = (object: OperationObject, mistakes: Mistakes) => Map<ReplyKey, DeclaredReply>;

/** Creates the reader. Operations that refer to the same reply share one DeclaredReply. */
export function createRepliesReader(document: Document): ReadReplies {
  const known = new Map<Response, DeclaredReply>();

  function toReply(response: Response): DeclaredReply {
    const { headers: listed = {}, content = {} } = response;
    const headers = readReplyHeaders(document, listed);
    const media = readContent(document, content, true).map((one): ReplyMedia => {
      // JSON is never streamed; a body that is not checked has the same message, streamed or not.
      const needsNoOther = one.kind === 'json' || one.schema === ANYTHING;
      const streamed = needsNoOther ? undefined : toReplyMessage(document, headers, { ...one, schema: ANYTHING });
      return { ...one, ...toReplyMessage(document, headers, one), streamed };
    });
    return {
      object: response,
      headers,
      media: new Map(media.map((one) => [one.type, one])),
      defaultMessage: media[0] ?? toReplyMessage(document, headers, undefined),
    };
  }

  return ({ responses = {} }, mistakes) => {
    const replies = new Map<ReplyKey, DeclaredReply>();
    for (const [name, node] of Object.entries(responses)) {
      // No handler sends an interim reply (1XX): node:http does.
      if (/^(?:x-|1(?:\d\d|XX)$)/.test(name)) continue;
      const key = mistakes.attempt(() => parseKey(responses, name));
      const reply = mistakes.attempt(() => {
        const response = resolveReference<Response>(document, node);
        const found = known.get(response) ?? toReply(response);
        known.set(response, found);
        return found;
      });
      if (reply && key !== undefined) replies.set(key, reply);
    }
    return replies;
  };
}

function parseKey(responses: object, name: string): ReplyKey {
  if (/^[2-5]\d\d$/.test(name)) return Number(name);
  if (name === 'default' || /^[2-5]XX$/.test(name)) return name as ReplyKey;
  throw new Mistake(responses, `the status ${name} is none: write one from 200 to 599, 2XX to 5XX, or default`, name);
}
