// Receives a body: its media type from the headers, then its bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findMedia, parseMediaType, type BodyMedia, type DeclaredBody } from '@contract-kit/contract';
import { ClientLeft, Refusal } from '../errors/refusal';
import { performance } from 'node:perf_hooks';

const MAX_QUOTED_TYPE = 100;
// RFC 9110 section 5.6.2: all but these characters make up a token, such as a charset.
const NON_TOKEN_CHARACTERS = /[^\w!#$%&'*+.^`|~-]/g;
const DROP_REASON = 'Together, the unfinished request bodies took too much memory, and this one was the slowest.';

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
}

/** A body in several chunks counts in the budget. @throws Refusal if it is too large, dropped for others, or malformed; ClientLeft */
export function receiveBody(req: IncomingMessage, res: ServerResponse, { limit, budget }: BodyLimits): Promise<Buffer> {
  // RFC 9110 section 10.1.1: send 100 Continue only now, after authentication.
  if (req.headers.expect !== undefined && req.httpVersion === '1.1' && !wasContinueSent(res)) res.writeContinue();
  const announcedLength = Number(req.headers['content-length']);
  return new Promise((resolve, reject) => {
    let size = 0;
    let isRefused = false;
    // The body, if it arrives in one chunk; otherwise its chunks are buffered.
    let onlyChunk: Buffer | undefined;
    let buffered: ReturnType<typeof createBodyBuffer> | undefined;
    function refuse(reason: Refusal | ClientLeft): void {
      isRefused = true;
      buffered?.discard();
      reject(reason);
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
    // The client went away before: no event follows.
    if (req.destroyed) refuseBroken();
    req.on('data', (chunk: Buffer) => {
      // Most bodies arrive in one chunk, which is neither copied nor counted: negotiateBody has checked the announced length.
      if (chunk.length === announcedLength) onlyChunk = chunk;
      if (isRefused || onlyChunk) return;
      size += chunk.length;
      buffered ??= createBodyBuffer(budget, dropExcluded);
      if (size > limit) refuse(new Refusal('BODY_TOO_LARGE'));
      else buffered.add(chunk);
    });
    // once(), not on(): with on(), node:http is slower at the end of the request.
    req.once('end', () => {
      if (!isRefused) resolve(onlyChunk ?? buffered?.toBuffer() ?? EMPTY_BUFFER);
    });
    // After a malformed body, node:http emits only this event.
    res.on('close', refuseBroken);
  });
}

/** Whether other middleware read the body of a request, at least in part. */
export function isBodyReadAlready(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/** Whether a body is known to be empty. It is received up to its first byte, unless the client waits to be asked for it. */
export async function isEmpty(req: IncomingMessage, res: ServerResponse, { budget }: BodyLimits): Promise<boolean> {
  const { 'content-length': length, expect } = req.headers;
  if (length !== undefined || expect !== undefined || isBodyReadAlready(req)) return Number(length) === 0;
  try {
    await receiveBody(req, res, { limit: 0, budget });
    return true;
  } catch (cause) {
    if (cause instanceof Refusal && cause.kind === 'BODY_TOO_LARGE') return false;
    throw cause;
  }
}

// Whether 100 Continue was sent already: a server that is not the kit's does it by itself.
function wasContinueSent(res: ServerResponse): boolean {
  return (res as ServerResponse & { readonly _sent100: boolean })._sent100;
}

const EMPTY_BUFFER: Buffer = Buffer.alloc(0);
const MAX_BLOCK_BYTES = 65_536;

/**
 * Copies the chunks that arrive into larger blocks, since a Buffer of one byte takes a hundred times its size. The blocks take at
 * most twice the size of the arrived bytes, and at most 64 kB more. `drop` is called when other bodies need the memory.
 */
export function createBodyBuffer(budget: BodyBudget, drop: () => void) {
  const counted = budget.begin(drop);
  // Most bodies are one chunk, which is not copied.
  let first: Buffer = EMPTY_BUFFER;
  const blocks: Buffer[] = [];
  let size = 0;
  // How many bytes at the end of the last block are free.
  let free = 0;

  /** Frees the buffers at once: under attack the garbage collector is a hundred megabytes late. */
  function discard(): void {
    first = EMPTY_BUFFER;
    // Transferring a buffer to a length of 0 frees its memory.
    for (const { buffer } of blocks) (buffer as ArrayBuffer).transfer(0);
    blocks.length = 0;
    counted.end();
  }

  return {
    /** Copies a chunk into the free bytes of the last block, and the rest into a new one. May drop a body, this one included. */
    add: (chunk: Buffer): void => {
      const sizeBefore = size;
      size += chunk.length;
      if (sizeBefore === 0) {
        first = chunk;
        counted.add(size);
        return;
      }
      const last = blocks.at(-1);
      const copied = last ? chunk.copy(last, last.length - free) : 0;
      const rest = chunk.length - copied;
      free -= copied;
      if (rest === 0) return;
      // A new block is as large as all that has arrived before, up to 64 kB: the blocks grow with the body.
      // allocUnsafeSlow does not use Node's shared pool: discard() transfers the whole buffer.
      const block = Buffer.allocUnsafeSlow(Math.max(rest, Math.min(sizeBefore, MAX_BLOCK_BYTES)));
      free = block.length - chunk.copy(block, 0, copied);
      blocks.push(block);
      counted.add(block.length);
    },
    /** Returns all bytes in one buffer, and ends the buffering. */
    toBuffer: (): Buffer => {
      const all = blocks.length === 0 ? first : Buffer.concat([first, ...blocks], size);
      discard();
      return all;
    },
    discard,
  };
}

const MIN_BUDGET_BYTES = 128 * 1024 ** 2;

interface BodyBudget {
  /** `drop` is called when the body has to give way to others; it is no longer counted then. */
  readonly begin: (drop: () => void) => CountedBody;
}

export interface CountedBody {
  /** Counts more bytes of its buffers. That may drop bodies, this one included. */
  readonly add: (bytes: number) => void;
  readonly end: () => void;
}

/** The limit for all unfinished bodies: at least twice that of one, so that a large body need not be dropped itself. */
export function toBudgetBytes(bodyLimit: number): number {
  return Math.max(MIN_BUDGET_BYTES, 2 * bodyLimit);
}

/**
 * Beyond the limit, in bytes, the slowest body is dropped: the one with the fewest bytes per second since it began. Bodies of
 * less than half the average size stay: dropping them frees little.
 */
export function createBodyBudget(
  limit: number,
  observeDrop: () => void = () => undefined,
  now: () => number = () => performance.now(),
): BodyBudget {
  interface Body {
    bytes: number;
    readonly start: number;
    readonly drop: () => void;
  }
  const bodies = new Set<Body>();
  let totalBytes = 0;

  function end(body: Body): void {
    if (bodies.delete(body)) totalBytes -= body.bytes;
  }

  function dropSlowest(): void {
    const time = now();
    const halfOfAverage = totalBytes / bodies.size / 2;
    const slowest = [...bodies]
      .filter(({ bytes }) => bytes >= halfOfAverage)
      .reduce((slowest, other) =>
        other.bytes / (time - other.start) < slowest.bytes / (time - slowest.start) ? other : slowest,
      );
    end(slowest);
    observeDrop();
    slowest.drop();
  }

  return {
    begin(drop) {
      const body = { bytes: 0, start: now(), drop };
      bodies.add(body);
      return {
        add(bytes) {
          body.bytes += bytes;
          totalBytes += bytes;
          while (totalBytes > limit) dropSlowest();
        },
        end() {
          end(body);
        },
      };
    },
  };
}
