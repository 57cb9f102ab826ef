// Reads the items of a request one by one, as its handler asks for them.
import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMedia, Groups, MessageSchema } from '@contract-kit/contract';
import { ClientLeft, Refusal } from '../errors/refusal';
import { allowTime, stopTime } from '../http/request-time';
import { createFindEnd, readItem } from '../items/framing';
import { createBodyBuffer, type BodyBuffer } from './body-budget';
import { DROP_REASON, sendContinue, type BodyLimits } from './receive-body';
import { toFieldRefusal } from './read-value';

/** Checks an item as the `body` of its message, and makes what the handler gets. */
export type CheckItem = (request: {
  readonly message: MessageSchema;
  readonly value: Groups;
  readonly unlisted: readonly string[];
}) => { readonly body?: unknown } | Refusal;

/** The items of a request: the handler's `body`. */
export interface RequestItems {
  /** Whether the handler waits for the client. */
  isWaiting: boolean;
  /** Called when the handler asks for an item. */
  onRead: () => void;
  readonly read: (check: CheckItem) => AsyncGenerator<unknown, undefined>;
}

const ITEMS_IN_TURN = 64;

interface FoundItem {
  readonly bytes: Buffer | string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** @param limits that of each item; `chunks` are the bytes, if other middleware has read them */
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
  // The bytes of an item that has not ended.
  let begun: BodyBuffer | undefined;
  let isDropped = false;
  // The time is for each item: it begins when the handler asks for one that is not there.
  let isTimed = false;
  let foundCount = 0;
  return items;

  // The loop of a handler that ends early calls return(): then what the client still sends is discarded with the reply.
  async function* read(check: CheckItem): AsyncGenerator<unknown, undefined> {
    try {
      for await (const chunk of chunks ? [...chunks, undefined] : receive())
        for (const found of split(chunk)) {
          if (isTimed) stopTime(req);
          isTimed = false;
          // Others have their turn: a chunk may have thousands of items.
          if (++foundCount % ITEMS_IN_TURN === 0) await new Promise(setImmediate);
          const item = readChecked(found, check);
          if (!item) continue;
          yield item.body;
          items.onRead();
        }
    } finally {
      begun?.discard();
      stopTime(req);
    }
    return undefined;
  }

  function readChecked(found: FoundItem, check: CheckItem): { readonly body?: unknown } | undefined {
    const { item: message } = media;
    try {
      const read = readItem(media, found.bytes, message?.shape.properties.get('body'), found);
      if (!message || read === undefined) return undefined;
      const checked = check({ message, value: { body: read }, unlisted: [] });
      if (checked instanceof Refusal) throw checked;
      number++;
      return checked;
    } catch (cause) {
      throw toItemRefusal(toFieldRefusal(cause, '/body'), number);
    }
  }

  /** Finds the items that end in a chunk; without one, that which ends with the body. */
  function* split(chunk: Buffer | undefined): Generator<FoundItem> {
    if (!chunk) {
      assertKept();
      yield { bytes: takeBegun(), isFirst, isLast: true };
      return;
    }
    // ASCII is decoded at once: thousands of small items would cost a buffer for each.
    const source = isAscii(chunk) ? chunk.toString('latin1') : chunk;
    let start = 0;
    for (let end = findEnd(chunk, 0); start < chunk.length; end = findEnd(chunk, start)) {
      const behind = end === -1 ? undefined : end;
      const part = typeof source === 'string' ? source.slice(start, behind) : source.subarray(start, behind);
      if ((begun?.size() ?? 0) + part.length > limits.limit) throw toItemRefusal(new Refusal('BODY_TOO_LARGE'), number);
      if (end === -1 || begun) (begun ??= createBodyBuffer(limits.budget, drop)).add(Buffer.from(part));
      assertKept();
      if (end === -1) break;
      yield { bytes: begun ? takeBegun() : part, isFirst, isLast: false };
      isFirst = false;
      start = end;
    }
  }

  function takeBegun(): Buffer {
    const bytes = begun?.toBuffer() ?? Buffer.alloc(0);
    begun = undefined;
    return bytes;
  }

  function assertKept(): void {
    if (isDropped) throw new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(DROP_REASON) });
  }

  function drop(): void {
    isDropped = true;
    res.shouldKeepAlive = false;
    begun?.discard();
    begun = undefined;
  }

  /** The chunks, and undefined behind the last one. */
  async function* receive(): AsyncGenerator<Buffer | undefined> {
    sendContinue(req, res);
    const received = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    // After a malformed body, node:http emits only this event.
    const end = (): void => void req.destroy();
    res.once('close', end);
    try {
      for (;;) {
        if (!isTimed) allowTime(req, limits.limit);
        isTimed = true;
        items.isWaiting = true;
        const next = await received.next().finally(() => (items.isWaiting = false));
        if (next.done === true) break;
        yield next.value;
      }
      yield undefined;
    } catch {
      // A malformed body was answered already, where node:http told the server of it.
      throw res.writableEnded ? new Refusal('MALFORMED_REQUEST') : new ClientLeft();
    } finally {
      res.off('close', end);
      await received.return?.();
    }
  }
}

/** Adds the number of the item, from 1 on, to a refusal. */
function toItemRefusal(refused: unknown, number: number): unknown {
  if (!(refused instanceof Refusal)) return refused;
  const { kind, detail, cause, rule } = refused;
  const faults = refused.faults.map(({ pointer, place, ...fault }) => ({
    ...fault,
    pointer: pointer.replace(/^\/body/, `/body/${String(number - 1)}`),
    place: place.replace(/^\/body/, '/body/*'),
    message: `item ${String(number)}: ${fault.message}`,
  }));
  return new Refusal(kind, `item ${String(number)}: ${detail ?? refused.message}`, { faults, rule, cause });
}
