// Reads the bodies and replies of an operation.
import { ANYTHING, readContent, type Media } from './content';
import {
  resolveReference,
  type Document,
  type OperationObject,
  type RequestBody,
  type Response,
} from '../schema/document';
import { toReplyMessage, toRequestMessage, readReplyHeaders, type Message, type ReplyHeader } from './message';
import { Mistake, type Mistakes } from '../text/mistake';
import type { Parameter } from './parameters';
import { isJson, isRange, isUtf8, parseMediaType, rank } from './media-type';

/** A body of one media type, with the message that contains it. */
export type BodyMedia = Media & Message;

export interface ReplyMedia extends BodyMedia {
  /** The message of a reply whose body is a stream: only its headers are checked. undefined where `this` serves too. */
  readonly streamed: Message | undefined;
}

export interface DeclaredBody {
  readonly isRequired: boolean;
  /** By media type. */
  readonly media: ReadonlyMap<string, BodyMedia>;
}

/** The key of a reply in `responses`: a status, a range such as 4XX, or default. */
export type ReplyKey = number | `${number}XX` | 'default';

/** The reply that a contract declares for a status, for a range of them, or as the default. */
export interface DeclaredReply {
  readonly object: Response;
  readonly headers: readonly ReplyHeader[];
  /** By media type, in the order of the contract. */
  readonly media: ReadonlyMap<string, ReplyMedia>;
  /** The message that is checked where the handler names no media type: that of the first body, or of no body. */
  readonly defaultMessage: Message;
}

/** The request body of an operation; undefined if it declares none. Throws a Mistake when the kit cannot read it. */
export function readBodyDeclaration(
  document: Document,
  parameters: readonly Parameter[],
  object: OperationObject,
): DeclaredBody | undefined {
  if (!object.requestBody) return undefined;
  const { required: isRequired = false, content } = resolveReference<RequestBody>(document, object.requestBody);
  const bodies = readContent(document, content, false);
  if (bodies.length === 0) throw new Mistake(content, 'a body needs a media type, such as application/json');
  const media = bodies.map((body): BodyMedia => {
    return { ...body, ...toRequestMessage(document, parameters, { media: body, isRequired }) };
  });
  return { isRequired, media: new Map(media.map((one) => [one.type, one])) };
}

/** Reads the replies of an operation. It adds mistakes to `mistakes`. */
export type ReadReplies = (object: OperationObject, mistakes: Mistakes) => Map<ReplyKey, DeclaredReply>;

/** Operations that refer to the same reply share one DeclaredReply. */
export function createRepliesReader(document: Document): ReadReplies {
  const replyByResponse = new Map<Response, DeclaredReply>();

  return ({ responses = {} }, mistakes) => {
    const replies = new Map<ReplyKey, DeclaredReply>();
    for (const [name, node] of Object.entries(responses)) {
      // No handler sends an interim reply (1XX): node:http does.
      const isExtensionOrInterim = /^(?:x-|1(?:\d\d|XX)$)/.test(name);
      if (isExtensionOrInterim) continue;
      const key = mistakes.attempt(() => parseReplyKey(responses, name));
      const reply = mistakes.attempt(() => {
        const response = resolveReference<Response>(document, node);
        const found = replyByResponse.get(response) ?? readReply(document, response);
        replyByResponse.set(response, found);
        return found;
      });
      if (reply && key !== undefined) replies.set(key, reply);
    }
    return replies;
  };
}

// The validator checks headers and body together, as one object (the message): there is one for each media type.
function readReply(document: Document, response: Response): DeclaredReply {
  const { headers: declaredHeaders = {}, content = {} } = response;
  const headers = readReplyHeaders(document, declaredHeaders);
  const media = readContent(document, content, true).map((body): ReplyMedia => {
    // Of a streamed reply only the headers are checked. JSON is never streamed, and some bodies are never checked.
    const needsNoOther = body.kind === 'json' || body.schema === ANYTHING;
    const streamed = needsNoOther ? undefined : toReplyMessage(document, headers, { ...body, schema: ANYTHING });
    return { ...body, ...toReplyMessage(document, headers, body), streamed };
  });
  return {
    object: response,
    headers,
    media: new Map(media.map((one) => [one.type, one])),
    defaultMessage: media[0] ?? toReplyMessage(document, headers, undefined),
  };
}

/** @throws Mistake when a key of `responses` is no status from 200 on, no range of them, and not `default` */
function parseReplyKey(responses: object, name: string): ReplyKey {
  if (/^[2-5]\d\d$/.test(name)) return Number(name);
  if (name === 'default' || /^[2-5]XX$/.test(name)) return name as ReplyKey;
  throw new Mistake(
    responses,
    `the status ${name} is not valid: write one from 200 to 599, 2XX to 5XX, or default`,
    name,
  );
}

/** Finds the declared reply of a status: its own, else that of its range, else the default (OpenAPI, Responses Object). */
export function findReply(
  { replies }: { readonly replies: ReadonlyMap<ReplyKey, DeclaredReply> },
  status: number,
): DeclaredReply | undefined {
  const declared = replies.get(status);
  if (declared) return declared;
  // A handler may name any number; a range or the default covers real statuses only.
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  return replies.get(`${String(status).slice(0, 1)}XX` as ReplyKey) ?? replies.get('default');
}

/** Whether the declaration covers statuses from 400 to 599. */
export function mayDeclareErrors(key: ReplyKey): boolean {
  return /^(?:[45]|default)/.test(String(key));
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** The statuses that begin with a digit: for `'4'`, from 400 to 499. */
export type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends infer Text
  ? Text extends `${infer Status extends number}`
    ? Status
    : never
  : never;

/**
 * Finds the declared body of a media type: the same type with the most parameters in common, or else the narrowest range;
 * undefined if there is none, or `sent` is malformed. Text in a charset other than UTF-8 is found only as bytes.
 */
export function findMedia<T extends Media>(media: ReadonlyMap<string, T>, sent: string): T | undefined {
  const sameSpelling = media.get(sent);
  // Most requests spell it as the contract does; no request may name a range.
  if (sameSpelling && !sent.includes('*')) return sameSpelling;
  const type = parseMediaType(sent);
  if (!type || isRange(type)) return undefined;
  let best: T | undefined;
  let bestRank = 0;
  for (const candidate of media.values()) {
    const { kind, declared } = candidate;
    const isDecodable = kind === 'binary' || isUtf8(type);
    // A range such as application/* is parsed as JSON where its schema is of JSON: other types of the range are not.
    const isOfKind = kind !== 'json' || isJson(type);
    const candidateRank = rank(declared, type);
    if (!isDecodable || !isOfKind || candidateRank <= bestRank) continue;
    best = candidate;
    bestRank = candidateRank;
  }
  return best;
}
