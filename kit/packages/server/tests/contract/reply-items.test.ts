import { EventEmitter, on, once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { serveOperation, type ServedOperation } from '@contract-kit/test-support/serve-operation';
import { openClient, type RawClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { createDrain } from '../../src/http/drain';
import { closeStalled, socketsOf } from '../../src/http/connections';
import { notBuilt } from '../../src/pipeline/handler';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { BIG, EVENT, EVENTS, LINES, READING, RECORDS, replying } from '@contract-kit/test-support/serve-operation';

/** A handler that replies with what `make` makes, and a record of the ends of its generators. */
function sending(make: () => unknown): { handler: UntypedHandler; ends: () => number } {
  let ended = 0;
  return {
    handler: (_, reply) =>
      reply(
        200,
        (async function* () {
          try {
            await Promise.resolve();
            yield* make() as Iterable<unknown>;
          } finally {
            ended++;
          }
        })(),
      ),
    ends: () => ended,
  };
}

async function readText(served: ServedOperation, headers: Record<string, string> = {}): Promise<string> {
  return (await fetch(new URL('/a', served.base), { headers })).text();
}

function ask({ port }: ServedOperation): RawClient {
  const client = openClient(port);
  client.socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
  return client;
}

const NOT_KEPT = 'no-store, no-transform';
const JSON_DATA = 'properties: { data: { contentMediaType: application/json, contentSchema: {} } }';
const GOOD = [
  { bed: BIG, value: 21.5 },
  { bed: 2n, value: 20 },
];

function fail(): never {
  throw new Error('no connection');
}

describe('a reply of items', () => {
  test.each([
    [LINES, READING, GOOD, '{"bed":9007199254740993,"value":21.5}\n{"bed":2,"value":20}\n'],
    ['application/x-ndjson', '{}', [null, 'a\n\u2028', [1]], 'null\n"a\\n\u2028"\n[1]\n'],
    [RECORDS, READING, GOOD, '\x1e{"bed":9007199254740993,"value":21.5}\n\x1e{"bed":2,"value":20}\n'],
    ['application/geo+json-seq', '{}', [1], '\x1e1\n'],
    [LINES, '{}', [], ''],
    [
      EVENTS,
      EVENT,
      [
        { event: 'reading', id: '7', data: GOOD[0] },
        { event: 'note', retry: 5, data: 'a\r\n\r b' },
        { event: 'end', data: '' },
      ],
      'event: reading\nid: 7\ndata: {"bed":9007199254740993,"value":21.5}\n\nevent: note\nretry: 5\ndata: a\ndata:\ndata:  b\n\nevent: end\ndata:\n\n',
    ],
    [
      EVENTS,
      `{ ${JSON_DATA.replace('{ data', '{ id: {}, data')} }`,
      [{ data: 'a' }, { id: '1' }],
      'data: "a"\n\nid: 1\n\n',
    ],
    [
      EVENTS,
      `{ allOf: [true, { properties: { data: true } }, { ${JSON_DATA} }], oneOf: [{ ${JSON_DATA} }, false] }`,
      [{ data: 'a' }],
      'data: "a"\n\n',
    ],
    [EVENTS, `{ anyOf: [false, { ${JSON_DATA} }] }`, [{ data: 1 }], 'data: 1\n\n'],
    [
      EVENTS,
      '{ properties: { retry: { type: integer, format: int64 } } }',
      [{ retry: BIG }],
      'retry: 9007199254740993\n\n',
    ],
  ])('is framed as %s', async (type, schema, items, text) => {
    await using served = await serveOperation(replying([type, schema]), (_, reply) => reply(200, items));
    const reply = await fetch(new URL('/a', served.base));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    expect(reply.headers.get('cache-control')).toBe(type === EVENTS ? NOT_KEPT : null);
    expect(reply.headers.get('x-accel-buffering')).toBe(type === EVENTS ? 'no' : null);
    expect(await reply.text()).toBe(text);
    // The iterator of the first reply is not that of the second.
    expect(await readText(served)).toBe(text);
  });

  test.each<[string, string, string, unknown]>([
    [LINES, '/response/body/bed must be >= 1 (minimum)', READING, { bed: 0n, value: 1 }],
    [LINES, 'response/body/bed must be a bigint in the range of int64', READING, { bed: 1, value: 1 }],
    [LINES, 'response/body/more is not declared by the contract', READING, { bed: 1n, value: 1, more: 1 }],
    [LINES, 'response/body must have required property', '{}', undefined],
    [RECORDS, 'response/body/a is NaN, which JSON cannot express', '{}', { a: NaN }],
    [LINES, 'the reply has an unpaired surrogate', '{}', '\ud800'],
    [EVENTS, '/response/body/data/value must be <= 100', EVENT, { event: 'reading', data: { bed: 1n, value: 101 } }],
    [EVENTS, '/response/body/data must NOT have more than', EVENT, { event: 'note', data: 'more than 20 characters' }],
    [EVENTS, 'response/body/id has a character that ends a line', EVENT, { event: 'note', id: '1\n', data: '' }],
    [EVENTS, 'response/body/id has a character that ends a line, or NUL', EVENT, { event: 'note', id: '\0', data: '' }],
    [EVENTS, 'response/body/event has a character that ends a line', '{}', { event: 'a\rb' }],
    [EVENTS, 'response/body/retry must be an integer from 0 on', '{}', { retry: 1.5 }],
    [EVENTS, 'response/body/data must be a string', '{}', { data: 1 }],
    [EVENTS, 'response/body/comment is not a field of an event', '{}', { comment: 'a' }],
  ])('of %s does not have a wrong first item, which is told as %s', async (type, message, schema, wrong) => {
    const { handler, ends } = sending(() => [wrong]);
    await using served = await serveOperation(replying([type, schema]), handler);
    const reply = await fetch(new URL('/a', served.base));
    const text = await reply.text().catch(() => 'cut');
    // The head of an event stream is sent before its first event.
    expect([reply.status, text.slice(0, 14)]).toEqual(type === EVENTS ? [200, 'cut'] : [500, '{"error":50000']);
    await until(() => served.outcomes.length === 1);
    expect(String(served.outcomes[0]?.refusal?.cause)).toContain(
      `item 1: ${message.startsWith('response/body must') ? '' : message}`,
    );
    expect(ends()).toBe(1);
  });

  test('whose iterator is that of an async function which fails is a 500, and ends no process', async () => {
    const rejections: unknown[] = [];
    const keep = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', keep);
    const items = { [Symbol.asyncIterator]: () => Promise.reject(new Error('no connection')) };
    await using served = await serveOperation(replying([LINES, '{}']), (_, reply) => reply(200, items));
    expect((await fetch(new URL('/a', served.base))).status).toBe(500);
    process.off('unhandledRejection', keep);
    expect(rejections).toEqual([]);
  });

  test('tells a wrong item, not that the end of its iterator fails', async () => {
    const end = (): never => {
      throw new Error('the end fails');
    };
    const items = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return: end }) };
    await using served = await serveOperation(replying([LINES, 'false']), (_, reply) => reply(200, items));
    await readText(served);
    expect(String(served.outcomes[0]?.refusal?.cause)).toContain('item 1: ');
  });

  test('is cut before a later wrong item, and those before it are sent', async () => {
    const { handler, ends } = sending(() => [...GOOD, { bed: 1n, value: 101 }, GOOD[0]]);
    await using served = await serveOperation(replying([LINES, READING]), handler);
    const client = ask(served);
    await client.closed;
    expect(client.received).toContain('"value":21.5}\n{"bed":2,"value":20}\n');
    expect(client.received).not.toMatch(/101|\r\n0\r\n/);
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes).toMatchObject([{ status: 200, isAborted: true, refusal: { kind: 'INTERNAL_ERROR' } }]);
    expect(String(served.outcomes[0]?.refusal?.cause)).toBe(
      'Error: item 3: /response/body/value must be <= 100 (maximum)',
    );
    expect(ends()).toBe(1);
  });

  test.each([
    ['text', 'text'],
    ['a number', 5],
    ['nothing', undefined],
    ['one item', { bed: 1n, value: 1 }],
  ])('is not %s', async (_what, body) => {
    await using served = await serveOperation(replying([LINES, '{}']), (_, reply) => reply(200, body));
    expect((await fetch(new URL('/a', served.base))).status).toBe(500);
    expect(String(served.outcomes[0]?.refusal?.cause)).toContain('must be an Iterable or AsyncIterable of items');
  });

  test.each([
    ['before the first item is another reply', 0, '404 {"error":40011,"message":"gone"}'],
    ['later is cut', 1, '200 cut'],
  ])('whose generator fails %s', async (_when, good, answer) => {
    const { handler } = sending(function* () {
      yield* GOOD.slice(0, good);
      throw Object.assign(new Error('gone'), { status: 404, expose: true });
    });
    const parts = replying([LINES, READING]);
    const responses = `${String(parts.responses)}, '404': { $ref: '#/components/responses/Failure' }`;
    await using served = await serveOperation({ ...parts, responses }, handler);
    const reply = await fetch(new URL('/a', served.base));
    const text = await reply.text().catch(() => 'cut');
    expect(`${String(reply.status)} ${text}`).toBe(answer);
  });

  test('is one of the replies that its handler may choose', async () => {
    const parts = replying([LINES, READING]);
    const responses = `${String(parts.responses)}, '404': { $ref: '#/components/responses/Failure' }`;
    const body = { error: 1, message: 'gone' };
    await using served = await serveOperation({ ...parts, responses }, (_, reply) => reply(404, body));
    await expect(readText(served)).resolves.toBe(JSON.stringify(body));
  });

  test('is made no faster than its client reads, and ends when the client leaves', async () => {
    let made = 0;
    const { handler, ends } = sending(function* () {
      for (;;) yield `${String(++made)} ${'a'.repeat(10_000)}`;
    });
    await using served = await serveOperation(replying([LINES, '{}']), handler);
    const client = ask(served);
    await once(client.socket, 'data');
    client.socket.pause();
    for (let before = -1; made !== before;) {
      before = made;
      await setTimeout(100);
    }
    // What the system takes for both ends, a few megabytes.
    expect(made).toBeLessThan(5_000);
    expect(ends()).toBe(0);
    client.socket.resetAndDestroy();
    await until(() => ends() === 1);
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes).toMatchObject([{ isAborted: true, refusal: undefined }]);
  });

  test('that nobody reads is closed as any other', async () => {
    const { handler, ends } = sending(function* () {
      for (;;) yield 'a'.repeat(100_000);
    });
    await using served = await serveOperation(replying([LINES, '{}']), handler);
    const client = openClient(served.port);
    client.socket.pause().write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    let now = performance.now();
    while (closeStalled(socketsOf(served.server), 10, now) === 0) {
      now += 5;
      await setTimeout(5);
    }
    await until(() => ends() === 1);
    expect(served.outcomes).toMatchObject([{ isAborted: true, refusal: undefined }]);
  });

  test('whose generator waits is told by its signal when the client leaves', async () => {
    const events = new EventEmitter();
    let hasEnded = false;
    await using served = await serveOperation(replying([EVENTS, '{}']), ({ signal }, reply) =>
      reply(
        200,
        (async function* () {
          try {
            yield { data: 'first' };
            for await (const [data] of on(events, 'news', { signal }) as AsyncIterable<[string]>) yield { data };
          } finally {
            hasEnded = true;
          }
        })(),
      ),
    );
    const client = ask(served);
    await until(() => client.received.includes('data: first'));
    events.emit('news', 'second');
    await until(() => client.received.includes('data: second'));
    client.socket.resetAndDestroy();
    await until(() => hasEnded);
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes).toMatchObject([{ isAborted: true, refusal: undefined }]);
  });

  test.each([
    ['an event stream ends in good order', EVENTS, true],
    ['another stream has its time', LINES, false],
  ])('%s when the server shuts down', async (_what, type, isComplete) => {
    let hasEnded = false;
    await using served = await serveOperation(replying([type, '{}']), ({ signal }, reply) =>
      reply(
        200,
        (async function* () {
          try {
            yield { data: '1' };
            await once(new EventEmitter(), 'never', { signal });
          } finally {
            hasEnded = true;
          }
        })(),
      ),
    );
    const reply = await fetch(new URL('/a', served.base));
    const text = reply.text();
    await expect(Promise.all([createDrain(served.server)(600), text.catch(() => 'cut')])).resolves.toEqual([
      isComplete,
      isComplete ? 'data: 1\n\n' : 'cut',
    ]);
    await until(() => hasEnded);
  });

  test('an event stream that comes during a shutdown ends after its head', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await using served = await serveOperation(replying([EVENTS, '{}']), async (_, reply) => {
      await promise;
      return reply(200, [{ data: '1' }]);
    });
    const asked = once(served.server, 'request');
    const reply = readText(served);
    await asked;
    const drained = createDrain(served.server)(60_000);
    await setTimeout(1);
    resolve(undefined);
    await expect(Promise.all([reply, drained])).resolves.toEqual(['', true]);
  });

  test('an event stream without events has comments, and Last-Event-ID reaches its handler', async () => {
    using clock = holdClock('setInterval', 'clearInterval');
    const parts = replying([EVENTS, '{}']);
    const members = 'parameters: [{ in: header, name: Last-Event-ID, schema: { type: string } }]';
    await using served = await serveOperation({ ...parts, members }, ({ headers, signal }, reply) =>
      reply(
        200,
        (async function* () {
          yield { data: headers['Last-Event-ID'] };
          await once(new EventEmitter(), 'never', { signal });
        })(),
      ),
    );
    const client = openClient(served.port);
    client.socket.write('GET /a HTTP/1.1\r\nHost: a\r\nLast-Event-ID: 7\r\n\r\n');
    await until(() => client.received.includes('data: 7\n\n'));
    clock.pass(15_000);
    clock.pass(15_000);
    await until(() => client.received.includes(':\n\n'));
    expect(client.received.match(/\n:/g)).toHaveLength(1);
  });

  /** A handler whose items wait for a topic on which nothing is published, and the number of its subscribers. */
  function createSubscription() {
    const topic = new EventEmitter();
    const handler: UntypedHandler = (_, reply) => reply(200, on(topic, 'news'));
    return { topic, handler, subscribers: () => topic.listenerCount('news') };
  }

  test.each([LINES, EVENTS])(
    'of %s whose first item has not come ends its iterator when the client leaves',
    async (type) => {
      const { handler, subscribers } = createSubscription();
      await using served = await serveOperation(replying([type, '{}']), handler);
      const client = ask(served);
      await until(() => subscribers() === 1);
      client.socket.resetAndDestroy();
      await until(() => subscribers() === 0);
      await until(() => served.outcomes.length === 1);
      expect(served.outcomes).toMatchObject([
        { status: type === EVENTS ? 200 : 499, isAborted: true, refusal: undefined },
      ]);
    },
  );

  test('ends its iterator when HANDLER_TIMEOUT is over before its first item, though its generator never goes on', async () => {
    const { handler, subscribers } = createSubscription();
    await using served = await serveOperation(replying([LINES, '{}']), handler, {}, { handlerTimeout: 50 });
    expect((await fetch(new URL('/a', served.base))).status).toBe(503);
    await until(() => subscribers() === 0);
  });

  test('that comes after HANDLER_TIMEOUT has its iterator ended', async () => {
    const { topic, subscribers } = createSubscription();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await using served = await serveOperation(
      replying([EVENTS, '{}']),
      async (_, reply) => {
        await promise;
        return reply(200, on(topic, 'news'));
      },
      {},
      { handlerTimeout: 50 },
    );
    expect((await fetch(new URL('/a', served.base))).status).toBe(503);
    resolve(undefined);
    await setTimeout(1);
    await until(() => subscribers() === 0);
  });

  type Reply = Parameters<UntypedHandler>[1];
  test.each<[string, (items: unknown, reply: Reply) => ReturnType<Reply>]>([
    ['fails', (items, reply) => (reply(200, items), fail())],
    ['replies again', (items, reply) => (reply(200, items), reply(200, []))],
    ['replies with a status that is not declared', (items, reply) => reply(201, items)],
  ])('that is not sent, because its handler %s, is closed', async (_, act) => {
    const topic = new EventEmitter();
    const stream = Readable.from([1]);
    const bodies = [on(topic, 'news'), stream];
    await using served = await serveOperation(replying([LINES, '{}']), (_request, reply) => act(bodies.pop(), reply));
    await readText(served);
    await readText(served);
    expect([stream.destroyed, topic.listenerCount('news'), bodies]).toEqual([true, 0, []]);
  });

  test('that is an event stream has its head at once, which has what its handler sets', async () => {
    const { topic } = createSubscription();
    const parts = replying([EVENTS, '{}']);
    const responses = `'200': { description: Events., headers: { x-accel-buffering: { schema: { type: string } } }, content: { text/event-stream: { itemSchema: {} } } }`;
    await using served = await serveOperation({ ...parts, responses }, (_, reply) =>
      reply(200, on(topic, 'news'), { 'x-accel-buffering': 'yes' }),
    );
    const { status, headers, body } = await fetch(new URL('/a', served.base));
    expect([status, headers.get('x-accel-buffering'), headers.get('cache-control')]).toEqual([200, 'yes', NOT_KEPT]);
    await body?.cancel();
  });

  test('has to have its first item within HANDLER_TIMEOUT, and then has any time', async () => {
    let isLate = false;
    const ends: string[] = [];
    await using served = await serveOperation(
      replying([LINES, '{}']),
      (_, reply) =>
        reply(
          200,
          (async function* () {
            try {
              if (isLate) await setTimeout(150);
              yield 1;
              await setTimeout(150);
              yield 2;
            } finally {
              ends.push('ended');
            }
          })(),
        ),
      {},
      { handlerTimeout: 100 },
    );
    expect(await readText(served)).toBe('1\n2\n');
    isLate = true;
    expect((await fetch(new URL('/a', served.base))).status).toBe(503);
    await until(() => ends.length === 2);
  });

  test('to HEAD has no item', async () => {
    const { handler, ends } = sending(() => GOOD);
    await using served = await serveOperation({ ...replying([LINES, READING]), method: 'head' }, handler);
    expect((await fetch(new URL('/a', served.base), { method: 'HEAD' })).status).toBe(200);
    await until(() => ends() === 1);
  });

  test('may be of several media types, of which the handler names one', async () => {
    await using served = await serveOperation(replying([LINES, '{}'], [RECORDS, '{}']), (_, reply) =>
      reply(200, [1], { 'Content-Type': RECORDS }),
    );
    expect(await readText(served)).toBe('\x1e1\n');
  });

  test.each(['{ properties: { data: { type: string } } }', 'true'])(
    'of events whose data may be text, by %s, or JSON needs an event name that tells which',
    async (text) => {
      const parts = replying([EVENTS, `{ oneOf: [{ ${JSON_DATA} }, ${text}] }`]);
      await expect(serveOperation(parts)).rejects.toThrow('the data of an event may be text or JSON');
    },
  );

  test('of events may have a discriminator, and a schema of data that is closed', async () => {
    const refs =
      "{ oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }], discriminator: { propertyName: event } }";
    const members = 'type: object, required: [event], additionalProperties: false, properties: { event: {}, data:';
    const schemas = {
      B: `{ ${members} { contentMediaType: application/json, contentSchema: { type: integer } } } }`,
      C: `{ ${members} { type: string } } }`,
      D: `{ allOf: [${refs}], ${members} {} } }`,
    };
    const parts = { ...replying([EVENTS, "{ $ref: '#/components/schemas/D' }"]), schemas };
    await using served = await serveOperation(parts, (_, reply) =>
      reply(200, [
        { event: 'B', data: 1 },
        { event: 'C', data: 'a' },
        { event: 'C', data: 1 },
      ]),
    );
    const client = ask(served);
    await client.closed;
    expect(client.received).toContain('event: B\ndata: 1\n\nevent: C\ndata: a\n\n');
  });

  test('of an operation that is not built yet is one sample', async () => {
    const refuse: UntypedHandler = () => notBuilt('a');
    await using served = await serveOperation(replying([LINES, READING]), refuse, {}, { hasSamples: true });
    expect(JSON.parse(await readText(served))).toEqual({ bed: 1, value: expect.any(Number) as number });
  });
});
