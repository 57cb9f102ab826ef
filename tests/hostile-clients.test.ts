import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { postPlant } from './post-plant';
import { startApp, TOKEN, type RunningApp } from './start-app';

const HEAD = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const PLANT = '{"id":1,"name":"Rose"}';
// As in service, but for the time that it takes.
const IMPATIENT = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };

async function open({ port }: RunningApp): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends a text a byte at a time, and tells what came back until the end. */
async function trickle(app: RunningApp, bytes: string, pause: number): Promise<string> {
  const socket = await open(app);
  const reply = text(socket);
  for (const byte of bytes) {
    if (socket.destroyed || !socket.writable) break;
    socket.write(byte);
    await setTimeout(pause);
  }
  return reply;
}

test('fifty that send nothing, slow headers or slow bodies are cut, and others are served meanwhile', async () => {
  await using app = await startApp({ http: IMPATIENT });
  const slow = Array.from({ length: 50 }, (_, index) => {
    if (index % 3 === 0) return trickle(app, '', 0);
    if (index % 3 === 1) return trickle(app, HEAD, 40);
    return trickle(app, `${HEAD}Content-Length: ${String(PLANT.length)}\r\n\r\n`, 0).then(() => '');
  });
  const bodies = Array.from({ length: 10 }, async () => {
    const socket = await open(app);
    socket.write(`${HEAD}Content-Length: 1000\r\n\r\n{`);
    return text(socket);
  });
  for (let id = 0; id < 50; id++) await postPlant(app.server, JSON.stringify({ id, name: 'Rose' })).expect(200);
  for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^$|^HTTP\/1\.1 400 .*"error":40002/s);
  for (const reply of await Promise.all(bodies)) expect(reply).toMatch(/^HTTP\/1\.1 400 .*"error":40002/s);
  expect(app.rows()).toHaveLength(50);
});

test('connections that send nothing give way to new ones, and those that were served go on', async () => {
  await using app = await startApp();
  expect(app.server.maxConnections).toBe(5_000);
  app.server.maxConnections = 10;
  const kept = await Promise.all(Array.from({ length: 8 }, () => open(app)));
  async function expectServed(): Promise<void> {
    for (const socket of kept) {
      const reply = once(socket, 'data') as Promise<[Buffer]>;
      socket.write(`${HEAD}Content-Length: ${String(PLANT.length)}\r\n\r\n${PLANT}`);
      expect(String((await reply)[0])).toMatch(/^HTTP\/1\.1 200 /);
    }
  }
  await expectServed();
  const silent: Promise<unknown>[] = [];
  for (let count = 0; count < 30; count++) {
    const socket = await open(app);
    silent.push(new Promise((resolve) => socket.resume().once('close', resolve)));
  }
  // The last one may stay.
  await Promise.all(silent.slice(0, -1));
  await expectServed();
  for (const socket of kept) socket.destroy();
});

test.each(['999999999999', String(2 ** 31), '9'.repeat(30)])(
  'a body of %s bytes is refused at once',
  async (length) => {
    await using app = await startApp();
    const socket = await open(app);
    const start = performance.now();
    socket.write(`${HEAD}Connection: close\r\nContent-Length: ${length}\r\n\r\n{`);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(String(reply)).toMatch(/^HTTP\/1\.1 400 /);
    expect(performance.now() - start).toBeLessThan(1_000);
    socket.destroy();
  },
);
