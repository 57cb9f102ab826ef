// Reads a body that other middleware has parsed already.
import type { IncomingMessage } from 'node:http';
import type { BodyMedia } from '../operation/bodies-and-replies';
import { Refusal, toDepthRefusal } from '../refusal/refusal';
import { parseBody } from './parse-body';
import type { ReadValue } from './parameter-value';

const NOT_KEPT = `Other middleware read the request body, and what it made of it is not certain to be what was sent. \
Mount the contract before the parser, or let the parser keep the bytes: express.json({ verify: keepRawBody }).`;
const REPLACEMENT = '\ufffd';

/** A request as body parsers leave it. */
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
 * What a body means that other middleware read: by its bytes if they were kept, else by the value that `express.json()`
 * made, as far as nothing in it can be another value than was sent.
 *
 * @param limit of the body, in bytes
 * @throws Refusal when it is not what the media type says; Error when it cannot be known what was sent
 */
export function parseEarlierBody(
  { rawBody, body, headers }: ParsedRequest,
  media: BodyMedia,
  limit: number,
): ReadValue | undefined | Promise<ReadValue> {
  const kept = [rawBody, body].find((bytes) => Buffer.isBuffer(bytes));
  const bytes = kept ?? toBytes(body, media);
  if (bytes.length > limit) throw new Refusal('BODY_TOO_LARGE');
  const parsed = parseBody(media, bytes, String(headers['content-type']));
  if (!kept && parsed && 'tokens' in parsed && isRounded(parsed.tokens)) throw new Error(NOT_KEPT);
  return parsed;
}

function toBytes(body: unknown, { kind }: BodyMedia): Buffer {
  // A string may be a value of JSON, or the text of one.
  const text = kind === 'json' && typeof body !== 'string' && body !== undefined ? toJson(body) : undefined;
  // Parsers of Express put it in the place of what is no UTF-8.
  if (text === undefined || text.includes(REPLACEMENT)) throw new Error(NOT_KEPT);
  return Buffer.from(text);
}

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw cause instanceof RangeError ? toDepthRefusal() : cause;
  }
}

// JSON.parse rounds beyond 2^53.
function isRounded(tokens: unknown): boolean {
  if (typeof tokens === 'string') return !(Math.abs(Number(tokens)) <= Number.MAX_SAFE_INTEGER);
  return typeof tokens === 'object' && tokens !== null && Object.values(tokens).some(isRounded);
}
