// Receives a body: its media type from the headers, then its bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../refusal/refusal';
import { createGatheredBytes, type GatheredBytes, NOTHING } from './gather';
import { findMedia, type DeclaredBody, type BodyMedia } from '../operation/bodies-and-replies';
import { parseMediaType } from '../operation/media-type';
import type { BodyBudget } from './body-budget';

const MAX_QUOTED_TYPE = 100;
// RFC 9110 section 5.6.2: all but these characters make up a token, such as a charset.
const NOT_OF_TOKENS = /[^\w!#$%&'*+.^`|~-]/g;
const DROPPED = 'The unfinished request bodies took too much memory, and this one made the least progress.';

/** Reads the headers alone, so that a wrong body is refused unread. @throws Refusal for another type, an encoding, or its size */
export function negotiateBody(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { media }: DeclaredBody,
  limit: number,
): BodyMedia {
  const found = findMedia(media, headers['content-type'] ?? '');
  if (!found) throw new Refusal('UNSUPPORTED_MEDIA_TYPE', describeMedia(headers['content-type'], [...media.keys()]));
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refusal('UNSUPPORTED_CONTENT_ENCODING');
  }
  if (Number(headers['content-length'] ?? 0) > limit) throw new Refusal('BODY_TOO_LARGE');
  return found;
}

// Quotes at most 100 characters of what the client sent, and only those that a media type may have.
function describeMedia(sent: string | undefined, allowed: readonly string[]): string {
  const { name, charset } = parseMediaType(sent ?? '') ?? {};
  const type = charset === undefined ? name : `${String(name)}; charset=${charset.replace(NOT_OF_TOKENS, '?')}`;
  const quoted = sent === undefined ? 'missing' : (type?.slice(0, MAX_QUOTED_TYPE) ?? 'malformed');
  return `The Content-Type is ${quoted}; it has to be ${allowed.join(' or ')}.`;
}

export interface BodyLimits {
  /** For each body, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
}

/** A body in several chunks counts in the budget. @throws Refusal if it is too large, dropped for others, or cut off */
export function receiveBody(req: IncomingMessage, res: ServerResponse, { limit, budget }: BodyLimits): Promise<Buffer> {
  // RFC 9110 section 10.1.1: send 100 Continue only now, after authentication.
  if (req.headers.expect !== undefined && req.httpVersion === '1.1' && !wasContinueSent(res)) res.writeContinue();
  const announcedLength = Number(req.headers['content-length']);
  return new Promise((resolve, reject) => {
    let size = 0;
    let isRefused = false;
    // The body, if it arrives in one chunk; otherwise its chunks are gathered.
    let whole: Buffer | undefined;
    let gathered: GatheredBytes | undefined;
    function refuse(refusal: Refusal): void {
      isRefused = true;
      gathered?.discard();
      reject(refusal);
    }
    function refuseBroken(): void {
      if (!req.readableEnded) refuse(new Refusal('MALFORMED_REQUEST'));
    }
    function drop(): void {
      // Close the connection, so that the rest of the body is not read.
      res.shouldKeepAlive = false;
      refuse(new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(DROPPED) }));
    }
    // The client went away before: no event follows.
    if (req.destroyed) refuseBroken();
    req.on('data', (chunk: Buffer) => {
      // Most bodies arrive in one chunk, which is neither copied nor counted: negotiateBody has checked the announced length.
      if (chunk.length === announcedLength) whole = chunk;
      if (isRefused || whole) return;
      size += chunk.length;
      gathered ??= createGatheredBytes(budget, drop);
      if (size > limit) refuse(new Refusal('BODY_TOO_LARGE'));
      else gathered.add(chunk);
    });
    // once(), not on(): with on(), node:http is slower at the end of the request.
    req.once('end', () => {
      if (!isRefused) resolve(whole ?? gathered?.toBuffer() ?? NOTHING);
    });
    // After a malformed body, node:http emits only this event.
    res.on('close', refuseBroken);
  });
}

// Whether 100 Continue was sent already: a server that is not the kit's does it by itself.
function wasContinueSent(res: ServerResponse): boolean {
  return (res as ServerResponse & { readonly _sent100: boolean })._sent100;
}
