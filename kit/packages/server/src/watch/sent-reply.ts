// Records a reply while an application sends it, and converts it to what a handler would have returned.
import type { ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import {
  findMedia,
  findReply,
  parseExactJson,
  readScalar,
  readUtf8,
  type DeclaredReply,
  type Groups,
  type Operation,
  type ReplyMedia,
  type Shape,
} from '@contract-kit/contract';
import type { UntypedReply } from '../reply/check-reply';
import { childShape, toInt64 } from '../request/check-request';
import { readParameterValue, splitStyle } from '../request/read-value';

/** Returns the bytes of the body that have been written; undefined if they exceed the limit. */
export type SentBody = () => Buffer | undefined;

/** Copies each chunk that is written, without changing what is sent or returned. */
export function keepSentBody(res: ServerResponse, limit: number): SentBody {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const name of ['write', 'end'] as const) {
    const { [name]: send } = res;
    const keepAndSend = function (this: unknown, ...args: unknown[]): unknown {
      const [chunk, encoding] = args;
      const bytes =
        typeof chunk === 'string'
          ? Buffer.from(chunk, Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8')
          : chunk instanceof Uint8Array && Buffer.from(chunk);
      if (bytes) {
        size += bytes.length;
        if (size <= limit) chunks.push(bytes);
        else chunks.length = 0;
      }
      return Reflect.apply(send, this, args) as unknown;
    };
    Object.assign(res, { [name]: keepAndSend });
  }
  return () => (size > limit ? undefined : Buffer.concat(chunks));
}

/** Thrown if a message cannot be checked. */
export class NotJudged extends Error {}

const TOO_LARGE = 'the reply is too large to be judged';

/**
 * Parses a reply that was sent: the headers that the contract declares, and its body.
 *
 * @throws NotJudged; JsonError when the body is not JSON; UnreadableText when a header cannot be read
 */
export function readSentReply(
  operation: Operation,
  res: ServerResponse,
  body: Buffer | undefined,
  limit: number,
): UntypedReply {
  const status = res.statusCode;
  const declaredReply = findReply(operation, status);
  const sentHeaders = readHead(res);
  if (!declaredReply) return { status, body: undefined, headers: {} };
  if (!body) throw new NotJudged(TOO_LARGE);
  const [type = ''] = sentHeaders.get('content-type') ?? [];
  const bytes = decode(body, String(sentHeaders.get('content-encoding') ?? 'identity').toLowerCase(), limit);
  const media = findMedia(declaredReply.media, type);
  const hasBody = bytes.length > 0 || (media && media.kind !== 'json');
  const headers = { ...readHeaders(declaredReply, sentHeaders), ...(hasBody && { 'Content-Type': type }) };
  return { status, headers, body: readBody(hasBody ? media : undefined, bytes) };
}

function readBody(media: ReplyMedia | undefined, bytes: Buffer): unknown {
  if (!media) return undefined;
  const shape = media.shape.properties.get('body');
  if (media.kind === 'json') return toHandlerValue(shape, parseExactJson(bytes, shape));
  return media.kind === 'text' ? toHandlerValue(shape, readScalar(shape, readUtf8(bytes))) : bytes;
}

// Parses the head that was sent, since getHeaders() does not include headers that were passed to writeHead().
function readHead(res: ServerResponse): ReadonlyMap<string, readonly string[]> {
  const { _header: head } = res as ServerResponse & { readonly _header: string };
  const headers = new Map<string, string[]>();
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function readHeaders({ headers }: DeclaredReply, sent: ReadonlyMap<string, readonly string[]>): Groups {
  const values = headers.flatMap((header) => {
    const { name, form, shape } = header;
    const texts = sent.get(name.toLowerCase());
    if (!texts) return [];
    const isCookies = form === 'array' && name.toLowerCase() === 'set-cookie';
    const parts = isCookies ? texts : splitStyle(name, header, texts.join(', '));
    const value = readParameterValue(header, parts, (text) => text.trim());
    return [[name, toHandlerValue(shape, value)] as const];
  });
  return Object.fromEntries(values);
}

const DECODERS: Readonly<Partial<Record<string, typeof gunzipSync>>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

// Compression middleware can run before or after the kit, so the recorded body may not be compressed yet.
function decode(bytes: Buffer, encoding: string, limit: number): Buffer {
  const decoder = DECODERS[encoding];
  if (!decoder && encoding !== 'identity') throw new NotJudged('the reply has an unknown Content-Encoding');
  try {
    return decoder?.(bytes, { maxOutputLength: limit }) ?? bytes;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new NotJudged(TOO_LARGE);
    return bytes;
  }
}

// Converts int64s to bigints, as a handler would return them.
function toHandlerValue(shape: Shape | undefined, value: unknown): unknown {
  if (typeof value === 'number') return shape?.isInt64 === true ? toInt64(shape, value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]: [string, unknown]) => [name, toHandlerValue(childShape(shape, value, name), member)] as const,
  );
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}
