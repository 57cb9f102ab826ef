import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Readable } from 'node:stream';
import express, { type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import request from 'supertest';
import { createServer } from 'node:http';
import { serveOperation, type ServedOperation, type OperationParts } from '@contract-kit/test-support/serve-operation';
import { openClient, type RawClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { createDrain } from '../../src/http/drain';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { type ServiceOptions, serveContract } from '../../src/pipeline/serve-contract';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import type { RequestView } from '../../src/auth/request-view';
import { createRenderer } from '../../src/errors/create-renderer';
import { createLog } from '../../src/runtime/log';

type Context = Parameters<UntypedHandler>[0];

const REQUEST = 'POST /a HTTP/1.1\r\nHost: a\r\nX-Request-Id: a-request\r\n\r\n';

/** A log that keeps its lines. */
function createKeptLog() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): number => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, log: pino({ base: null, timestamp: false, serializers: { cause: String } }, { write }) };
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
  const { log, lines } = createKeptLog();
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
  const { log } = createKeptLog();
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

/** A service whose handlers may take 1 s, and what they log; `a` waits until it is settled. */
async function serveLimited(work: UntypedHandler, options: Partial<ServiceOptions> = {}, parts: OperationParts = {}) {
  const { log, lines } = createKeptLog();
  let calls = 0;
  const handler: UntypedHandler = (context, reply) => (calls++, work(context, reply));
  const served = await serveOperation(parts, handler, {}, { log, handlerTimeout: 1_000, ...options });
  return Object.assign(served, { lines, countCalls: () => calls });
}

async function askAndPass(
  served: ServedOperation & { countCalls: () => number },
  milliseconds: number,
): Promise<Response> {
  using clock = holdClock('setTimeout', 'clearTimeout');
  const asked = fetch(new URL('/a', served.base), { method: 'POST', headers: { 'X-Request-Id': 'a-request' } });
  await until(() => served.countCalls() === 1);
  clock.pass(milliseconds);
  return await asked;
}

test('a handler whose time is over: 503 with Retry-After, as the contract declares it, and the signal is aborted', async () => {
  const signals: AbortSignal[] = [];
  const waiting = Promise.withResolvers<never>();
  await using served = await serveLimited(({ signal }) => (signals.push(signal), waiting.promise));
  const reply = await askAndPass(served, 1_000);
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
  await expect(reply.json()).resolves.toMatchObject({ error: expect.any(Number) as number });
  const message = 'the handler did not reply within 1000 ms';
  expect(signals).toMatchObject([{ aborted: true, reason: { name: 'TimeoutError', message } }]);
  await until(() => served.outcomes.length > 0);
  expect(served.outcomes).toMatchObject([
    { operation: 'a', status: 503, isAborted: false, refusal: { kind: 'SERVICE_UNAVAILABLE', cause: { message } } },
  ]);
});

test('a reply after the time limit is dropped, its stream closed, and logged', async () => {
  const body = Readable.from(['a']);
  const settled = Promise.withResolvers<undefined>();
  const responses = `'200': { description: Bytes., content: { application/octet-stream: {} } }`;
  await using served = await serveLimited(
    async (_context, reply) => {
      await settled.promise;
      return reply(200, body);
    },
    {},
    { responses },
  );
  expect((await askAndPass(served, 1_000)).status).toBe(503);
  settled.resolve(undefined);
  await until(() => served.lines.length > 0);
  const msg = 'the handler replied after its time limit, so the reply was dropped';
  expect(served.lines).toEqual([{ level: 40, operation: 'a', id: 'a-request', status: 200, msg }]);
  expect(body.destroyed).toBe(true);
});

test.each<[string, () => unknown]>([
  ['throws', () => ({ then: () => fail() })],
  ['cannot be read', () => Object.defineProperty({}, 'then', { get: fail })],
])('a handler in JavaScript whose thenable has a `then` that %s is a 500, and its time has no end', async (_, make) => {
  await using served = await serveLimited(make as UntypedHandler);
  using clock = holdClock('setTimeout', 'clearTimeout');
  const reply = await fetch(new URL('/a', served.base), { method: 'POST' });
  expect([reply.status, clock.countTimers()]).toEqual([500, 0]);
});

function fail(): never {
  throw new Error('no connection');
}

test('a handler in JavaScript that ends without a reply ends no process', async () => {
  const waiting = Promise.withResolvers<never>();
  await using served = await serveLimited(() => waiting.promise);
  await askAndPass(served, 1_000);
  waiting.resolve(undefined as never);
  await until(() => served.lines.length > 0);
  expect(served.lines).toMatchObject([{ msg: 'the handler replied after its time limit, so the reply was dropped' }]);
});

test('an error after the time limit is logged, but for one of the signal, which may be used later', async () => {
  const waiting = Promise.withResolvers<never>();
  const contexts: Parameters<UntypedHandler>[0][] = [];
  await using served = await serveLimited((context) => (contexts.push(context), waiting.promise));
  await askAndPass(served, 1_000);
  const [context] = contexts as [Parameters<UntypedHandler>[0]];
  waiting.reject(context.signal.reason as Error);
  await waiting.promise.catch(() => undefined);
  expect([context.signal.aborted, served.lines]).toEqual([true, []]);

  const failing = Promise.withResolvers<never>();
  await using other = await serveLimited(() => failing.promise);
  await askAndPass(other, 1_000);
  failing.reject(new Error('a bug'));
  await until(() => other.lines.length > 0);
  const msg = 'the handler failed after its time limit';
  expect(other.lines).toEqual([{ level: 40, operation: 'a', id: 'a-request', cause: 'Error: a bug', msg }]);
});

