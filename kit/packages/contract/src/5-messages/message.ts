// Reads bodies and replies, and describes each message as one schema, so that the validator checks it in one call.
import { ANYTHING, readContent, type Media } from './content';
import {
  resolveReference,
  type NormalizedDocument,
  type OperationObject,
  type RequestBody,
  type Response,
  type HeaderObject,
  type Reference,
} from '../2-resolve/document';
import type { NormalizedSchema } from '../2-resolve/schema';
import { DocumentError, type DocumentErrors } from '../text/document-error';
import { type Parameter, readNotation, type ParameterLocation, type Notation } from './parameters';
import { isJson, isRange, isUtf8, parseMediaType, rank } from './media-type';
import { createShape, type Shape } from '../4-shape/shape';
import { MADE_BY_KIT, type AccessMode } from '../2-resolve/read-write-only';
import { assertEnforceableName } from '../2-resolve/supported';

/** A body with one media type, and the message that contains it. */
export interface BodyMedia extends Media, MessageSchema {
  readonly schema: NormalizedSchema;
  /** The message whose `body` is one item of a sequence; undefined if the body is read as a whole. */
  readonly item: MessageSchema | undefined;
}

/** The body of a reply with one media type. */
export interface ReplyMedia extends BodyMedia {
  /** The message for a streamed reply, which checks only the headers; undefined if the ordinary message can be used. */
  readonly streamed: MessageSchema | undefined;
}

export interface DeclaredBody {
  readonly isRequired: boolean;
  readonly media: ReadonlyMap<string, BodyMedia>;
  /** `x-body-limit` in bytes; undefined if the service's limit applies. */
  readonly limit: number | undefined;
}

export type ReplyKey = number | `${number}XX` | 'default';

export interface DeclaredReply {
  readonly object: Response;
  readonly headers: readonly ReplyHeader[];
  /** The declared bodies, keyed by media type in the contract's order. */
  readonly media: ReadonlyMap<string, ReplyMedia>;
  /** The message for a reply without a media type. It has the first declared body, if there is one. */
  readonly defaultMessage: MessageSchema;
}

export function readBodyDeclaration(
  document: NormalizedDocument,
  parameters: readonly Parameter[],
  object: OperationObject,
  querystring: WholeValue | undefined,
): DeclaredBody | undefined {
  if (!object.requestBody) return undefined;
  const declared = resolveReference<RequestBody>(document, object.requestBody, 'RequestBody');
  const { required: isRequired = false, content } = declared;
  const bodies = readContent(document, content, false);
  if (bodies.length === 0) throw new DocumentError(content, 'a body needs a media type, such as application/json');
  const media = bodies.map((body): BodyMedia => {
    const item = toItemMessage(document, body, 'readOnly');
    const whole = item ? undefined : { media: body, isRequired };
    return { ...body, ...toRequestMessage(document, parameters, whole, querystring), item };
  });
  return { isRequired, media: new Map(media.map((entry) => [entry.type, entry])), limit: readBodyLimit(declared) };
}

const BODY_LIMIT_KEY = 'x-body-limit';
const BYTES_BY_UNIT: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

function readBodyLimit(body: RequestBody): number | undefined {
  const text: unknown = body[BODY_LIMIT_KEY];
  if (text === undefined) return undefined;
  const [, digits, unit = ''] = /^([1-9]\d*)([kmg]?b)$/i.exec(typeof text === 'string' ? text : '') ?? [];
  const bytes = Number(digits) * Number(BYTES_BY_UNIT[unit.toLowerCase()]);
  // `bytes` is NaN if the text does not match.
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new DocumentError(body, `${BODY_LIMIT_KEY} must be a size such as 500kb, 20mb or 2gb`, BODY_LIMIT_KEY);
}

export type ReadReplies = (
  object: OperationObject,
  method: string,
  errors: DocumentErrors,
) => Map<ReplyKey, DeclaredReply>;

/** Creates a reader that caches replies, so that operations with the same response share its DeclaredReply. */
export function createRepliesReader(document: NormalizedDocument): ReadReplies {
  const replyByResponse = new Map<Response, DeclaredReply>();
  const replyWithLengthByResponse = new Map<Response, DeclaredReply>();

  return ({ responses = {} }, method, errors) => {
    const replies = new Map<ReplyKey, DeclaredReply>();
    for (const [name, node] of Object.entries(responses)) {
      // Interim responses (1XX) are sent by node:http, not by handlers.
      const isExtensionOrInterim = /^(?:x-|1(?:\d\d|XX)$)/.test(name);
      if (isExtensionOrInterim) continue;
      const key = errors.attempt(() => parseReplyKey(responses, name));
      const reply = errors.attempt(() => {
        const response = resolveReference<Response>(document, node, 'Response');
        // A response to HEAD and a 304 have the Content-Length of the response to GET (RFC 9110 section 8.6).
        const hasLengthOfGet =
          (method === 'HEAD' || name === '304') && Object.keys(response.content ?? {}).length === 0;
        const cache = hasLengthOfGet ? replyWithLengthByResponse : replyByResponse;
        const declaredReply = cache.get(response) ?? readReply(document, response, hasLengthOfGet);
        cache.set(response, declaredReply);
        return declaredReply;
      });
      if (reply && key !== undefined) replies.set(key, reply);
    }
    return replies;
  };
}

