// Encodes a reply's body by its media type.
import { validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { toExactJson } from '../json/exact-json';
import { assertUnicode } from '../json/unpaired-surrogate';
import type { DeclaredReply, ReplyMedia } from '../operation/bodies-and-replies';
import { findMedia } from '../operation/find-media';
import { isRange, JSON_TYPE } from '../operation/media-type';
import type { EncodedReply } from '../http/write';

export interface CheckedBody {
  /** Content-Type. */
  readonly type: unknown;
  /** Content-Length. */
  readonly length: unknown;
  readonly body: unknown;
}

/** The first declared body, unless the handler `named` a Content-Type. @throws Error when that is not declared */
export function findReplyMedia({ media }: DeclaredReply, named: unknown): ReplyMedia | undefined {
  if (named === undefined) return media.values().next().value;
  const found = typeof named === 'string' ? findMedia(media, named) : undefined;
  if (!found) throw new Error('the media type is not declared');
  return found;
}

/** @throws Error when the body cannot be sent */
export function toContent(media: ReplyMedia, { type, length, body }: CheckedBody): Omit<EncodedReply, 'headers'> {
  return { type: toType(media, type), length: toLength(length, body), body: encodeBody(media, body) };
}

// As the contract spells it, or where that is a range such as `image/*`, as the handler `named` it.
function toType({ type, declared }: ReplyMedia, named: unknown): string {
  // A range whose schema describes JSON has the type application/json: the handler need not name it.
  if (!isRange(declared) || (named === undefined && type === JSON_TYPE)) return type;
  if (typeof named !== 'string') throw new Error(`${type} is a range of media types: name one in Content-Type`);
  // Refuses CR and LF, against header injection.
  validateHeaderValue('Content-Type', named);
  return named;
}

/** Checks the Content-Length that a handler set. Only a stream has one: the bytes of any other body are counted. */
function toLength(length: unknown, body: unknown): number | undefined {
  if (length === undefined) return undefined;
  const isLength = Number.isSafeInteger(length) && Number(length) >= 0;
  if (!isLength || !(body instanceof Readable)) throw new Error('Content-Length is for streams, a count of bytes');
  return Number(length);
}

function encodeBody({ kind, shape }: ReplyMedia, body: unknown): EncodedReply['body'] {
  if (kind === 'json') {
    // Only bigints need toExactJson, which is slower.
    const text = shape.holdsInt64 ? toExactJson(body) : JSON.stringify(body);
    assertUnicode(text);
    return text;
  }
  if (Buffer.isBuffer(body) || body instanceof Readable) return body;
  if (typeof body === 'string') {
    assertUnicode(JSON.stringify(body));
    return body;
  }
  if (typeof body !== 'number' && typeof body !== 'bigint' && typeof body !== 'boolean') {
    throw new Error('response/body must be a text');
  }
  return String(body);
}
