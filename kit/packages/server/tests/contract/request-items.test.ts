import { setTimeout } from 'node:timers/promises';
import express, { type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { renderFixture } from '@contract-kit/test-support/fixture-errors';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { createContractServer } from '../../src/http/server';
import { serveContract } from '../../src/pipeline/serve-contract';
import { openClient, type RawClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { limitRequestTime } from '../../src/http/request-time';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { createRequestItems } from '../../src/request/request-items';
import { ClientLeft, Refusal } from '../../src/errors/refusal';
import { createLog } from '../../src/runtime/log';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { contractWith, serveOperation, type ServedOperation } from '@contract-kit/test-support/serve-operation';
import { EVENT, EVENTS, LINES, READING, RECORDS, replying, taking } from '@contract-kit/test-support/serve-operation';

describe('a request of items', () => {
  /** Takes items, and replies with what it was given. */
  const collect: UntypedHandler = async ({ body }, reply) => {
    const items: unknown[] = [];
    for await (const item of body as AsyncIterable<unknown>) items.push(item);
    return reply(200, items);
  };
  const ECHO = { responses: "'200': { description: Items., content: { application/json: { schema: {} } } }" };

  async function post(
    { base }: Pick<ServedOperation, 'base'>,
    type: string,
    body: NonNullable<RequestInit['body']>,
  ): Promise<{ status: number; text: string }> {
    const init = { method: 'POST', headers: { 'Content-Type': type }, body, duplex: 'half' } as const;
    const reply = await fetch(new URL('/a', base), init);
    return { status: reply.status, text: await reply.text() };
  }

  /** Begins to send lines on a connection of its own. */
  function begin(
    { port }: Pick<ServedOperation, 'port'>,
    sent = '',
    framing = 'Transfer-Encoding: chunked',
  ): RawClient {
    const client = openClient(port);
    client.socket.write(`POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: ${LINES}\r\n${framing}\r\n\r\n${sent}`);
    return client;
  }

  const LINE = '{"bed":9007199254740993,"value":21.5,"unlisted":1}';
  const READ = '{"bed":9007199254740993,"value":21.5}';
  const RETRY = '{ properties: { data: {}, retry: { type: integer, format: int64 } } }';

  test.each([
    [LINES, `[${READ},${READ}]`, READING, `${LINE}\n ${LINE}\r\n`],
    [LINES, '[]', '{}', ''],
    [`${LINES}; charset=UTF-8`, '[1]', '{}', '1'],
    [RECORDS, `[${READ},${READ}]`, READING, `\x1e\x1e${LINE}\n\x1e${LINE}`],
    [
      EVENTS,
      `[{"event":"reading","data":${READ}},{"event":"end","retry":7,"data":""}]`,
      EVENT,
      `\ufeffevent: reading\ndata:${LINE}\n\n:\r\rid: 1\0\nretry: 7\revent:end\r\ndata\r\n\r\ndata: cut\n`,
    ],
    [EVENTS, '[{"data":"a\\nb","id":"7"}]', 'true', 'data: a\ndata: b\nid: 7\n\n'],
    [EVENTS, '[{"data":"a","retry":9007199254740993}]', RETRY, 'retry: 009007199254740993\ndata: a\n\n'],
  ])('of %s is read item by item: %s', async (type, items, schema, sent) => {
    const [essence = ''] = type.split(';');
    await using served = await serveOperation({ ...taking(essence, schema), ...ECHO }, collect);
    await expect(post(served, type, sent)).resolves.toEqual({ status: 200, text: items });
    // A byte at a time.
    const bytes = new ReadableStream({
      async pull(controller) {
        for (const byte of Buffer.from(sent)) {
          controller.enqueue(Uint8Array.of(byte));
          await new Promise(setImmediate);
        }
        controller.close();
      },
    });
    await expect(post(served, type, bytes)).resolves.toEqual({ status: 200, text: items });
  });

  test.each<[string, string, string, string | Buffer]>([
    [LINES, 'item 2: request/body/bed must be >= 1', READING, `${LINE}\n{"bed":0,"value":1}\n`],
    [LINES, 'item 1: request/body/bed must be an integer from', READING, '{"bed":9223372036854775808,"value":1}'],
    [LINES, 'item 2: The JSON is not well-formed at line 1, column 1.', '{}', '1\n\n2\n'],
    [LINES, 'item 3: The JSON is not well-formed at line 1, column 6.', '{}', '1\n2\n{"a":'],
    [LINES, 'item 2: request/body must be UTF-8', '{}', Buffer.from([0x31, 0x0a, 0x22, 0xff, 0x22])],
    [RECORDS, 'item 1: The sequence does not begin with a record separator.', '{}', '1\n\x1e2\n'],
    [RECORDS, 'item 1: The item was cut: no white space follows it.', '{}', '\x1e12'],
    [
      EVENTS,
      'item 2: request/body/data must have required',
      EVENT,
      'event: end\ndata:\n\nevent: reading\ndata: {}\n\n',
    ],
    [EVENTS, 'item 1: The JSON is not well-formed', EVENT, 'event: reading\ndata: {\n\n'],
    [EVENTS, 'item 1: request/body/retry must be integer', RETRY, `retry: ${'9'.repeat(400)}\ndata: a\n\n`],
  ])('of %s with a wrong item names it: %s', async (type, message, schema, sent) => {
    let seen: unknown;
    await using served = await serveOperation({ ...taking(type, schema), ...ECHO }, async (request, reply) => {
      try {
        return await collect(request, reply);
      } catch (cause) {
        seen = cause;
        throw cause;
      }
    });
    const { status, text } = await post(served, type, new Uint8Array(Buffer.from(sent as string)));
    expect([status, text]).toEqual([400, expect.stringContaining(message) as string]);
    const number = Number(/\d+/.exec(message)) - 1;
    expect(seen).toBeInstanceOf(Refusal);
    const [fault] = (seen as Refusal).faults;
    expect(fault?.pointer).toMatch(new RegExp(`^/body/${String(number)}(?:/|$)`));
    expect(fault?.place).toMatch(/^\/body\/\*/);
  });

  test.each([
    [9, 3, undefined],
    [10, 3, 'item 1'],
    [100_000, 1, 'item 1'],
  ])('whose limit is 12 bytes an item may have items of %d digits: %d', async (length, count, refused) => {
    await using served = await serveOperation({ ...taking(LINES, '{}', ', x-body-limit: 12b'), ...ECHO }, collect);
    const { text } = await post(served, LINES, `"${'1'.repeat(length)}"\n`.repeat(count));
    expect(/item \d/.exec(text)?.[0]).toBe(refused);
    expect(served.outcomes[0]?.refusal?.kind).toBe(refused && 'BODY_TOO_LARGE');
  });

  test('may be as long as its client likes, and is answered while it is sent', async () => {
    const parts = { ...replying([LINES, READING]), ...taking(LINES, READING), method: 'post' };
    await using served = await serveOperation(parts, ({ body }, reply) => reply(200, body));
    const client = begin(served);
    for (let count = 1; count <= 3; count++) {
      client.socket.write(`${READ.length.toString(16)}\r\n${READ}\r\n1\r\n\n\r\n`);
      await until(() => client.received.split(READ).length === count + 1);
    }
    client.socket.write('0\r\n\r\n');
    await client.closed;
    expect(client.received).toMatch(/\r\n0\r\n\r\n$/);
  });

  test.each([
    ['a loop that ends early', 'one', '200 1'],
    ['a handler that does not read it', 'none', '200 0'],
  ])('%s is answered, and the connection ends', async (_what, how, answer) => {
    let isEnded = false;
    await using served = await serveOperation({ ...taking(LINES, '{}'), ...ECHO }, async ({ body }, reply) => {
      let count = 0;
      if (how === 'one') {
        for await (const item of body as AsyncIterable<number>) {
          count += item;
          break;
        }
      }
      isEnded = true;
      return reply(200, count);
    });
    const client = begin(served, '2\r\n1\n\r\n');
    await client.closed;
    const [status, body] = [client.received.slice(9, 12), /\r\n\r\n(\d)/.exec(client.received)?.[1]];
    expect([`${status} ${String(body)}`, isEnded]).toEqual([answer, true]);
    expect(client.received).toContain('Connection: close');
  });

  test.each([
    ['is cut', (client: RawClient) => client.socket.resetAndDestroy(), { status: 499, refusal: undefined }],
    ['has a chunk that is malformed', (client: RawClient) => client.socket.write('x\r\n'), { status: 400 }],
  ])('that %s throws in the loop of its handler', async (_what, act, outcome) => {
    const seen: unknown[] = [];
    let error: unknown;
    await using served = await serveOperation({ ...taking(LINES, '{}'), ...ECHO }, async ({ body }, reply) => {
      try {
        for await (const item of body as AsyncIterable<unknown>) seen.push(item);
      } catch (cause) {
        error = cause;
        throw cause;
      }
      return reply(200, seen);
    });
    const client = begin(served, '4\r\n1\n2\n\r\n');
    await until(() => seen.length === 2);
    act(client);
    await until(() => served.outcomes.length === 1);
    expect(error).toBeInstanceOf(Error);
    expect(served.outcomes).toMatchObject([outcome]);
  });

  test.each<[string, (body: AsyncIterable<unknown>) => Promise<unknown>]>([
    ['does not read on', (body) => body[Symbol.asyncIterator]().next()],
    [
      'catches that',
      async (body) => {
        try {
          for await (const _item of body);
        } catch {
          // It goes on.
        }
      },
    ],
  ])('that turns out to be malformed ends a handler that %s by its signal and its time', async (_, read) => {
    const reasons: unknown[] = [];
    let isReading = false;
    const wait: UntypedHandler = async ({ body, signal }, reply) => {
      isReading = true;
      await read(body as AsyncIterable<unknown>);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
        if (signal.aborted) resolve(undefined);
      });
      reasons.push((signal.reason as Error).name);
      return reply(204);
    };
    await using served = await serveOperation(taking(LINES, '{}'), wait);
    const client = begin(served, '2\r\n1\n\r\n');
    await until(() => isReading);
    client.socket.write('x\r\n');
    await until(() => served.outcomes.length === 1);
    expect([served.outcomes[0]?.status, reasons]).toEqual([400, ['AbortError']]);
  });

  test('that turns out to be malformed ends the wait for its client, so that HANDLER_TIMEOUT counts', async () => {
    const caught = Promise.withResolvers<unknown>();
    const never = Promise.withResolvers<never>();
    const options = { handlerTimeout: 20, log: createLog('silent') };
    const wait: UntypedHandler = async ({ body }) => {
      await (body as AsyncGenerator).next().catch(caught.resolve);
      return await never.promise;
    };
    await using served = await serveOperation(taking(LINES, '{}'), wait, {}, options);
    const client = begin(served);
    await until(() => client.socket.bytesWritten > 0);
    client.socket.write('x\r\n');
    expect(await caught.promise).toBeInstanceOf(Refusal);
    await until(() => served.outcomes.length === 1);
    expect(served.outcomes).toMatchObject([{ refusal: { kind: 'SERVICE_UNAVAILABLE' } }]);
  });

  test('whose client leaves while it is answered tells its handler that, not that the request is malformed', async () => {
    let error: unknown;
    async function* copy(items: AsyncIterable<unknown>): AsyncGenerator {
      try {
        yield* items;
      } catch (cause) {
        error = cause;
      }
    }
    const parts = { ...replying([LINES, '{}']), ...taking(LINES, '{}'), method: 'post' };
    await using served = await serveOperation(parts, ({ body }, reply) => reply(200, copy(body as never)));
    const client = begin(served, '2\r\n1\n\r\n');
    await until(() => client.received !== '');
    client.socket.resetAndDestroy();
    await until(() => error !== undefined);
    expect(error).toBeInstanceOf(ClientLeft);
  });

  test.each([
    ['items', LINES, '1\n'.repeat(10_000)],
    ['blank lines', EVENTS, `data: a\n\n${'\n'.repeat(10_000)}data: b\n\n`],
  ])('with thousands of %s in a chunk lets others have their turn', async (_what, type, sent) => {
    let turns = 0;
    await using served = await serveOperation({ ...taking(type, 'true'), ...ECHO }, async ({ body }, reply) => {
      let timer: NodeJS.Immediate | undefined;
      const countTurn = (): void => void (turns++, (timer = setImmediate(countTurn)));
      for await (const _item of body as AsyncIterable<unknown>) if (!timer) countTurn();
      clearImmediate(timer);
      return reply(200, 1);
    });
    await expect(post(served, type, sent)).resolves.toMatchObject({ status: 200 });
    expect(turns).toBeGreaterThan(100);
  });

  test('is asked for when its handler asks', async () => {
    await using served = await serveOperation({ ...taking(LINES, '{}'), ...ECHO }, collect);
    const client = begin(served, '', 'Content-Length: 2\r\nExpect: 100-continue');
    await until(() => client.received.startsWith('HTTP/1.1 100 Continue'));
    client.socket.write('1\n');
    await until(() => client.received.endsWith('[1]'));
    expect(client.received).toMatch(/HTTP\/1.1 200 OK/);
  });

  test('has the time of its handler for each item, and none of it while the client sends nothing', async () => {
    await using served = await serveOperation(
      { ...taking(LINES, '{}'), ...ECHO },
      async ({ body }, reply) => {
        for await (const wait of body as AsyncIterable<number>) await setTimeout(wait);
        return reply(200, 1);
      },
      {},
      { handlerTimeout: 150 },
    );
    const slowly = new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.from('90\n90\n90\n'));
        await setTimeout(600);
        controller.close();
      },
    });
    await expect(post(served, LINES, slowly)).resolves.toMatchObject({ status: 200 });
    await expect(post(served, LINES, '90\n400\n')).resolves.toMatchObject({ status: 503 });
  });

  test.each(['1\n2\n', '1\n\n2\n'])('has no time left to run when %j was answered', async (sent) => {
    await using served = await serveOperation({ ...taking(LINES, '{}'), ...ECHO }, collect);
    limitRequestTime(served.server, 30_000);
    using clock = holdClock('setTimeout', 'clearTimeout');
    const client = begin(served, sent, `Content-Length: ${String(sent.length)}`);
    await until(() => /[\]}]$/.test(client.received));
    expect(clock.countTimers()).toBe(0);
    client.socket.destroy();
  });

  test('with an item that takes more memory than all bodies together may is refused', async () => {
    const parts = { ...taking(LINES, '{}'), ...ECHO };
    await using served = await serveOperation(parts, collect, {}, { bodyBudget: 1_000 });
    await expect(post(served, LINES, 'a'.repeat(5_000))).resolves.toMatchObject({ status: 503 });
  });

  test('whose last item gives way to another body is refused, even if it ends without another byte', async () => {
    const parts = { ...taking(LINES, '{}'), ...ECHO };
    await using served = await serveOperation(parts, collect, {}, { bodyBudget: 1_000 });
    const chunk = `258\r\n"${'a'.repeat(598)}"\r\n`;
    const slow = begin(served, chunk);
    await setTimeout(100);
    const fast = begin(served, chunk);
    await setTimeout(100);
    for (const { socket } of [slow, fast]) socket.write('0\r\n\r\n');
    await until(() => [slow, fast].every(({ received }) => /\r\n\r\n./.test(received)));
    expect(slow.received).toMatch(/^HTTP\/1.1 503/);
    expect(fast.received).toMatch(/^HTTP\/1.1 200/);
    for (const { socket } of [slow, fast]) socket.destroy();
  });

  test.each<[string, RequestHandler, number, string]>([
    ['is read from the bytes that it kept', express.raw({ type: LINES }), 200, `[${READ}]`],
    ['is a failure where it kept none', express.text({ type: LINES }), 500, '{"error":50000'],
  ])('that other middleware has read %s', async (_what, middleware, status, text) => {
    const parts = { ...taking(LINES, READING), ...ECHO };
    const app = express();
    const options = {
      contract: loadText(contractWith(parts)),
      validator: OpenApiValidator,
      handlers: { a: collect },
      verifiers: {},
      render: renderFixture,
    };
    app.use(middleware, await serveContract(options));
    await using served = await listenOnLoopback(createContractServer(app, { render: renderFixture }));
    const headers = { 'Content-Type': LINES };
    const reply = await fetch(new URL('/a', served.base), { method: 'POST', headers, body: `${LINE}\n` });
    expect([reply.status, await reply.text()]).toEqual([status, expect.stringContaining(text)]);
  });
});

