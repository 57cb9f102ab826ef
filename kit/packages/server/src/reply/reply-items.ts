import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { ValidationError } from '../validate/validator';

/** Checks and serializes an item. @throws Error unless the contract allows it */
export type EncodeItem = (item: unknown) => string;

type AnyItems = AsyncIterable<unknown> & Iterable<unknown>;

/** Checks and serializes a handler's items one by one, as they are read. */
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
    // If [Symbol.asyncIterator] is an async function, this is a promise, and its rejection would end the process.
    if (types.isPromise(this.#iterator)) this.#iterator.catch(() => undefined);
    this.#encode = encode;
  }

  /** Reads the first item ahead, so that its error counts as the handler's. Aborting the signal closes the iterator. */
  async readFirst(signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<undefined>();
    using _listener = addAbortListener(signal, () => {
      this.close();
      reject(signal.reason as Error);
    });
    this.#first = { text: await Promise.race([this.next(), aborted]) };
  }

  /** Returns an item's text, or undefined at the end. @throws the handler's error, or an error with the invalid item's number */
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
    // It is too late to report an error in the reply.
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

/** Closes a body that is not sent, since its stream or iterator could keep a file open. */
export function closeBody(body: unknown): void {
  try {
    if (body instanceof Readable) body.destroy();
    else (body instanceof ReplyItems ? body : new ReplyItems(body, String)).close();
  } catch {
    // Any other body has nothing to close.
  }
}
