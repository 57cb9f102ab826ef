import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMedia, Groups, MessageSchema } from '@contract-kit/contract';
import { ClientLeft, Refusal } from '../errors/refusal';
import { allowTime, stopTime } from '../http/request-time';
import { createFindEnd, readItem } from '../items/framing';
import { createBodyBuffer, type BodyBuffer } from './body-budget';
import { DROP_REASON, sendContinue, type BodyLimits } from './receive-body';
import { toFieldRefusal } from './read-value';

/** Checks an item as the `body` of its message, and returns the value for the handler. */
export type CheckItem = (request: {
  readonly message: MessageSchema;
  readonly value: Groups;
  readonly unknownNames: readonly string[];
}) => { readonly body?: unknown } | Refusal;

/** The `body` of a handler that reads the items one by one. */
export interface RequestItems {
  /** Whether the handler waits for the client. */
  isWaiting: boolean;
  onRead: () => void;
  readonly read: (check: CheckItem) => AsyncGenerator<unknown, undefined>;
}

const ITEMS_PER_TURN = 64;

interface FramedItem {
  readonly bytes: Buffer | string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** `limits` apply to each item. `chunks` is set if other middleware has already read the body. */
export function createRequestItems(
  req: IncomingMessage,
  res: ServerResponse,
  media: BodyMedia,
  { chunks, ...limits }: BodyLimits & { readonly chunks: Iterable<Buffer> | undefined },
): RequestItems {
  const items: RequestItems = { isWaiting: false, onRead: () => undefined, read };
  const findEnd = createFindEnd(media.framing);
  let number = 1;
  let isFirst = true;
  let partialItem: BodyBuffer | undefined;
  let isDropped = false;
  // Whether the client's time for an item is running. It begins when the handler asks for an item that has not arrived.
  let isTimed = false;
  let itemCount = 0;
  return items;

  // A handler's loop that ends early calls return(). Anything that the client still sends is then discarded with the reply.
  async function* read(check: CheckItem): AsyncGenerator<unknown, undefined> {
    try {
      for await (const chunk of chunks ? [...chunks, undefined] : receive())
        for (const framedItem of split(chunk)) {
          if (isTimed) stopTime(req);
          isTimed = false;
          // A chunk may contain thousands of items, so give other requests a turn.
          if (++itemCount % ITEMS_PER_TURN === 0) await new Promise(setImmediate);
          const item = readCheckedItem(framedItem, check);
          if (!item) continue;
          yield item.body;
          items.onRead();
        }
    } finally {
      partialItem?.discard();
      stopTime(req);
    }
    return undefined;
  }

  function readCheckedItem(framed: FramedItem, check: CheckItem): { readonly body?: unknown } | undefined {
    const { item: message } = media;
    try {
      const parsedItem = readItem(media, framed.bytes, message?.shape.properties.get('body'), framed);
      if (!message || parsedItem === undefined) return undefined;
      const result = check({ message, value: { body: parsedItem }, unknownNames: [] });
      if (result instanceof Refusal) throw result;
      number++;
      return result;
    } catch (cause) {
      throw toItemRefusal(toFieldRefusal(cause, '/body'), number);
    }
  }

  // Yields the items that end in a chunk; without a chunk, the last item.
  function* split(chunk: Buffer | undefined): Generator<FramedItem> {
    if (!chunk) {
      assertKept();
      yield { bytes: takePartialItem(), isFirst, isLast: true };
      return;
    }
    // ASCII is decoded as a whole, because a buffer for each of thousands of small items would be expensive.
    const source = isAscii(chunk) ? chunk.toString('latin1') : chunk;
    let start = 0;
    for (let end = findEnd(chunk, 0); start < chunk.length; end = findEnd(chunk, start)) {
      const stop = end === -1 ? undefined : end;
      const part = typeof source === 'string' ? source.slice(start, stop) : source.subarray(start, stop);
      if ((partialItem?.size() ?? 0) + part.length > limits.limit)
        throw toItemRefusal(new Refusal('BODY_TOO_LARGE'), number);
      if (end === -1 || partialItem) (partialItem ??= createBodyBuffer(limits.budget, drop)).add(Buffer.from(part));
      assertKept();
      if (end === -1) break;
      yield { bytes: partialItem ? takePartialItem() : part, isFirst, isLast: false };
      isFirst = false;
      start = end;
    }
  }

  function takePartialItem(): Buffer {
    const bytes = partialItem?.toBuffer() ?? Buffer.alloc(0);
    partialItem = undefined;
    return bytes;
  }

  function assertKept(): void {
    if (isDropped) throw new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(DROP_REASON) });
  }

  function drop(): void {
    isDropped = true;
    res.shouldKeepAlive = false;
    partialItem?.discard();
    partialItem = undefined;
  }

  // Yields the chunks, and undefined after the last one.
  async function* receive(): AsyncGenerator<Buffer | undefined> {
    sendContinue(req, res);
    const chunkIterator = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    // After a malformed body, node:http emits only this event.
    const end = (): void => void req.destroy();
    res.once('close', end);
    try {
      for (;;) {
        if (!isTimed) allowTime(req, limits.limit);
        isTimed = true;
        items.isWaiting = true;
        const next = await chunkIterator.next().finally(() => (items.isWaiting = false));
        if (next.done === true) break;
        yield next.value;
      }
      yield undefined;
    } catch {
      // The server has already answered a malformed body.
      throw res.writableEnded ? new Refusal('MALFORMED_REQUEST') : new ClientLeft();
    } finally {
      res.off('close', end);
      await chunkIterator.return?.();
    }
  }
}

function toItemRefusal(error: unknown, number: number): unknown {
  if (!(error instanceof Refusal)) return error;
  const { kind, detail, cause, rule } = error;
  const faults = error.faults.map(({ pointer, place, ...fault }) => ({
    ...fault,
    pointer: pointer.replace(/^\/body/, `/body/${String(number - 1)}`),
    place: place.replace(/^\/body/, '/body/*'),
    message: `item ${String(number)}: ${fault.message}`,
  }));
  return new Refusal(kind, `item ${String(number)}: ${detail ?? error.message}`, { faults, rule, cause });
}
