// The time that a handler may take.
import { Readable } from 'node:stream';
import { Refusal } from '../errors/refusal';
import type { UntypedReply } from '../reply/check-reply';
import type { HandlerCall } from './handler-call';

/** The longest time that a timer of Node can have; a longer one would be over at once. */
export const MAX_TIME_MS = 2 ** 31 - 1;

/**
 * Waits for the reply of a handler, `limit` ms at most. Then its signal is aborted, and what it still does is only logged.
 *
 * @throws Refusal when its time is over
 */
export function withinTime(limit: number, call: HandlerCall, work: PromiseLike<UntypedReply>): Promise<UntypedReply> {
  // Promise.race() would cost a request four times as much.
  const { promise, resolve, reject } = Promise.withResolvers<UntypedReply>();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    const message = `the handler has no reply after ${String(limit)} ms`;
    reject(new Refusal('SERVICE_UNAVAILABLE', undefined, { cause: new Error(message) }));
    call.abort('TimeoutError', message);
  }, limit).unref();
  void work.then(
    (reply) => {
      clearTimeout(timer);
      if (isOver) dropReply(call, reply);
      else resolve(reply);
    },
    (cause: unknown) => {
      clearTimeout(timer);
      reject(cause);
      if (isOver && !call.isAborted(cause)) call.log.warn({ cause }, 'the handler failed after its time');
    },
  );
  return promise;
}

// A handler in JavaScript may return anything.
function dropReply({ log }: HandlerCall, reply: unknown): void {
  const { status, body } = Object(reply) as Partial<UntypedReply>;
  // A stream that is not sent would keep its file open.
  if (body instanceof Readable) body.destroy();
  log.warn({ status }, 'the handler replied after its time: the reply is dropped');
}
