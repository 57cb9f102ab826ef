// Receives a body: its media type from the headers, then its bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../refusal/refusal';
import { createGatheredBytes, type GatheredBytes, NOTHING } from './gather';
import { findMedia } from '../operation/find-media';
import { parseMediaType } from '../operation/media-type';
import type { BodyBudget } from './body-budget';
import type { DeclaredBody, BodyMedia } from '../operation/bodies-and-replies';

const MAX_TYPE = 100;
const NO_TOKEN = /[^\w!#$%&'*+.^`|~-]/g;
const DROPPED = 'The unfinished request bodies took too much memory, and this one made the least progress.';

/**
 * Chooses the declared media type of a body, from the headers alone.
 *
 * @param limit of the body, in bytes
 * @throws Refusal when the body cannot be read
 */
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

// Of what the client sent, only what a media type has, and not much of it.
function describeMedia(sent: string | undefined, allowed: readonly string[]): string {
  const { name, charset } = parseMediaType(sent ?? '') ?? {};
  const type = charset === undefined ? name : `${String(name)}; charset=${charset.replace(NO_TOKEN, '?')}`;
  const came = sent === undefined ? 'missing' : (type?.slice(0, MAX_TYPE) ?? 'malformed');
  return `The Content-Type is ${came}; it has to be ${allowed.join(' or ')}.`;
}

/** The memory for bodies. */
export interface BodyLimits {
  /** For each body, in bytes. */
  readonly limit: number;
  /** For all unfinished bodies. */
  readonly budget: BodyBudget;
}

/**
 * Receives the bytes of a request's body. Bytes beyond a limit are dropped.
 *
 * @throws Refusal when the body is larger than its limit, was dropped for others, or ended before its end
 */
export function receiveBody(req: IncomingMessage, res: ServerResponse, { limit, budget }: BodyLimits): Promise<Buffer> {
  // RFC 9110 section 10.1.1: send 100 Continue only now, after authentication.
  if (req.headers.expect !== undefined && req.httpVersion === '1.1' && !wasToldToGoOn(res)) res.writeContinue();
  const announced = Number(req.headers['content-length']);
  return new Promise((resolve, reject) => {
    let size = 0;
    let isRefused = false;
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
    if (req.destroyed) refuseBroken();
    req.on('data', (chunk: Buffer) => {
      // Most bodies arrive in one chunk, which is neither copied nor counted.
      if (chunk.length === announced) whole = chunk;
      if (isRefused || whole) return;
      size += chunk.length;
      gathered ??= createGatheredBytes(budget, drop);
      if (size > limit) refuse(new Refusal('BODY_TOO_LARGE'));
      else gathered.add(chunk);
    });
    // Not on(): what node:http does at the end takes longer then.
    req.once('end', () => {
      if (!isRefused) resolve(whole ?? gathered?.toBuffer() ?? NOTHING);
    });
    // After a malformed body, node:http emits only this event.
    res.on('close', refuseBroken);
  });
}

// A server that is not the kit's tells it by itself.
function wasToldToGoOn(res: ServerResponse): boolean {
  return (res as ServerResponse & { readonly _sent100: boolean })._sent100;
}
