// Receives a body: its media type from the headers, then its bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findMedia, parseMediaType, type BodyMedia, type DeclaredBody } from '@contract-kit/contract';
import { ClientLeft, Refusal } from '../errors/refusal';
import { createBodyBuffer, type BodyBudget, type BodyBuffer } from './body-budget';
import { toFieldRefusal } from './read-value';
import type { CreateTemporaryFile } from './temporary-files';

const MAX_QUOTED_TYPE = 100;
// RFC 9110 section 5.6.2: all but these characters make up a token, such as a charset.
const NON_TOKEN_CHARACTERS = /[^\w!#$%&'*+.^`|~-]/g;
export const DROP_REASON =
  'Together, the unfinished request bodies took too much memory, and this one was the slowest.';

/** Reads the headers alone, so that a wrong body is refused unread. @throws Refusal for another type, or an encoding */
export function negotiateBody(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { media }: DeclaredBody,
  found: BodyMedia | undefined = findMedia(media, headers['content-type'] ?? ''),
): BodyMedia {
  if (!found) throw new Refusal('UNSUPPORTED_MEDIA_TYPE', describeMedia(headers['content-type'], [...media.keys()]));
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refusal('UNSUPPORTED_CONTENT_ENCODING');
  }
  return found;
}

// Quotes at most 100 characters of what the client sent, and only those that a media type may have.
function describeMedia(contentType: string | undefined, mediaTypes: readonly string[]): string {
  const { name, charset } = parseMediaType(contentType ?? '') ?? {};
  const type = charset === undefined ? name : `${String(name)}; charset=${charset.replace(NON_TOKEN_CHARACTERS, '?')}`;
  const quoted = contentType === undefined ? 'missing' : (type?.slice(0, MAX_QUOTED_TYPE) ?? 'malformed');
  return `The Content-Type is ${quoted}; it must be ${mediaTypes.join(' or ')}.`;
}

export interface BodyLimits {
  /** The limit of each body, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly createFile: CreateTemporaryFile;
}

/** What gets the bytes of a body, and makes its value of them. */
export interface BodySink<T> {
  /** Returns a promise if no more bytes may come until it is fulfilled. */
  readonly add: (chunk: Buffer) => Promise<void> | undefined;
  readonly end: () => T | Promise<T>;
  /** Frees what it holds. */
  readonly discard: () => void;
}

/** @throws Refusal if the body is too large, dropped for others, or not of its media type; ClientLeft; what the sink throws */
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
    const sink = createSink(dropExcluded);
    // Bytes that the sink still writes.
    let writing: Promise<void> | undefined;
    function refuse(reason: Error): void {
      isRefused = true;
      sink.discard();
      reject(toFieldRefusal(reason, '/body'));
    }
    function refuseBroken(): void {
      // A malformed body was answered already, where node:http told the server of it.
      if (!req.readableEnded) refuse(res.headersSent ? new Refusal('MALFORMED_REQUEST') : new ClientLeft());
    }
    function dropExcluded(): void {
      // Close the connection, so that the rest of the body is not read.
      res.shouldKeepAlive = false;
      refuse(new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(DROP_REASON) }));
    }
    // Most bodies are there, and need no promise.
    async function end(): Promise<void> {
      if (writing) await writing;
      if (isRefused) return;
      const value = sink.end();
      resolve(value instanceof Promise ? await value : value);
    }
    // The client went away before: no event follows.
    if (req.destroyed) refuseBroken();
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
    // once(), not on(): with on(), node:http is slower at the end of the request.
    req.once('end', () => void end().catch(refuse));
    // After a malformed body, node:http emits only this event.
    res.on('close', refuseBroken);
  });
}

/** RFC 9110 section 10.1.1: 100 Continue is sent only after authentication. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.expect !== undefined && req.httpVersion === '1.1' && !wasContinueSent(res)) res.writeContinue();
}

/** Whether other middleware read the body of a request, at least in part. */
export function isBodyReadAlready(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/** Whether a body is known to be empty. It is received up to its first byte, unless the client waits to be asked for it. */
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

/** Keeps a body in memory. Most arrive in one chunk, which is neither copied nor counted: its length was announced. */
export function createBufferSink<T>(
  { headers }: IncomingMessage,
  budget: BodyBudget,
  drop: () => void,
  toValue: (bytes: Buffer) => T,
): BodySink<T> {
  const announcedLength = Number(headers['content-length']);
  let onlyChunk: Buffer | undefined;
  let buffered: BodyBuffer | undefined;
  return {
    add(chunk) {
      if (chunk.length === announcedLength) onlyChunk = chunk;
      else (buffered ??= createBodyBuffer(budget, drop)).add(chunk);
      return undefined;
    },
    end: () => toValue(onlyChunk ?? buffered?.toBuffer() ?? Buffer.alloc(0)),
    discard: () => buffered?.discard(),
  };
}

// Whether 100 Continue was sent already: a server that is not the kit's does it by itself.
function wasContinueSent(res: ServerResponse): boolean {
  return (res as ServerResponse & { readonly _sent100: boolean })._sent100;
}
