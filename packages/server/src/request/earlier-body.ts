// Reads a body that other middleware has parsed already.
import type { IncomingMessage } from 'node:http';
import type { BodyMedia } from '../contract/operation/bodies-and-replies';
import { Refusal, toDepthRefusal } from '../errors/refusal';
import { parseBody } from './parse-body';
import type { ReadValue } from './read-json';

const NOT_CERTAIN = `Other middleware read the request body, and what it made of it is not certain to be what was sent. \
Mount the contract before the parser, or let the parser keep the bytes: express.json({ verify: keepRawBody }).`;
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

/** Whether other middleware read the body of a request, at least in part. */
export function isReadEarlier(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/**
 * Parses a body that other middleware read: from the bytes if they were kept, else from the value that `express.json()` made.
 *
 * @throws Refusal when the body does not match its media type; Error when it is not certain what was sent
 */
export function parseEarlierBody(
  { rawBody, body, headers }: ParsedRequest,
  media: BodyMedia,
  limit: number,
): ReadValue | undefined {
  // keepRawBody keeps bytes in rawBody; express.raw() leaves them in body.
  const keptBytes = [rawBody, body].find((bytes) => Buffer.isBuffer(bytes));
  const bytes = keptBytes ?? restoreBytes(body, media);
  if (bytes.length > limit) throw new Refusal('BODY_TOO_LARGE');
  const parsed = parseBody(media, bytes, String(headers['content-type']));
  // The parser had only doubles: a rounded number is not what the client sent.
  if (!keptBytes && parsed && isRounded(parsed.tokens)) throw new Error(NOT_CERTAIN);
  return parsed;
}

// Writes a parsed body as JSON again; throws if the client may have sent something else.
function restoreBytes(body: unknown, { kind }: BodyMedia): Buffer {
  // A string may be a parsed JSON string, or unparsed JSON text: nothing tells which.
  const text = kind === 'json' && typeof body !== 'string' && body !== undefined ? toJson(body) : undefined;
  // Parsers of Express replace bytes that are not UTF-8 by this character, which a client may also have sent itself.
  if (text === undefined || text.includes(REPLACEMENT_CHARACTER)) throw new Error(NOT_CERTAIN);
  return Buffer.from(text);
}

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

// Whether JSON.parse may have rounded a number: one beyond 2^53.
function isRounded(tokens: unknown): boolean {
  if (typeof tokens === 'string') return Math.abs(Number(tokens)) > Number.MAX_SAFE_INTEGER;
  return typeof tokens === 'object' && tokens !== null && Object.values(tokens).some(isRounded);
}
