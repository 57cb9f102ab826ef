import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { serveOperation, type ServedOperation } from '../serve-operation';
import { openClient, type RawClient } from '../../../../tests/support/send-raw';
import { until } from '../../../../tests/support/until';
import { createDrain } from '../../src/http/drain';
import type { UntypedHandler } from '../../src/pipeline/pipeline';

type Context = Parameters<UntypedHandler>[0];

const REQUEST = 'POST /a HTTP/1.1\r\nHost: a\r\nX-Request-Id: a-request\r\n\r\n';

/** A log that keeps its lines. */
function createLog() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): number => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, log: pino({ base: null, timestamp: false }, { write }) };
}

/** A service whose handler waits until `settle` is called, and a client that asked it. */
async function serveWaiting() {
  const settled = Promise.withResolvers<undefined>();
  const contexts: Context[] = [];
  const served = await serveOperation({}, async (context, reply) => {
    contexts.push(context);
    await settled.promise;
    return reply(204);
  });
  const client = await ask(served, contexts);
  const [context] = contexts as [Context];
  return { served, client, context, ...settled, [Symbol.asyncDispose]: end };

  async function end(): Promise<void> {
    settled.resolve(undefined);
    await served[Symbol.asyncDispose]();
  }
}

async function ask({ port }: ServedOperation, calls: readonly unknown[]): Promise<RawClient> {
  const client = openClient(port);
  client.socket.write(REQUEST);
  await until(() => calls.length > 0);
  return client;
}

/** The client leaves, and the server knows. */
async function leave({ socket, closed }: RawClient, { server }: ServedOperation): Promise<void> {
  const count = (): Promise<number> =>
    new Promise((resolve) => {
      server.getConnections((_error, connections) => {
        resolve(connections);
      });
    });
  socket.resetAndDestroy();
  await closed;
  await until(async () => (await count()) === 0);
}

test('the lines of log have the id of the request and the operation', async () => {
  const { log, lines } = createLog();
  await using served = await serveOperation(
    {},
    (context, reply) => {
      context.log.info({ requestId: context.requestId, isSame: context.log === context.log }, 'a line');
      return reply(204);
    },
    {},
    { log },
  );
  const headers = { 'X-Request-Id': 'a-request' };
  await fetch(new URL('/a', served.base), { method: 'POST', headers });
  expect(lines).toEqual([
    { level: 30, operation: 'a', id: 'a-request', requestId: 'a-request', isSame: true, msg: 'a line' },
  ]);
});

test('what a handler does not use is not made', async () => {
  const { log } = createLog();
  const child = jest.spyOn(log, 'child');
  const contexts: Context[] = [];
  await using served = await serveOperation({}, (context, reply) => (contexts.push(context), reply(204)), {}, { log });
  await fetch(new URL('/a', served.base), { method: 'POST' });
  const [context] = contexts as [Context];
  expect(Object.keys(context)).toEqual(expect.not.arrayContaining(['log', 'requestId', 'signal']) as string[]);
  expect(child).not.toHaveBeenCalled();
});

describe('signal', () => {
  test('is aborted when the client is gone', async () => {
    await using waiting = await serveWaiting();
    const { signal } = waiting.context;
    expect([signal.aborted, waiting.context.signal === signal]).toEqual([false, true]);
    await leave(waiting.client, waiting.served);
    expect(signal).toMatchObject({
      aborted: true,
      reason: { name: 'AbortError', message: 'the client closed the connection' },
    });
  });

  test('is aborted from the start when the client was gone before it is used', async () => {
    await using waiting = await serveWaiting();
    await leave(waiting.client, waiting.served);
    expect(waiting.context.signal.aborted).toBe(true);
  });

  test.each(['before', 'after'])('stays as it is when the client has its reply; used %s', async (when) => {
    await using waiting = await serveWaiting();
    const used = when === 'before' ? waiting.context.signal : undefined;
    waiting.resolve(undefined);
    await until(() => waiting.client.received.includes('204 No Content'));
    await leave(waiting.client, waiting.served);
    expect((used ?? waiting.context.signal).aborted).toBe(false);
  });

  test('is aborted when a shutdown waits no longer', async () => {
    await using waiting = await serveWaiting();
    const { signal } = waiting.context;
    const drained = createDrain(waiting.served.server)(50);
    await expect(drained).resolves.toBe(false);
    await until(() => signal.aborted);
  });

  test.each<[string, (signal: AbortSignal) => Promise<unknown>, object]>([
    [
      'its reason',
      (signal) =>
        waitFor(signal).then(() => {
          signal.throwIfAborted();
        }),
      { status: 499, refusal: undefined },
    ],
    ['an error that it caused', (signal) => sleep(2 ** 30, undefined, { signal }), { status: 499, refusal: undefined }],
    [
      'another error',
      (signal) => sleep(2 ** 30, undefined, { signal }).catch(() => Promise.reject(new Error('a bug'))),
      { status: 500, refusal: { kind: 'INTERNAL_ERROR' } },
    ],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- JavaScript may reject with anything
    ['what is no error', (signal) => waitFor(signal).then(() => Promise.reject(undefined)), { status: 500 }],
  ])('a handler fails with %s', async (_name, work, outcome) => {
    const calls: unknown[] = [];
    await using served = await serveOperation({}, async ({ signal }, reply) => {
      calls.push(signal);
      await work(signal);
      return reply(204);
    });
    const { socket } = await ask(served, calls);
    socket.resetAndDestroy();
    await until(() => served.outcomes.length > 0);
    expect(served.outcomes).toMatchObject([{ ...outcome, operation: 'a', isAborted: true }]);
  });

  test('an error of a handler that has a signal, and was not aborted, is its own', async () => {
    await using served = await serveOperation({}, ({ signal }) => Promise.reject(new Error(String(signal.aborted))));
    expect((await fetch(new URL('/a', served.base), { method: 'POST' })).status).toBe(500);
  });
});

function waitFor(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
