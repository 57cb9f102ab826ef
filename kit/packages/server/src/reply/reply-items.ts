import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { ValidationError } from '../validate/validator';

/** Checks and serializes an item. @throws Error unless the contract allows it */
export type EncodeItem = (item: unknown) => string;

type AnyItems = AsyncIterable<unknown> & Iterable<unknown>;

/** A handler's items as text. Each is checked when it is requested. */
export class ReplyItems {
  readonly areItems = true;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #encode: EncodeItem;
  #number = 0;
  /** The first item, if it has been read ahead. */
  #first: { readonly text: string | undefined } | undefined;
  #isOver = false;
  /** Whether the handler's iterator was closed early. */
  isClosed = false;

  /** @throws Error unless `items` is iterable */
  constructor(items: unknown, encode: EncodeItem) {
    const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = Object(items) as Partial<AnyItems>;
    if (typeof (async ?? sync) !== 'function' || typeof items === 'string')
      throw new Error('response/body must be an Iterable or AsyncIterable of items');
    this.#iterator = (items as AnyItems)[async ? Symbol.asyncIterator : Symbol.iterator]();
    // If an async function returned the iterator, this is a promise without next(), whose rejection would end the process.
    if (types.isPromise(this.#iterator)) this.#iterator.catch(() => undefined);
    this.#encode = encode;
  }

  /** Reads the first item ahead, so that its error counts as the handler's. An abort closes the iterator. @throws its reason */
  async readFirst(signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<undefined>();
    using _listener = addAbortListener(signal, () => {
      this.close();
      reject(signal.reason as Error);
    });
    this.#first = { text: await Promise.race([this.next(), aborted]) };
  }

  /** Returns undefined after the last item. @throws the handler's error, or one that gives the item's number, counted from 1 */
  next(): string | undefined | Promise<string | undefined> {
    if (this.#first) {
      const { text } = this.#first;
      this.#first = undefined;
      return text;
    }
    const result = this.#iterator.next();
    return 'then' in result ? result.then((awaited) => this.#toText(awaited)) : this.#toText(result);
  }

  /** Closes the handler's iterator, so that its `finally` runs. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isClosed = true;
    // An error at this point comes too late for the reply.
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

/** Closes a body that is not sent, since a stream or an iterator could keep a file open. */
export function closeBody(body: unknown): void {
  try {
    if (body instanceof Readable) body.destroy();
    else (body instanceof ReplyItems ? body : new ReplyItems(body, String)).close();
  } catch {
    // There is nothing to close in any other body.
  }
}
