import { once } from 'node:events';
import {
  Agent,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createDrain } from '../../src/contract/drain';
import { until } from '../until';

// Longer than any test.
const EVER = 2 ** 31 - 1;

async function listen(
  listener: RequestListener,
): Promise<{ server: Server; drain: ReturnType<typeof createDrain>; url: string }> {
  const server = createServer(listener);
  const drain = createDrain(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, drain, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
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
  const { server, drain, url } = await listen(() => undefined);
  server.on('checkContinue', (_req, res: ServerResponse) => {
    res.writeContinue();
    void drain(EVER);
    res.end();
  });
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
  gone.destroy();
  await once(socket, 'close');

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
