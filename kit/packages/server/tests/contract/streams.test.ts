import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { openClient, type RawClient } from '@contract-kit/test-support/send-raw';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';
import { until } from '@contract-kit/test-support/until';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { Outcome } from '../../src/http/report';
import { closeStalled, HALF_CLOSED_TIMEOUT_MS, socketsOf } from '../../src/http/connections';
import { createDrain } from '../../src/http/drain';

const MEDIA = readFileSync('packages/test-support/fixtures/media.yaml', 'utf8');
const GET = 'GET /bytes?how=a HTTP/1.1\r\nHost: a\r\n\r\n';
const LARGE_BODY = GET.replace('Host: a', 'Host: a\r\nContent-Length: 1000000000');
const BYTES = 'application/octet-stream';
const AS_BYTES = { 'Content-Type': BYTES };
const AS_TEXT = { 'Content-Type': 'text/plain' };
const EVENTS = 'text/event-stream';
const CHUNK = Buffer.alloc(64 * 1024, 'a');

/** A service that replies with streams. */
async function serve(
  create: () => Readable | Promise<Readable>,
  headers: Readonly<Record<string, unknown>>,
  contract = MEDIA,
) {
  const streams: Readable[] = [];
  const refuse = (): never => {
    throw new Error('not asked for');
  };
  const send: UntypedHandler = async (_, reply) => {
    const stream = await create();
    streams.push(stream);
    return reply(200, stream, headers);
  };
  const handlers = { sendBody: refuse, sendAnything: refuse, getBytes: send, headBytes: send };
  const served = await serveText(contract, handlers);
  return {
    ...served,
    streams,
    get: () => fetch(new URL('/bytes?how=a', served.base)),
    head: () => fetch(new URL('/bytes', served.base), { method: 'HEAD' }),
    async ask(head = GET): Promise<RawClient> {
      const client = openClient(served.port);
      await once(client.socket, 'connect');
      client.socket.write(head);
      return client;
    },
    isOver: () => streams.length > 0 && streams.every(({ destroyed }) => destroyed),
  };
}

/** The one outcome of a service, when it is there. */
async function outcomeOf({ outcomes }: Served): Promise<Outcome | undefined> {
  await until(() => outcomes.length === 1);
  return outcomes[0];
}

/** A stream of chunks that counts what it made; after them it fails, ends, or waits for ever. */
function createStream(chunks: number, after: 'fails' | 'ends' | 'waits', made = { count: 0 }): Readable {
  return new Readable({
    read() {
      if (made.count++ < chunks) this.push(CHUNK);
      else if (after === 'fails') this.destroy(new Error('the disk is gone'));
      else if (after === 'ends') this.push(null);
    },
  });
}

test('a stream is sent whole, and the connection goes on', async () => {
  await using served = await serve(() => Readable.from(['ä', Buffer.from('b'), '', 'c']), AS_TEXT);
  const client = await served.ask();
  await until(() => client.received.endsWith('0\r\n\r\n'));
  expect(client.received).toMatch(/^Content-Type: text\/plain\r\nTransfer-Encoding: chunked\r\n/m);
  client.socket.write(GET);
  await until(() => client.received.split('\r\n0\r\n\r\n').length === 3);
  const received = Buffer.from(client.received, 'latin1').toString();
  expect(received.replaceAll(/\r\n[1-4]\r\n/g, '').match(/äbc\r\n0\r\n\r\n/g)).toHaveLength(2);
  expect(served.isOver()).toBe(true);
});

test('a stream that says its length has a Content-Length', async () => {
  const headers = { ...AS_BYTES, 'Content-Length': 3 * CHUNK.length };
  await using served = await serve(() => createStream(3, 'ends'), headers);
  const reply = await served.get();
  expect(reply.headers.get('content-length')).toBe(String(3 * CHUNK.length));
  expect((await reply.arrayBuffer()).byteLength).toBe(3 * CHUNK.length);
});

test.each([2 * CHUNK.length + 1, 4 * CHUNK.length])('a stream that is not %d long is cut', async (length) => {
  await using served = await serve(() => createStream(3, 'ends'), { ...AS_BYTES, 'Content-Length': length });
  const reply = await served.get();
  await expect(reply.arrayBuffer()).rejects.toThrow();
  expect(await outcomeOf(served)).toMatchObject({ isAborted: true, refusal: { kind: 'INTERNAL_ERROR' } });
  expect(served.isOver()).toBe(true);
});

test.each<[string, () => Readable, object]>([
  ['a stream that fails before its first byte', () => createStream(0, 'fails'), {}],
  ['a stream that is over', () => createStream(0, 'ends').destroy(), {}],
  ['a stream of values', () => Readable.from([{ a: 1 }]), {}],
  ['a stream that is JSON', () => Readable.from(['{}']), { 'Content-Type': 'application/vnd.any+json' }],
  ['a length that is not valid', () => createStream(1, 'ends'), { 'Content-Length': -1 }],
  ['an undeclared media type', () => createStream(1, 'ends'), { 'Content-Type': 'video/mp4' }],
  ['headers that are not as declared', () => createStream(1, 'ends'), { ...AS_TEXT, 'X-Note': 'too long' }],
])('500 for %s', async (_, create, headers) => {
  await using served = await serve(create, { ...AS_BYTES, ...headers });
  const reply = await served.get();
  expect([reply.status, await reply.json()]).toMatchObject([500, { error: 50000 }]);
  await until(served.isOver);
});

