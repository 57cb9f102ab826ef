// Reads a request: its parameters, and its body, also one that other middleware has read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  findMedia,
  isRange,
  parseExactJson,
  parseMediaType,
  readUtf8,
  type BodyMedia,
  type Groups,
  type Message,
  type Operation,
} from '@contract-kit/contract';
import { isBodyReadAlready, isEmpty, negotiateBody, receiveBody, type BodyLimits } from './receive-body';
import { Refusal } from '../errors/refusal';
import { createParameterReader, type ParameterTexts } from './parameters';
import { readScalar, toFieldRefusal, type ReadValue } from './read-value';
import { parseForm, parseMultipart } from './parse-form';

/** A request that was parsed, but not validated. */
export interface ReadRequest {
  readonly message: Message;
  /** The message's value, with numbers as doubles. */
  readonly value: Groups;
  /** The same structure with int64s as the text that was sent (see ReadValue). */
  readonly literals: Groups;
  /** The names in its query that belong to no parameter. */
  readonly unlisted: readonly string[];
  /** The media type of its body: as the contract spells it, or where that is a range, in lower case without parameters. */
  readonly contentType: string | undefined;
}

/** @throws Refusal when a request cannot be read */
export type RequestReader = (req: IncomingMessage, res: ServerResponse, texts: ParameterTexts) => Promise<ReadRequest>;

/** Finds the message that a request is validated as: one for each media type of the body, and one for no body. */
export function createRequestReader(operation: Operation, limits: BodyLimits): RequestReader {
  const { body, messageWithoutBody } = operation;
  const readParameters = createParameterReader(operation);
  return async function readRequest(req, res, texts) {
    const { value, literals, unlisted } = readParameters(texts);
    // RFC 9110 section 8.3: only content needs a Content-Type.
    const isTyped = body && findMedia(body.media, req.headers['content-type'] ?? '') !== undefined;
    if (body && isFramed(req) && (isTyped || !(await isEmpty(req, res, limits)))) {
      const media = negotiateBody(req, body, limits.limit);
      const parsed = isBodyReadAlready(req)
        ? parseEarlierBody(req, media, limits.limit)
        : parseBody(media, await receiveBody(req, res, limits), String(req.headers['content-type']));
      // `parsed` is undefined for an empty body that counts as none.
      if (parsed) {
        value['body'] = parsed.value;
        literals['body'] = parsed.literals;
        return { message: media, value, literals, unlisted, contentType: nameMedia(media, req) };
      }
    }
    if (!messageWithoutBody) throw new Refusal('BODY_REQUIRED');
    return { message: messageWithoutBody, value, literals, unlisted, contentType: undefined };
  };
}

/** Whether a request has a body, which may be empty (RFC 9112 section 6). */
function isFramed({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Parses a body; undefined for an empty one that is not of its media type: it counts as none. @throws Refusal for any other */
function parseBody(media: BodyMedia, bytes: Buffer, contentType: string): ReadValue | undefined {
  const body = media.shape.properties.get('body');
  try {
    switch (media.kind) {
      case 'multipart':
        return bytes.length === 0 ? undefined : parseMultipart(media, bytes, contentType);
      case 'json':
        return bytes.length === 0 ? undefined : parseExactJson(bytes, body);
      case 'form':
        return parseForm(media, bytes);
      case 'text':
        return readScalar(body, readUtf8(bytes));
      case 'binary':
        return { value: bytes, literals: undefined };
    }
  } catch (cause) {
    throw toFieldRefusal(cause, '/body');
  }
}

function nameMedia({ type, declared }: BodyMedia, { headers }: IncomingMessage): string {
  return isRange(declared) ? String(parseMediaType(String(headers['content-type']))?.name) : type;
}

const UNCERTAIN_BODY = `Other middleware has read the request body, and its result may differ from what was sent. \
Mount the contract before the parser, or have the parser keep the bytes: express.json({ verify: keepRawBody }).`;
// U+FFFD, which decoders put in the place of bytes that are not UTF-8.
const REPLACEMENT_CHARACTER = '\ufffd';

type ParsedRequest = IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown };

/**
 * Keeps the bytes of a body that a parser of Express reads, for the contract to read them again.
 *
 * @example app.use(express.json({ verify: keepRawBody }));
 */
export function keepRawBody(req: IncomingMessage, _res: unknown, bytes: Buffer): void {
  Object.assign(req, { rawBody: bytes });
}

/**
 * Parses a body that other middleware read: from the bytes if they were kept, else from the value that `express.json()` made.
 *
 * @throws Refusal when the body does not match its media type; Error when it is not certain what was sent
 */
function parseEarlierBody(
  { rawBody, body, headers }: ParsedRequest,
  media: BodyMedia,
  limit: number,
): ReadValue | undefined {
  // keepRawBody keeps bytes in rawBody; express.raw() leaves them in body.
  const isSentEmpty = Number(headers['content-length']) === 0;
  const keptBytes = isSentEmpty ? Buffer.alloc(0) : [rawBody, body].find((bytes) => Buffer.isBuffer(bytes));
  const bytes = keptBytes ?? restoreBytes(body, media);
  if (bytes.length > limit) throw new Refusal('BODY_TOO_LARGE');
  const parsed = parseBody(media, bytes, String(headers['content-type']));
  // The parser had only doubles: a rounded number is not what the client sent.
  if (!keptBytes && parsed && mayBeRounded(parsed.literals)) throw new Error(UNCERTAIN_BODY);
  return parsed;
}

// Writes a parsed body as JSON again; throws if the client may have sent something else.
function restoreBytes(body: unknown, { kind }: BodyMedia): Buffer {
  // A string may be a parsed JSON string, or unparsed JSON text: nothing tells which.
  const text =
    kind === 'json' && typeof body !== 'string' && body !== undefined ? JSON.stringify(body, keepOverflow) : undefined;
  // Parsers of Express replace bytes that are not UTF-8 by this character, which a client may also have sent itself.
  if (text === undefined || text.includes(REPLACEMENT_CHARACTER)) throw new Error(UNCERTAIN_BODY);
  return Buffer.from(text);
}

// JSON.parse makes Infinity of a number beyond a double, and JSON.stringify would make null of that.
function keepOverflow(_name: string, value: unknown): unknown {
  return value === Infinity || value === -Infinity ? JSON.rawJSON(`${value < 0 ? '-' : ''}1e999`) : value;
}

// Whether JSON.parse may have rounded an int64 to another one: a number beyond 2^53, but not Infinity.
function mayBeRounded(literals: unknown): boolean {
  const size = typeof literals === 'string' ? Math.abs(Number(literals)) : 0;
  if (size > Number.MAX_SAFE_INTEGER && size < Infinity) return true;
  return typeof literals === 'object' && literals !== null && Object.values(literals).some(mayBeRounded);
}