test('an error while items are read that is not a refusal stays as it is', async () => {
  const [operation] = loadText(contractWith(taking(LINES, '{}'))).operations;
  const [media] = operation?.body?.media.values() ?? [];
  const error = new Error('a mistake in the validator');
  const limits = { limit: 9, chunks: [Buffer.from('1\n')] };
  const items = createRequestItems({} as never, {} as never, media as never, limits as never).read(() => {
    throw error;
  });
  await expect(items.next()).rejects.toBe(error);
});

describe('a whole list of items', () => {
  test.each<[string, string, string, number, string]>([
    [LINES, '', '1\n2\n', 200, '1\n2\n'],
    [RECORDS, ', itemSchema: { maximum: 2 }', '\x1e1\n\x1e2\n', 200, '\x1e1\n\x1e2\n'],
    [LINES, ', itemSchema: { maximum: 2 }', '3\n', 400, 'request/body/0 must be <= 2'],
    [LINES, '', '1\n2\n3\n', 400, 'request/body must NOT have more than 2 items'],
    [LINES, '', '', 200, ''],
    [LINES, '', '1\n\n', 400, 'The JSON is not well-formed'],
  ])('is what `schema` describes: %s%s, %j', async (type, more, sent, ...answer) => {
    const content = `content: { ${type}: { schema: { type: array, maxItems: 2, items: { type: integer, format: int64 } }${more} } }`;
    const parts = {
      version: '3.2.0',
      members: `requestBody: { ${content} }`,
      responses: `'200': { description: Items., ${content} }`,
    };
    await using served = await serveOperation(parts, ({ body }, reply) => reply(200, body));
    const reply = await fetch(new URL('/a', served.base), {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: sent,
    });
    expect([reply.status, await reply.text()]).toEqual([answer[0], expect.stringContaining(answer[1]) as string]);
  });

  test('before OpenAPI 3.2, `schema` describes the text', async () => {
    const content = `content: { ${LINES}: { schema: { type: array } } }`;
    await using served = await serveOperation({ members: `requestBody: { required: true, ${content} }` });
    await fetch(new URL('/a', served.base), { method: 'POST', headers: { 'Content-Type': LINES }, body: '1\n' });
    expect(served.seen).toEqual(['1\n']);
  });
});

test('`x-oai-itemSchema` is the itemSchema of OpenAPI 3.0 and 3.1, where `itemSchema` means nothing', async () => {
  const members = (keyword: string): string =>
    `requestBody: { required: true, content: { ${LINES}: { ${keyword}: { minimum: 2 } } } }`;
  const handler: UntypedHandler = async ({ body }, reply) => {
    if (typeof body !== 'string') await (body as AsyncIterator<unknown>).next();
    return reply(204);
  };
  for (const [version, keyword, status] of [
    ['3.0.3', 'x-oai-itemSchema', 400],
    ['3.1.0', 'x-oai-itemSchema', 400],
    ['3.1.0', 'itemSchema', 204],
  ] as const) {
    await using served = await serveOperation({ version, members: members(keyword) }, handler);
    const init = { method: 'POST', headers: { 'Content-Type': LINES }, body: '1\n' };
    expect((await fetch(new URL('/a', served.base), init)).status).toBe(status);
  }
});
