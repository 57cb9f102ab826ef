import type { IncomingMessage, ServerResponse } from 'node:http';
import { findMedia, parseMediaType, type BodyMedia, type DeclaredBody } from '@contract-kit/contract';
import { ClientLeft, Refusal } from '../errors/refusal';
import { createBodyBuffer, type BodyBudget, type BodyBuffer } from './body-budget';
import { toFieldRefusal } from './read-value';
import type { CreateTemporaryFile } from './temporary-files';

const MAX_QUOTED_TYPE = 100;
// The characters that a token, such as a charset, must not contain (RFC 9110 section 5.6.2).
const NON_TOKEN_CHARACTERS = /[^\w!#$%&'*+.^`|~-]/g;
export const DROP_REASON =
  'Together, the unfinished request bodies took too much memory, and this one was the slowest.';

/** Checks the headers before the body is read. @throws Refusal for an undeclared media type, or any content encoding */
export function negotiateBody(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { media }: DeclaredBody,
  declared: BodyMedia | undefined = findMedia(media, headers['content-type'] ?? ''),
): BodyMedia {
  if (!declared) throw new Refusal('UNSUPPORTED_MEDIA_TYPE', describeMedia(headers['content-type'], [...media.keys()]));
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refusal('UNSUPPORTED_CONTENT_ENCODING');
  }
  return declared;
}

// Quotes at most 100 characters from the client, and only characters that a media type can contain.
function describeMedia(contentType: string | undefined, mediaTypes: readonly string[]): string {
  const { name, charset } = parseMediaType(contentType ?? '') ?? {};
  const type = charset === undefined ? name : `${String(name)}; charset=${charset.replace(NON_TOKEN_CHARACTERS, '?')}`;
  const quotedType = contentType === undefined ? 'missing' : (type?.slice(0, MAX_QUOTED_TYPE) ?? 'malformed');
  return `The Content-Type is ${quotedType}; it must be ${mediaTypes.join(' or ')}.`;
}

export interface BodyLimits {
  /** The maximum size of one body, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly createFile: CreateTemporaryFile;
}

/** Converts the bytes of a body to a value. */
export interface BodySink<T> {
  /** May return a promise, which must settle before more bytes are added. */
  readonly add: (chunk: Buffer) => Promise<void> | undefined;
  readonly end: () => T | Promise<T>;
  readonly discard: () => void;
}

/** Passes a body to a sink as it arrives. Rejects with a Refusal, ClientLeft, or an error from the sink. */
export function receiveBody<T>(
  req: IncomingMessage,
  res: ServerResponse,
  limit: number,
  createSink: (drop: () => void) => BodySink<T>,
): Promise<T> {
  sendContinue(req, res);
  return new Promise((resolve, reject) => {
    let size = 0;
    let isRefused = false;
    const sink = createSink(drop);
    let writing: Promise<void> | undefined;
    function refuse(reason: Error): void {
      isRefused = true;
      sink.discard();
      reject(toFieldRefusal(reason, '/body'));
    }
    function refuseIncompleteBody(): void {
      // The server has already answered a malformed body.
      if (!req.readableEnded) refuse(res.headersSent ? new Refusal('MALFORMED_REQUEST') : new ClientLeft());
    }
    function drop(): void {
      // Close the connection, so that the rest of the body is not read.
      res.shouldKeepAlive = false;
      refuse(new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(DROP_REASON) }));
    }
    async function end(): Promise<void> {
      if (writing) await writing;
      if (isRefused) return;
      const value = sink.end();
      resolve(value instanceof Promise ? await value : value);
    }
    // If the client has already left, no event will be emitted.
    if (req.destroyed) refuseIncompleteBody();
    req.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      size += chunk.length;
      try {
        if (size > limit) throw new Refusal('BODY_TOO_LARGE');
        writing = sink.add(chunk);
      } catch (cause) {
        refuse(cause as Error);
      }
      if (!writing) return;
      req.pause();
      writing = writing.then(() => void req.resume(), refuse);
    });
    // With on(), node:http would end the request more slowly.
    req.once('end', () => void end().catch(refuse));
    // After a malformed body, node:http emits only this event.
    res.on('close', refuseIncompleteBody);
  });
}

/** Sends 100 Continue to a client that expects it (RFC 9110 section 10.1.1). Called only after authentication. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.expect !== undefined && req.httpVersion === '1.1' && !wasContinueSent(res)) res.writeContinue();
}

/** Whether other middleware has read at least part of the body. */
export function isBodyReadAlready(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/** Whether a body is known to be empty. Reads up to the first byte, unless the client waits for 100 Continue. */
export async function isEmpty(
  req: IncomingMessage,
  res: ServerResponse,
  { budget }: Pick<BodyLimits, 'budget'>,
): Promise<boolean> {
  const { 'content-length': length, expect } = req.headers;
  if (length !== undefined || expect !== undefined || isBodyReadAlready(req)) return Number(length) === 0;
  try {
    await receiveBody(req, res, 0, (drop) => createBufferSink(req, budget, drop, String));
    return true;
  } catch (cause) {
    if (cause instanceof Refusal && cause.kind === 'BODY_TOO_LARGE') return false;
    throw cause;
  }
}

/** Keeps a body in memory. Most bodies arrive in one chunk of the announced length, which is neither copied nor counted. */
export function createBufferSink<T>(
  { headers }: IncomingMessage,
  budget: BodyBudget,
  drop: () => void,
  toValue: (bytes: Buffer) => T,
): BodySink<T> {
  const announcedLength = Number(headers['content-length']);
  let onlyChunk: Buffer | undefined;
  let buffer: BodyBuffer | undefined;
  return {
    add(chunk) {
      if (chunk.length === announcedLength) onlyChunk = chunk;
      else (buffer ??= createBodyBuffer(budget, drop)).add(chunk);
      return undefined;
    },
    end: () => toValue(onlyChunk ?? buffer?.toBuffer() ?? Buffer.alloc(0)),
    discard: () => buffer?.discard(),
  };
}

// Unless the kit created the server, node:http sends 100 Continue itself.
function wasContinueSent(res: ServerResponse): boolean {
  return (res as ServerResponse & { readonly _sent100: boolean })._sent100;
}
