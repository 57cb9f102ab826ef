import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createDrain, IDLE_MS } from '../../src/http/drain';
import { createContractServer, type Listener } from '../../src/http/server';
import { renderFixture } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { until } from '../../../../tests/support/until';

// Longer than any test.
const EVER = 2 ** 31 - 1;

async function listen(
  listener: Listener,
): Promise<{ server: Server; drain: ReturnType<typeof createDrain>; url: string }> {
  const server = createContractServer(listener, { render: renderFixture, report: () => undefined });
  const drain = createDrain(server);
  const { base } = await listenOnLoopback(server);
  return { server, drain, url: base.origin };
}

async function reply(url: string, agent: Agent): Promise<IncomingMessage> {
  const [message] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return message.resume();
}

test('a request in flight is answered, and told that its connection ends', async () => {
  let finish = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const served: (() => void)[] = [];
  const { drain, url } = await listen((_req, res) => {
    served.push(() => res.end());
    finish();
  });
  const agent = new Agent({ keepAlive: true });
  const pending = reply(url, agent);
  await started;
  const drained = drain(EVER);
  await new Promise((resolve) => setImmediate(resolve));
  served.forEach((serve) => {
    serve();
  });
  const message = await pending;
  expect(message.headers.connection).toBe('close');
  await expect(drained).resolves.toBe(true);
  agent.destroy();
});

test('a connection that is idle does not hold it up', async () => {
  const { drain, url } = await listen((_req, res) => res.end());
  const agent = new Agent({ keepAlive: true });
  for (let time = 0; time < 2; time++) {
    const message = await reply(url, agent);
    expect(message.headers.connection).toBe('keep-alive');
    await once(message, 'end');
  }
  await expect(drain(EVER)).resolves.toBe(true);
  agent.destroy();
});

test('a request that comes on an open connection meanwhile is the last of it', async () => {
  const { drain, url } = await listen((_req, res) => res.end());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const drained = drain(EVER);
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => (received += data));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await drained;
  await new Promise((resolve) => socket.once('close', resolve));
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/);
});

/** A client that has its reply, and sends half a request more. */
async function sendOneAndAHalf(server: Server, url: string): Promise<Socket> {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.write('GET / HT');
  const [other] = await accepted;
  await until(() => other.bytesRead === socket.bytesWritten);
  return socket;
}

test('what takes too long is cut', async () => {
  const { server, drain, url } = await listen((req, res) => {
    if (req.url === '/') res.end();
    else res.write('a');
  });
  const slow = await sendOneAndAHalf(server, url);
  const agent = new Agent({ keepAlive: true });
  const message = await reply(`${url}/never`, agent);
  const cut = new Promise((resolve) => message.on('error', () => undefined).on('close', resolve));
  await expect(drain(50)).resolves.toBe(false);
  await cut;
  agent.destroy();
  slow.destroy();
});

test('a request that waits for 100-continue is told that its connection ends, too', async () => {
  const served = await listen((_req, res) => {
    res.writeContinue();
    void served.drain(EVER);
    setImmediate(() => res.end());
  });
  const { url } = served;
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n');
  let received = '';
  socket.setEncoding('latin1').on('data', (data: string) => (received += data));
  while (!received.includes(' 200 OK')) await once(socket, 'data');
  expect(received).toContain('Connection: close\r\n');
  socket.destroy();
});

test('a connection that is idle after a reply which began before does not hold it up', async () => {
  let finish = (): void => undefined;
  const { server, drain, url } = await listen((_req, res) => {
    res.write('a');
    finish = () => res.end();
  });
  const agent = new Agent({ keepAlive: true });
  const message = await reply(url, agent);
  expect(message.headers.connection).toBe('keep-alive');
  const drained = drain(EVER);
  // It takes no new connections any more.
  await until(() => !server.listening);
  finish();
  await expect(drained).resolves.toBe(true);
  agent.destroy();
});

test('who sends nothing more, and who went away, has no request that was cut', async () => {
  const { server, drain, url } = await listen((req, res) => {
    if (req.url === '/') res.end();
  });
  const gone = connect(Number(new URL(url).port), '127.0.0.1');
  gone.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
  const [{ socket }] = (await once(server, 'request')) as [IncomingMessage];
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  gone.resetAndDestroy();
  await closed;

  const slow = await sendOneAndAHalf(server, url);
  await expect(drain(100)).resolves.toBe(true);
  slow.destroy();
});

test('a connection costs the same however many requests it has', async () => {
  const counts = new Set<number>();
  const { drain, url } = await listen((req, res) => {
    counts.add(req.socket.listenerCount('close'));
    res.end();
  });
  const agent = new Agent({ keepAlive: true });
  for (let time = 0; time < 3; time++) await once(await reply(url, agent), 'end');
  expect(counts.size).toBe(1);
  await drain(100);
  agent.destroy();
});

test('a client that is about to send its next request is served, and told that it was the last', async () => {
  const { drain, url } = await listen((_req, res) => res.end());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await once(await reply(url, agent), 'end');
  const begin = performance.now();
  const drained = drain(5_000);
  // More than the turns of the event loop in which the server stops listening.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const message = await reply(url, agent);
  expect(message.headers.connection).toBe('close');
  await expect(drained).resolves.toBe(true);
  expect(performance.now() - begin).toBeLessThan(5_000);
  agent.destroy();
});

test('a connection on which nothing came is closed with those that are idle', async () => {
  const { server, drain, url } = await listen((_req, res) => res.end());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'connection');
  const begin = performance.now();
  await expect(drain(60_000)).resolves.toBe(true);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(IDLE_MS - 1);
  socket.destroy();
});

test('a request of which some bytes came is waited for', async () => {
  const { server, drain, url } = await listen((_req, res) => res.end());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (data: string) => (received += data));
  await once(server, 'connection');
  socket.write('GET / HTTP/1.1\r\nHo');
  const drained = drain(60_000);
  await new Promise((resolve) => setTimeout(resolve, 2 * IDLE_MS));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('st: a\r\n\r\n');
  await expect(drained).resolves.toBe(true);
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/);
});

test('a client that does not read its reply is not waited for, and that is told', async () => {
  const { server, drain, url } = await listen((_req, res) => res.end(Buffer.alloc(32 * 1024 ** 2)));
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(server, 'request');
  await expect(drain(60 * 60_000)).resolves.toBe(false);
  socket.destroy();
});
