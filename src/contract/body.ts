import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from './refusal';
import { parseMediaType } from './media-type';
import type { Body, BodyMedia } from './body-declaration';

/** A body without a byte. */
export const NOTHING: Buffer = Buffer.alloc(0);

/** Whether a request says that a body follows (RFC 9112 section 6.3); it may turn out to be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The media that a body is to be read as, by the headers alone.
 *
 * @param limit of the body, in bytes
 * @throws Refusal when it cannot be read
 */
export function negotiateBody(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { media }: Body,
  limit: number,
): BodyMedia {
  const found = media.get(parseMediaType(String(headers['content-type'])) ?? '');
  if (!found) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refusal('UNSUPPORTED_CONTENT_ENCODING');
  }
  if (Number(headers['content-length'] ?? 0) > limit) throw new Refusal('BODY_TOO_LARGE');
  return found;
}

/**
 * The bytes of a request's body.
 *
 * They are gathered in one buffer: chunks of a byte each would cost a hundred times their size if they were kept.
 *
 * @param limit in bytes; what is beyond it is not kept
 * @throws Refusal when the body is larger, or ended before its end
 */
export function readBody(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  // RFC 9110 section 10.1.1: only now, after authentication, is the client told to go on.
  if (req.headers.expect !== undefined && req.httpVersion === '1.1') res.writeContinue();
  return new Promise((resolve, reject) => {
    let body = NOTHING;
    let size = 0;
    function rejectBroken(): void {
      if (!req.readableEnded) reject(new Refusal('MALFORMED_REQUEST'));
    }
    if (req.destroyed) rejectBroken();
    req.on('data', (chunk: Buffer) => {
      const needed = size + chunk.length;
      if (needed > limit) {
        reject(new Refusal('BODY_TOO_LARGE'));
        return;
      }
      if (size === 0) body = chunk;
      else {
        if (needed > body.length) body = Buffer.concat([body], Math.max(needed, 2 * body.length));
        chunk.copy(body, size);
      }
      size = needed;
    });
    req.once('end', () => {
      resolve(body.subarray(0, size));
    });
    // When the parser met nonsense in the body, this is all that comes.
    res.once('close', rejectBroken);
  });
}
