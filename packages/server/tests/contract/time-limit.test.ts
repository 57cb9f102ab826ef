import { Readable } from 'node:stream';
import { pino } from 'pino';
import { holdClock } from '../hold-clock';
import { serveOperation, type OperationParts, type ServedOperation } from '../serve-operation';
import { until } from '../../../../tests/support/until';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';

/** A service whose handlers may take 1 s, and what they log; `a` waits until it is settled. */
async function serveLimited(work: UntypedHandler, options: Partial<ServiceOptions> = {}, parts: OperationParts = {}) {
  const lines: object[] = [];
  const write = (line: string): number => lines.push(JSON.parse(line) as object);
  const log = pino({ base: null, timestamp: false, serializers: { cause: String } }, { write });
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

test('a reply after that is dropped, its stream closed, and logged', async () => {
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

test('a handler in JavaScript that ends without a reply ends no process', async () => {
  const waiting = Promise.withResolvers<never>();
  await using served = await serveLimited(() => waiting.promise);
  await askAndPass(served, 1_000);
  waiting.resolve(undefined as never);
  await until(() => served.lines.length > 0);
  expect(served.lines).toMatchObject([{ msg: 'the handler replied after its time limit, so the reply was dropped' }]);
});

test('an error after that is logged, but for one of the signal, which may be used later', async () => {
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
  ['just in time', {}, 999],
  ['0 is no limit', { handlerTimeout: 0 }, 1e9],
  ['by default there is none', { handlerTimeout: undefined }, 1e9],
  ['more than a timer can have is none', { handlerTimeout: Infinity }, 1e9],
  ['an operation has a longer one', { operationTimeouts: { a: 2_000 } }, 1_999],
])('%s', async (_name, options, milliseconds) => {
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

test('an operation with a shorter one', async () => {
  const waiting = Promise.withResolvers<never>();
  await using served = await serveLimited(() => waiting.promise, { operationTimeouts: { a: 10 } });
  expect((await askAndPass(served, 10)).status).toBe(503);
});

test('handlers that reply or fail in their time', async () => {
  await using good = await serveLimited((_context, reply) => reply(204));
  expect((await askAndPass(good, 0)).status).toBe(204);
  await using bad = await serveLimited(() => Promise.reject(new Error('a bug')));
  expect([(await askAndPass(bad, 0)).status, bad.lines]).toEqual([500, []]);
});

test('a time for an operation that the contract does not have stops the start', async () => {
  const served = serveLimited((_context, reply) => reply(204), { operationTimeouts: { b: 1 } });
  await expect(served).rejects.toThrow('operationTimeouts names b, which is not an operation of the contract');
});
