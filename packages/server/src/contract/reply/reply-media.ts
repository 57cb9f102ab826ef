// Encodes a reply's body by its media type.
import { validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { toExactJson } from '../json/exact-json';
import type { DeclaredReply, ReplyMedia } from '../operation/bodies-and-replies';
import { findMedia } from '../operation/find-media';
import { isRange, JSON_TYPE } from '../operation/media-type';
import type { EncodedReply } from '../http/write';

/** A body that was checked, with what the handler says of it. */
export interface CheckedBody {
  /** The media type. */
  readonly type: unknown;
  /** How many bytes a stream has. */
  readonly length: unknown;
  readonly body: unknown;
}

/**
 * @param named the media type that the handler names, if it does
 * @throws Error when the reply is not declared with it
 */
export function findReplyMedia({ media }: DeclaredReply, named: unknown): ReplyMedia | undefined {
  if (named === undefined) return media.values().next().value;
  const found = typeof named === 'string' ? findMedia(media, named) : undefined;
  if (!found) throw new Error('the media type is not declared');
  return found;
}

/** @throws Error when the body cannot be sent */
export function toContent(media: ReplyMedia, { type, length, body }: CheckedBody): Omit<EncodedReply, 'headers'> {
  return { type: toType(media, type), length: toLength(length, body), body: toBytes(media, body) };
}

function toType({ type, declared }: ReplyMedia, named: unknown): string {
  if (!isRange(declared) || (named === undefined && type === JSON_TYPE)) return type;
  if (typeof named !== 'string') throw new Error(`${type} is a range of media types: name one in Content-Type`);
  // No CR or LF injection.
  validateHeaderValue('Content-Type', named);
  return named;
}

function toLength(length: unknown, body: unknown): number | undefined {
  if (length === undefined) return undefined;
  const isLength = Number.isSafeInteger(length) && Number(length) >= 0;
  if (!isLength || !(body instanceof Readable)) throw new Error('Content-Length is for streams, a count of bytes');
  return Number(length);
}

function toBytes({ kind, shape }: ReplyMedia, body: unknown): EncodedReply['body'] {
  if (kind === 'json') return shape.holdsInt64 ? toExactJson(body) : JSON.stringify(body);
  if (Buffer.isBuffer(body) || body instanceof Readable) return body;
  if (typeof body === 'string') return body;
  if (typeof body !== 'number' && typeof body !== 'bigint' && typeof body !== 'boolean') {
    throw new Error('response/body must be a text');
  }
  return String(body);
}
