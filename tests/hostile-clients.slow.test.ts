import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { readConnectionLimit } from '../packages/server/src/runtime/create-server';
import { postPlant, startApp, TOKEN, type RunningApp } from './support/start-app';

const HEAD = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const PLANT = '{"id":1,"name":"Rose"}';
async function open({ port }: RunningApp): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends a text, and then a header that never ends, a byte now and then; tells what came back until the end. */
async function trickle(app: RunningApp, begin: string): Promise<string> {
  const socket = await open(app);
  const reply = text(socket);
  socket.write(`${begin}X: `);
  while (socket.writable) {
    socket.write('x');
    await setTimeout(10);
  }
  return reply;
}

/** Sends a text and nothing more, and tells what came back. */
async function stall(app: RunningApp, begin: string): Promise<string> {
  const socket = await open(app);
  socket.write(begin);
  return text(socket);
}

test('sixty that send nothing, slow headers or slow bodies are cut, and others are served meanwhile', async () => {
  await using app = await startApp({ http: { connectionsCheckingInterval: 20 } });
  expect(app.server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 + Math.ceil(1024 ** 2 / 100) });
  // Until the test says that their time is over.
  Object.assign(app.server, { headersTimeout: 0, requestTimeout: 0 });
  const stalled = ['', HEAD, `${HEAD}Content-Length: 1000\r\n\r\n{`].flatMap((begin) =>
    Array.from({ length: 15 }, () => stall(app, begin)),
  );
  const trickling = Array.from({ length: 15 }, () => trickle(app, HEAD));
  for (let id = 0; id < 50; id++) await postPlant(app.server, JSON.stringify({ id, name: 'Rose' })).expect(200);
  Object.assign(app.server, { headersTimeout: 1, requestTimeout: 1 });
  for (const reply of await Promise.all(stalled)) expect(reply).toMatch(/^HTTP\/1\.1 400 .*"error":40002/s);
  // The reply may be lost to a client that still sends when the connection is over.
  for (const reply of await Promise.all(trickling)) expect(reply).toMatch(/^$|^HTTP\/1\.1 400 .*"error":40002/s);
  expect(app.rows()).toHaveLength(50);
});

test('connections that send nothing give way to new ones, and those that were served go on', async () => {
  await using app = await startApp();
  expect(app.server.maxConnections).toBe(readConnectionLimit(5_000));
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

test.each([
  ['999999999999', 40004],
  [String(2 ** 31), 40004],
  ['9'.repeat(30), 40000],
])('a body of %s bytes is refused before more of it comes', async (length, error) => {
  await using app = await startApp();
  const socket = await open(app);
  socket.write(`${HEAD}Connection: close\r\nContent-Length: ${length}\r\n\r\n{`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  expect(String(reply)).toMatch(new RegExp(`^HTTP/1\\.1 400 .*"error":${String(error)}`, 's'));
  socket.destroy();
});