function readReply(document: NormalizedDocument, response: Response, hasLengthOfGet: boolean): DeclaredReply {
  const { headers: declaredHeaders = {}, content = {} } = response;
  const headers = readReplyHeaders(document, declaredHeaders, hasLengthOfGet);
  const media = readContent(document, content, true).map((body): ReplyMedia => {
    // JSON is never streamed, and an unchecked body makes no difference.
    const hasSameMessage = body.kind === 'json' || body.kind === 'list' || body.schema === ANYTHING;
    const streamed = hasSameMessage ? undefined : toReplyMessage(document, headers, { ...body, schema: ANYTHING });
    const item = toItemMessage(document, body, 'writeOnly');
    return { ...body, ...toReplyMessage(document, headers, item ? undefined : body), streamed, item };
  });
  return {
    object: response,
    headers,
    media: new Map(media.map((entry) => [entry.type, entry])),
    defaultMessage: media[0] ?? toReplyMessage(document, headers, undefined),
  };
}

function parseReplyKey(responses: object, name: string): ReplyKey {
  if (/^[2-5]\d\d$/.test(name)) return Number(name);
  if (name === 'default' || /^[2-5]XX$/.test(name)) return name as ReplyKey;
  throw new DocumentError(
    responses,
    `the status ${name} is not valid: write one from 200 to 599, 2XX to 5XX, or default`,
    name,
  );
}

/** Finds the declared reply for a status, its range, or default (OpenAPI, Responses Object). @example findReply(operation, 404) */
export function findReply(
  { replies }: { readonly replies: ReadonlyMap<ReplyKey, DeclaredReply> },
  status: number,
): DeclaredReply | undefined {
  const declared = replies.get(status);
  if (declared) return declared;
  // Handlers can pass any number, but a range or default covers only valid statuses.
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  return replies.get(`${String(status).slice(0, 1)}XX` as ReplyKey) ?? replies.get('default');
}

/** Whether a key of `responses` covers statuses from 400 to 599. @example mayDeclareErrors('4XX') // true */
export function mayDeclareErrors(key: ReplyKey): boolean {
  return /^(?:[45]|default)/.test(String(key));
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** The statuses that begin with a digit, such as 400 to 499 for `'4'`. */
export type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends infer Text
  ? Text extends `${infer Status extends number}`
    ? Status
    : never
  : never;

/**
 * Finds the declared body for a media type: the same type with the most matching parameters, or else the narrowest range.
 * The result is undefined if none matches or `sent` is malformed. Only binary bodies match a charset other than UTF-8.
 *
 * @example findMedia(operation.body.media, 'application/json; charset=utf-8')
 */
export function findMedia<T extends Media>(media: ReadonlyMap<string, T>, sent: string): T | undefined {
  const sameSpelling = media.get(sent);
  // Most requests are spelled like the contract, and need no parsing. A range is not valid in a request.
  if (sameSpelling && !sent.includes('*')) return sameSpelling;
  const type = parseMediaType(sent);
  if (!type || isRange(type)) return undefined;
  let best: T | undefined;
  let bestRank = 0;
  for (const candidate of media.values()) {
    const { kind, declared } = candidate;
    const isDecodable = kind === 'binary' || isUtf8(type);
    // If the schema of a range such as application/* describes JSON, types other than JSON do not match the range.
    const isOfKind = kind !== 'json' || isJson(type);
    const candidateRank = rank(declared, type);
    if (!isDecodable || !isOfKind || candidateRank <= bestRank) continue;
    best = candidate;
    bestRank = candidateRank;
  }
  return best;
}

/** The schema and shape of a whole request or reply as one object, such as `{ path, query, body }`. */
export interface MessageSchema {
  readonly schema: NormalizedSchema;
  readonly excluded: AccessMode;
  readonly shape: Shape;
}

/** Maps each parameter location to its property in a handler's request. @example GROUPS.header // 'headers' */
export const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const satisfies Record<
  ParameterLocation,
  string
>;

/** The values of a message, such as `{ path: { id: 1 }, body: {} }`. */
export type Groups = Record<string, unknown>;

/** A body, or a query that is read as one value. */
export interface WholeValue {
  readonly media: Media;
  readonly isRequired: boolean;
}

/** Describes a request as `{ path, query, headers, cookies, querystring, body }`. */
export function toRequestMessage(
  document: NormalizedDocument,
  parameters: readonly Parameter[],
  body: WholeValue | undefined,
  querystring: WholeValue | undefined,
): MessageSchema {
  const groups = Object.entries(GROUPS).flatMap(([location, name]) => {
    const declared = parameters.filter((parameter) => parameter.location === location);
    return toGroup(name, declared);
  });
  return toMessage(
    document,
    [...groups, ...toMember('querystring', querystring), ...toMember('body', body)],
    'readOnly',
  );
}

/** Describes a reply as `{ headers, body }`. */
export function toReplyMessage(
  document: NormalizedDocument,
  headers: readonly ReplyHeader[],
  media: Media | undefined,
): MessageSchema {
  const body = toMember('body', media && { media, isRequired: true });
  return toMessage(document, [...toGroup('headers', headers), ...body], 'writeOnly');
}

function toItemMessage(
  document: NormalizedDocument,
  { itemSchema: schema }: Media,
  excluded: AccessMode,
): MessageSchema | undefined {
  return schema && toMessage(document, [{ name: 'body', isRequired: true, schema }], excluded);
}

/** Returns the schema of a body, or of each item if it is a sequence. @example bodySchemaOf(media).type */
export function bodySchemaOf({ item, schema }: BodyMedia): NormalizedSchema {
  // toMember has added `body` to the schema of every message with content.
  const { body } = (item?.schema ?? schema).properties as Readonly<Record<'body', NormalizedSchema>>;
  return body;
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: NormalizedSchema;
}

function toMessage(document: NormalizedDocument, members: readonly Member[], excluded: AccessMode): MessageSchema {
  const schema = toObjectSchema(members);
  return { schema, excluded, shape: createShape(document, schema, excluded) };
}

function toGroup(name: string, members: readonly Member[]): Member[] {
  return members.length > 0 ? [{ name, isRequired: true, schema: toObjectSchema(members) }] : [];
}

function toMember(name: 'body' | 'querystring', value: WholeValue | undefined): Member[] {
  return value ? [{ name, isRequired: value.isRequired, schema: value.media.schema }] : [];
}

function toObjectSchema(members: readonly Member[]): NormalizedSchema {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
    ...{ [MADE_BY_KIT]: true },
  };
}

