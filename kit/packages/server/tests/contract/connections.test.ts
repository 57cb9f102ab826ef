import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { closeStalled, HALF_CLOSED_TIMEOUT_MS, socketsOf, STALL_TIMEOUT_MS } from '../../src/http/connections';
import { createContractServer, type Listener } from '../../src/http/server';
import { readConnectionLimit } from '../../src/runtime/create-server';
import { renderFixture } from '@contract-kit/test-support/fixture-errors';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
// More than the system keeps for a client that does not read.
const LARGE = Buffer.alloc(32 * 1024 ** 2, 'a');

async function listen(listener: Listener) {
  const server = createContractServer(listener, { render: renderFixture, report: () => undefined });
  const listening = await listenOnLoopback(server);
  const open = async (): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const socket = connect(listening.port, '127.0.0.1').on('error', () => undefined);
    await accepted;
    return socket;
  };
  return { ...listening, open, openThree: async () => [await open(), await open(), await open()] as const };
}

async function ask(socket: Socket): Promise<void> {
  socket.write(GET);
  await once(socket, 'data');
}

const isOpen = (socket: Socket): boolean => !socket.closed;
const answer: Listener = (_req, res) => res.end('a');

/** Waits until the system takes no more of a reply: two looks see the same. */
async function untilNothingLeaves(sockets: Iterable<Socket>): Promise<void> {
  for (let now = 0; closeStalled(sockets, Infinity, now) === 0 && now < 20; now++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a client that reads slowly is not closed', async () => {
  await using served = await listen((_req, res) => res.end(LARGE));
  const client = await served.open();
  const sockets = socketsOf(served.server);
  let received = 0;
  client.on('data', (data: Buffer) => {
    received += data.length;
    client.pause();
  });
  client.write(GET);
  await until(() => received > 0);
  const [{ _handle: handle }] = [...sockets] as unknown as [{ _handle: { writeQueueSize: number } }];
  // A day between two looks, and a few chunks: as many as it takes until the system takes more of the reply. The server looks by
  // itself, too, and compares with the real time.
  const start = performance.now();
  for (let day = 0; received < LARGE.length; day++) {
    const left = handle.writeQueueSize;
    while (received < LARGE.length && handle.writeQueueSize === left) {
      client.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(closeStalled(sockets, STALL_TIMEOUT_MS, start + day * 86_400_000)).toBe(0);
    expect(isOpen(client)).toBe(true);
  }
});

describe('a client that ended its sending half', () => {
  async function serveHalf() {
    const served = await listen(() => undefined);
    const client = await served.open();
    client.allowHalfOpen = true;
    client.resume().end(GET);
    const [, res] = (await once(served.server, 'request')) as [IncomingMessage, ServerResponse];
    const [socket] = [...socketsOf(served.server)] as [Socket];
    await until(() => socket.readableEnded);
    return { ...served, client, socket, res };
  }

  test('is closed when it is sent nothing for 5 s, and not before', async () => {
    using clock = holdClock('setInterval', 'clearInterval', 'performance');
    await using served = await serveHalf();
    clock.pass(HALF_CLOSED_TIMEOUT_MS);
    expect(served.socket.destroyed).toBe(false);
    clock.pass(1_000);
    expect(served.socket.destroyed).toBe(true);
    await once(served.res, 'close');
  });

  test('has its reply, as long as some of it is sent every 5 s', async () => {
    using clock = holdClock('setInterval', 'clearInterval', 'performance');
    await using served = await serveHalf();
    let received = '';
    served.client.on('data', (data: Buffer) => (received += data.toString('latin1')));
    for (const part of ['one', 'two', 'three']) {
      clock.pass(HALF_CLOSED_TIMEOUT_MS);
      served.res.write(part);
      await until(() => received.includes(part));
    }
    served.res.end();
    await once(served.client, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*\r\n0\r\n\r\n$/);
  });

  test('may read slowly as others may', async () => {
    using clock = holdClock('setInterval', 'clearInterval', 'performance');
    await using served = await serveHalf();
    served.client.pause();
    served.res.end(LARGE);
    await untilNothingLeaves(socketsOf(served.server));
    clock.pass(STALL_TIMEOUT_MS - 1_000);
    expect(served.socket.destroyed).toBe(false);
    clock.pass(3_000);
    expect(served.socket.destroyed).toBe(true);
  });
});

describe('at the limit of connections', () => {
  test('the oldest one that never completed a request is closed for a new one', async () => {
    await using served = await listen(answer);
    const [used, silent, younger] = await served.openThree();
    await ask(used);
    served.server.maxConnections = 4;
    const dropped = once(served.server, 'drop');
    const newest = await served.open();
    await dropped;
    await once(silent.resume(), 'close');
    for (const socket of [newest, younger, used]) await ask(socket);
    expect([used, younger, newest].every(isOpen)).toBe(true);
  });

  test('else the one that is idle longest', async () => {
    await using served = await listen(answer);
    const [first, second, third] = await served.openThree();
    for (const socket of [second, third, first]) await ask(socket);
    served.server.maxConnections = 4;
    await served.open();
    await once(second.resume(), 'close');
    expect([first, third].every(isOpen)).toBe(true);
  });

  test('one with a request in flight is not; then a new one is turned away', async () => {
    const waiting: (() => void)[] = [];
    await using served = await listen((_req, res) => waiting.push(() => res.end('a')));
    served.server.maxConnections = 3;
    const sockets: Socket[] = [];
    for (let busy = 1; busy <= 3; busy++) {
      const socket = await served.open();
      socket.write(GET);
      await until(() => waiting.length === busy);
      sockets.push(socket);
    }
    const dropped = once(served.server, 'drop');
    const refused = connect(served.port, '127.0.0.1').on('error', () => undefined);
    await dropped;
    await new Promise((resolve) => refused.resume().once('close', resolve));
    for (const reply of waiting) reply();
    for (const socket of sockets) await once(socket, 'data');
    expect(sockets.every(isOpen)).toBe(true);
  });
});

test('a server looks for stalled replies each second, and no longer than it listens', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'setTimeout', 'clearTimeout', 'queueMicrotask'] });
  const served = await listen((_req, res) => res.end(LARGE));
  const client = await served.open();
  client.pause().write(GET);
  await once(served.server, 'request');
  await untilNothingLeaves(socketsOf(served.server));
  jest.advanceTimersByTime(STALL_TIMEOUT_MS);
  expect(socketsOf(served.server).size).toBe(1);
  jest.advanceTimersByTime(2_000);
  await new Promise((resolve) => client.resume().once('close', resolve));
  await served[Symbol.asyncDispose]();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('the limit of connections', () => {
  const folder = useFolder();

  test.each([
    ['1048576', 5_000],
    ['5047', 4_999],
    ['64', 16],
    ['40', 1],
    ['unlimited', 5_000],
  ])('of %s file descriptors leaves 48 for what else is open', (descriptors, connections) => {
    const file = join(folder, descriptors);
    const rows = [
      'Limit',
      'Max processes             7',
      `Max open files            ${descriptors.padEnd(20)} 1048576`,
    ];
    writeFileSync(file, rows.join('\n'));
    expect(readConnectionLimit(5_000, file)).toBe(connections);
  });

  test('is the one that was wanted where the system does not tell its own', () => {
    expect(readConnectionLimit(5_000, join(folder, 'none'))).toBe(5_000);
  });
});