test('a stream that fails later is cut, so that nobody takes it for whole', async () => {
  await using served = await serve(() => createStream(3, 'fails'), AS_BYTES);
  const reply = await served.get();
  await expect(reply.arrayBuffer()).rejects.toThrow();
  const outcome = await outcomeOf(served);
  expect(outcome).toMatchObject({ operation: 'getBytes', status: 200, isAborted: true });
  expect(outcome?.refusal?.cause).toMatchObject({ message: 'the disk is gone' });
});

test.each([
  ['between its bytes', 1],
  ['before its first byte', 0],
])('a client that goes away %s ends the stream, and the stream is not to blame', async (_, chunks) => {
  await using served = await serve(() => createStream(chunks, 'waits'), AS_BYTES);
  const client = await served.ask();
  await until(() => served.streams.length === 1);
  if (chunks > 0) await until(() => client.received.length > 200);
  client.socket.resetAndDestroy();
  await until(served.isOver);
  expect(await outcomeOf(served)).toMatchObject({ isAborted: true, refusal: undefined });
});

test.each([
  ['before its first byte', 0, BYTES],
  ['between its bytes', 1, BYTES],
  ['of events', 0, EVENTS],
])('a stream %s ends when its client left and it writes nothing', async (_, chunks, type) => {
  using clock = holdClock('setInterval', 'clearInterval', 'performance');
  await using served = await serve(() => createStream(chunks, 'waits'), { 'Content-Type': type });
  const { socket: client } = await served.ask();
  await until(() => served.streams.length === 1);
  const [socket] = [...socketsOf(served.server)] as [Socket];
  client.resume().end();
  await until(() => socket.readableEnded && socket.writableLength === 0);
  clock.pass(HALF_CLOSED_TIMEOUT_MS);
  expect(socket.destroyed).toBe(false);
  clock.pass(1_000);
  await until(served.isOver);
  expect(await outcomeOf(served)).toMatchObject({ isAborted: true, refusal: undefined });
});

test('a client that does not read is sent no more than fits, and is closed', async () => {
  const made = { count: 0 };
  await using served = await serve(() => createStream(100_000, 'ends', made), AS_BYTES);
  const client = await served.ask();
  client.socket.pause();
  for (let before = -1; made.count !== before || made.count === 0;) {
    before = made.count;
    await setTimeout(50);
  }
  // What the system takes for both ends, a few megabytes, of the 6.5 GB that the stream would make.
  expect(made.count).toBeLessThan(1_000);
  let now = performance.now();
  while (closeStalled(socketsOf(served.server), 10, now) === 0) {
    now += 5;
    await setTimeout(5);
  }
  await until(served.isOver);
});

test('a HEAD has the headers alone', async () => {
  await using served = await serve(() => createStream(1, 'waits'), { 'Content-Length': 5 });
  const reply = await served.head();
  expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([200, '5', '']);
  await until(served.isOver);
});

test.each([
  ['HTTP/1.0, which has no chunks', 'GET /bytes?how=a HTTP/1.0\r\nHost: a\r\n\r\n', /\r\n\r\nab$/],
  ['a body that is not worth reading', LARGE_BODY, /^Connection: close\r\n[^]*b\r\n0\r\n\r\n$/m],
])('a stream for %s ends with the connection', async (_what, head, whole) => {
  await using served = await serve(() => Readable.from(['a', 'b']), AS_TEXT);
  const client = await served.ask(head);
  await once(client.socket, 'end');
  expect(client.received).toMatch(/^HTTP\/1.1 200 /);
  expect(client.received).toMatch(whole);
});

test.each([
  ['that fails', 'fails'],
  ['that a shutdown cuts', 'waits'],
] as const)(
  'a stream %s ends with a reset for HTTP/1.0, where only this tells that it is not whole',
  async (_what, end) => {
    await using served = await serve(() => createStream(1, end), AS_BYTES);
    const client = await served.ask(GET.replace('1.1', '1.0'));
    if (end === 'waits') {
      await until(() => client.received !== '');
      void createDrain(served.server)(100);
    }
    // Whether it was an error.
    await expect(client.closed).resolves.toBe(true);
  },
);

test('of a range, the handler has to name a media type', async () => {
  const line = '            application/octet-stream: { schema: { type: string, format: binary } }\n';
  await using served = await serve(() => createStream(1, 'ends'), {}, MEDIA.replace(line, ''));
  expect((await served.get()).status).toBe(500);
  expect(String((await outcomeOf(served))?.refusal?.cause)).toContain('is a range');
});

describe('when the server ends', () => {
  test('a stream of events that comes later ends at once', async () => {
    const { promise, resolve } = Promise.withResolvers<Readable>();
    await using served = await serve(() => promise, { 'Content-Type': EVENTS });
    const asked = once(served.server, 'request');
    const reply = served.get();
    await asked;
    const drained = createDrain(served.server)(60_000);
    resolve(createStream(0, 'waits'));
    expect((await reply).status).toBe(200);
    await expect(drained).resolves.toBe(true);
    expect(served.isOver()).toBe(true);
  });

  test('a stream of events ends too, and was there at once', async () => {
    await using served = await serve(() => createStream(0, 'waits'), { 'Content-Type': EVENTS });
    const reply = await served.get();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, EVENTS]);
    const text = reply.text();
    await expect(createDrain(served.server)(60_000)).resolves.toBe(true);
    await expect(text).resolves.toBe('');
    expect(served.isOver()).toBe(true);
    expect(served.outcomes).toMatchObject([{ status: 200, isAborted: false, refusal: undefined }]);
  });

  test('another stream has the time that is left', async () => {
    await using served = await serve(() => createStream(1, 'waits'), AS_BYTES);
    const reply = await served.get();
    await expect(createDrain(served.server)(600)).resolves.toBe(false);
    await expect(reply.arrayBuffer()).rejects.toThrow();
    await until(served.isOver);
  });
});
