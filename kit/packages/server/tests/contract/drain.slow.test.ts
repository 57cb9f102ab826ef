import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createDrain, IDLE_MS } from '../../src/http/drain';
import { createContractServer, type Listener } from '../../src/http/server';
import { renderFixture } from '@contract-kit/test-support/fixture-errors';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { openClient, type RawClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';

// Longer than any test.
const EVER = 2 ** 31 - 1;

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/;

interface Drained extends Disposable {
  readonly server: Server;
  readonly drain: ReturnType<typeof createDrain>;
  readonly open: () => RawClient;
  /** The beginning of a reply on a connection that is kept. */
  readonly get: (path?: string) => Promise<IncomingMessage>;
}

async function listen(listener: Listener = (_req, res) => res.end()): Promise<Drained> {
  const server = createContractServer(listener, { render: renderFixture, report: () => undefined });
  const drain = createDrain(server);
  const { base, port } = await listenOnLoopback(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ...{ server, drain, open: () => openClient(port) },
    async get(path = '/') {
      const [message] = (await once(get(new URL(path, base), { agent }), 'response')) as [IncomingMessage];
      return message.resume();
    },
    [Symbol.dispose]() {
      agent.destroy();
    },
  };
}

test('a request in flight is answered, and told that its connection ends', async () => {
  const served = Promise.withResolvers<() => void>();
  using listening = await listen((_req, res) => {
    served.resolve(() => res.end());
  });
  const pending = listening.get();
  const serve = await served.promise;
  const drained = listening.drain(EVER);
  await new Promise((resolve) => setImmediate(resolve));
  serve();
  expect((await pending).headers.connection).toBe('close');
  await expect(drained).resolves.toBe(true);
});

test('a connection that is idle does not hold the end up', async () => {
  using listening = await listen();
  for (let time = 0; time < 2; time++) {
    const message = await listening.get();
    expect(message.headers.connection).toBe('keep-alive');
    await once(message, 'end');
  }
  await expect(listening.drain(EVER)).resolves.toBe(true);
});

test('a request that comes on an open connection meanwhile is the last of it, however busy the process is', async () => {
  using listening = await listen();
  const client = listening.open();
  await once(listening.server, 'connection');
  const drained = listening.drain(EVER);
  client.socket.write(GET);
  for (const end = performance.now() + IDLE_MS; performance.now() < end;);
  await drained;
  await client.closed;
  expect(client.received).toMatch(LAST);
});

/** A client that has its reply, and sends half a request more. */
async function sendOneAndAHalf({ server, open }: Drained): Promise<Socket> {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { socket } = open();
  socket.write(GET);
  await once(socket, 'data');
  socket.write('GET / HT');
  const [other] = await accepted;
  await until(() => other.bytesRead === socket.bytesWritten);
  return socket;
}

test('what takes too long is cut', async () => {
  using listening = await listen((req, res) => {
    if (req.url === '/') res.end();
    else res.write('a');
  });
  const slow = await sendOneAndAHalf(listening);
  const message = await listening.get('/never');
  const cut = new Promise((resolve) => message.on('error', () => undefined).on('close', resolve));
  await expect(listening.drain(50)).resolves.toBe(false);
  await cut;
  slow.destroy();
});

test('a request that waits for 100-continue is told that its connection ends, too', async () => {
  using listening = await listen((_req, res) => {
    res.writeContinue();
    void listening.drain(EVER);
    setImmediate(() => res.end());
  });
  const client = listening.open();
  client.socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n');
  while (!client.received.includes(' 200 OK')) await once(client.socket, 'data');
  expect(client.received).toContain('Connection: close\r\n');
  client.socket.destroy();
});

test('a client that sends nothing more, and one that went away, has no request that was cut', async () => {
  using listening = await listen((req, res) => {
    if (req.url === '/') res.end();
  });
  const gone = listening.open().socket;
  gone.write(GET.replace('/', '/never'));
  const [{ socket }] = (await once(listening.server, 'request')) as [IncomingMessage];
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  gone.resetAndDestroy();
  await closed;

  const slow = await sendOneAndAHalf(listening);
  await expect(listening.drain(100)).resolves.toBe(true);
  slow.destroy();
});

test('a connection costs the same however many requests it has', async () => {
  const counts = new Set<number>();
  using listening = await listen((req, res) => {
    counts.add(req.socket.listenerCount('close'));
    res.end();
  });
  for (let time = 0; time < 3; time++) await once(await listening.get(), 'end');
  expect(counts.size).toBe(1);
  await listening.drain(100);
});

test('a client that is about to send its next request is served, and told that it was the last', async () => {
  using listening = await listen();
  await once(await listening.get(), 'end');
  const begin = performance.now();
  const drained = listening.drain(5_000);
  await until(() => !listening.server.listening);
  expect((await listening.get()).headers.connection).toBe('close');
  await expect(drained).resolves.toBe(true);
  expect(performance.now() - begin).toBeLessThan(5_000);
});

test('a connection on which nothing came is closed with those that are idle', async () => {
  using listening = await listen();
  const { socket } = listening.open();
  await once(listening.server, 'connection');
  const begin = performance.now();
  await expect(listening.drain(60_000)).resolves.toBe(true);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(IDLE_MS - 1);
  socket.destroy();
});

test('a request of which some bytes came is waited for', async () => {
  using listening = await listen();
  const client = listening.open();
  await once(listening.server, 'connection');
  client.socket.write(GET.slice(0, 18));
  const drained = listening.drain(60_000);
  await new Promise((resolve) => setTimeout(resolve, 2 * IDLE_MS));
  client.socket.write(GET.slice(18));
  await expect(drained).resolves.toBe(true);
  await client.closed;
  expect(client.received).toMatch(LAST);
});

test('a client that does not read its reply is not waited for, and that is told', async () => {
  using listening = await listen((_req, res) => res.end(Buffer.alloc(32 * 1024 ** 2)));
  const { socket } = listening.open();
  socket.pause().write(GET);
  await once(listening.server, 'request');
  await expect(listening.drain(60 * 60_000)).resolves.toBe(false);
  socket.destroy();
});
