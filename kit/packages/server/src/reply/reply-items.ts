// The items of a reply, each checked and written when it is asked for.
import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { ValidationError } from '../validate/validator';

/** Checks an item, and writes it. @throws Error unless the contract allows it */
export type EncodeItem = (item: unknown) => string;

type AnyItems = AsyncIterable<unknown> & Iterable<unknown>;

/** The iterator of a handler's items, as text. */
export class ReplyItems {
  readonly areItems = true;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #encode: EncodeItem;
  #number = 0;
  /** The first item, or undefined in it if there is none. */
  #first: { readonly text: string | undefined } | undefined;
  #isOver = false;
  /** Whether the handler's iterator was ended before its own end. */
  isClosed = false;

  /** @throws Error for what is not iterable */
  constructor(items: unknown, encode: EncodeItem) {
    const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = Object(items) as Partial<AnyItems>;
    if (typeof (async ?? sync) !== 'function' || typeof items === 'string')
      throw new Error('response/body must be an Iterable or AsyncIterable of items');
    this.#iterator = (items as AnyItems)[async ? Symbol.asyncIterator : Symbol.iterator]();
    // That of an async function, which has no next(); its rejection would end the process.
    if (types.isPromise(this.#iterator)) this.#iterator.catch(() => undefined);
    this.#encode = encode;
  }

  /**
   * Reads the first item ahead, so that its error is one of the handler. An abort ends the items, whose iterator may wait for
   * what never comes.
   *
   * @throws the reason of the signal
   */
  async readFirst(signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<undefined>();
    using _listener = addAbortListener(signal, () => {
      this.close();
      reject(signal.reason as Error);
    });
    this.#first = { text: await Promise.race([this.next(), aborted]) };
  }

  /**
   * The next item as text; undefined behind the last one. A promise only where the handler's iterator gives one.
   *
   * @throws Error of the handler, or one that names the item by its number, from 1 on
   */
  next(): string | undefined | Promise<string | undefined> {
    if (this.#first) {
      const { text } = this.#first;
      this.#first = undefined;
      return text;
    }
    const result = this.#iterator.next();
    return 'then' in result ? result.then((awaited) => this.#toText(awaited)) : this.#toText(result);
  }

  /** Ends the handler's iterator, whose `finally` runs. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isClosed = true;
    // What fails in it comes too late for the reply.
    void Promise.try(() => this.#iterator.return?.()).catch(() => undefined);
  }

  #toText({ done, value }: IteratorResult<unknown>): string | undefined {
    if (done === true) {
      this.#isOver = true;
      return undefined;
    }
    this.#number++;
    try {
      return this.#encode(value);
    } catch (cause) {
      this.close();
      const rule = cause instanceof ValidationError ? ` (${String(cause.faults[0]?.rule)})` : '';
      throw new Error(`item ${String(this.#number)}: ${(cause as Error).message}${rule}`, { cause });
    }
  }
}

/** Closes a body that is not sent: a stream would keep its file open, and an iterator what it reads. */
export function closeBody(body: unknown): void {
  try {
    if (body instanceof Readable) body.destroy();
    else (body instanceof ReplyItems ? body : new ReplyItems(body, String)).close();
  } catch {
    // Any other body has nothing to close.
  }
}