export interface ReplyHeader extends Notation {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: NormalizedSchema;
}

// Matches the name of a header (RFC 9110 section 5.1).
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const KIT_HEADERS = ['content-type', 'content-length', 'x-request-id'] as const;
/** A header that the kit sends even if it is not declared. */
export type KitHeader = (typeof KIT_HEADERS)[number];

// Matches Trailer, and the headers that apply only to the connection (RFC 9110 section 7.6.1).
const CONNECTION_HEADERS = /^(?:connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** Reads the declared headers, except the kit's own. @throws DocumentError if the kit cannot send one of them */
export function readReplyHeaders(
  document: NormalizedDocument,
  headers: Readonly<Record<string, HeaderObject | Reference>>,
  hasLengthOfGet: boolean,
): ReplyHeader[] {
  const declaredHeaders = Object.entries(headers).filter(([name]) => {
    return !isKitHeader(name.toLowerCase()) || (hasLengthOfGet && isContentLength({ name }));
  });
  return declaredHeaders.map(([name, node], index) => {
    const lowerCase = name.toLowerCase();
    const object = resolveReference<HeaderObject>(document, node, 'Header');
    const refuse = (problem: string): never => {
      throw new DocumentError(headers, problem, name);
    };
    if (!HEADER_NAME.test(name)) refuse(`${name} is not a valid name for a header`);
    assertEnforceableName(headers, name);
    if (isConnectionHeader(lowerCase))
      refuse(`the header ${name} belongs to the connection, not to the response: remove it`);
    const isRepeated = declaredHeaders.slice(0, index).some(([earlier]) => earlier.toLowerCase() === lowerCase);
    if (isRepeated)
      refuse(`the header ${name} is listed twice, because names of headers ignore case: remove one of them`);
    const notation = readNotation(document, object, 'header');
    if (lowerCase === 'set-cookie' && notation.form === 'object') {
      refuse('a Set-Cookie header has one cookie or a list of them: give it the type string or array');
    }
    return { name, isRequired: object.required ?? false, ...notation };
  });
}

/** Whether a header is Content-Length. @example declared.headers.some(isContentLength) */
export function isContentLength({ name }: { readonly name: string }): boolean {
  return name.toLowerCase() === 'content-length';
}

/** Whether a header, in lowercase, applies only to the connection. @example isConnectionHeader('te') // true */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADERS.test(name);
}

/** Whether the kit itself sends a header, given in lowercase. @example isKitHeader('content-type') // true */
export function isKitHeader(name: string): boolean {
  return KIT_HEADERS.some((kitHeader) => kitHeader === name);
}