test.each<[string, Partial<ServiceOptions>, number]>([
  ['a reply comes just in time', {}, 999],
  ['0 is no limit', { handlerTimeout: 0 }, 1e9],
  ['by default there is none', { handlerTimeout: undefined }, 1e9],
  ['more than a timer can have is none', { handlerTimeout: Infinity }, 1e9],
  ['an operation has a longer one', { operationTimeouts: { a: 2_000 } }, 1_999],
])('a handler is not cut off where %s', async (_name, options, milliseconds) => {
  const settled = Promise.withResolvers<undefined>();
  await using served = await serveLimited(async (_context, reply) => {
    await settled.promise;
    return reply(204);
  }, options);
  using clock = holdClock('setTimeout', 'clearTimeout');
  const asked = fetch(new URL('/a', served.base), { method: 'POST' });
  await until(() => served.countCalls() === 1);
  clock.pass(milliseconds);
  settled.resolve(undefined);
  expect((await asked).status).toBe(204);
  expect(clock.countTimers()).toBe(0);
});

test('an operation may have a shorter time limit', async () => {
  const waiting = Promise.withResolvers<never>();
  await using served = await serveLimited(() => waiting.promise, { operationTimeouts: { a: 10 } });
  expect((await askAndPass(served, 10)).status).toBe(503);
});

test('a time limit for an operation that the contract does not have stops the start', async () => {
  const served = serveLimited((_context, reply) => reply(204), { operationTimeouts: { b: 1 } });
  await expect(served).rejects.toThrow('operationTimeouts names b, which is not an operation of the contract');
});

const CONTRACT = `openapi: 3.1.0
info: { title: Views, version: 1.0.0 }
security: [{ cookieAuth: [] }]
paths:
  /a:
    get:
      operationId: a
      responses:
        '200': { description: Done., content: { application/json: { schema: {} } } }
        default: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
components:
  securitySchemes: { cookieAuth: { type: apiKey, in: cookie, name: sid } }
  schemas: { Error: { type: object, required: [id], properties: { id: { type: string, format: uuid } } } }
`;
const ID = '0b5a7c1e-6a0f-4a3e-9d2b-1c2d3e4f5a6b';

type Session = RequestView & { readonly session: { user: string; visits: number } };

/** A session, as express-session sets it. */
const session: RequestHandler = (req, _res, next) => {
  Object.assign(req, { session: { user: 'rose', visits: 1 } });
  next();
};

async function serveSession(handler: (req: Session) => unknown, options: Partial<ServiceOptions> = {}) {
  const contract = loadText(CONTRACT);
  const app = express().use(session);
  app.use(
    await serveContract({
      contract,
      validator: OpenApiValidator,
      handlers: { a: ({ req }: { req: Session }, reply: (...args: unknown[]) => unknown) => reply(200, handler(req)) },
      verifiers: { cookieAuth: (_sid, req) => ({ subject: (req as Session).session.user }) },
      render: createRenderer({ contract, renderError: ({ requestId }) => ({ id: requestId }) }),
      log: createLog('silent'),
      ...options,
    }),
  );
  return listenOnLoopback(createServer(app));
}

test('a handler and a verifier get what middleware found', async () => {
  await using app = await serveSession(({ session: { user }, ip, hostname, method }) => {
    return [user, typeof ip, hostname, method];
  });
  await request(app.server).get('/a').set('Cookie', 'sid=1').expect(200, ['rose', 'string', '127.0.0.1', 'GET']);
});

test('a session may change, and the request itself may not, nor may its body be read', async () => {
  const changes: ((req: Record<string, unknown>) => void)[] = [
    (req) => (req['user'] = 1),
    (req) => delete req['session'],
    (req) => Object.defineProperty(req, 'user', { value: 1 }),
  ];
  await using app = await serveSession((req) => {
    req.session.visits += 1;
    const failed = changes.filter((change) => {
      try {
        change(req as never);
        return false;
      } catch {
        return true;
      }
    });
    return [req.session.visits, failed.length, typeof Reflect.get(req, 'pipe'), req.get('cookie')];
  });
  await request(app.server).get('/a').set('Cookie', 'sid=1').expect(200, [2, 3, 'undefined', 'sid=1']);
});

test('renderError gets the id of the request', async () => {
  await using app = await serveSession(() => undefined);
  await request(app.server).get('/a').set('X-Request-Id', ID).expect(401, { id: ID });
  await request(app.server).get('/nothing').set('X-Request-Id', ID).expect(404, { id: ID });
});

test('an id that the contract does not allow in an error is not sent in it', async () => {
  await using app = await serveSession(() => undefined);
  const reply = await request(app.server).get('/a').set('X-Request-Id', 'not-a-uuid').expect(401);
  expect(reply.headers).toMatchObject({ 'x-request-id': 'not-a-uuid', 'content-type': 'application/problem+json' });
  expect(reply.text).not.toContain('not-a-uuid');
});
