import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack';
import { startTarget, type Target } from '../target';

const CONNECTIONS = 20;
const PATIENCE_S = 60;

/** Clients that ask for more than the system keeps for them, and read none of it. */
async function openAll({ url, port }: Target): Promise<Socket[]> {
  const page = await fetch(`${url}/docs`, { headers: { Connection: 'close' } }).then((reply) => reply.text());
  const [path = ''] = /docs\/[^"]*\/swagger-ui-bundle\.js/.exec(page) ?? [];
  const request = `GET /${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n`;
  return Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pause().write(request.repeat(8));
    return socket;
  });
}

export const unreadReplies: Attack = {
  name: 'replies unread on 20 connections',
  async run() {
    using target = await startTarget();
    const before = target.descriptors();
    const sockets = await openAll(target);
    const start = performance.now();
    while (target.descriptors() < before + CONNECTIONS) await sleep(10);
    const seconds = (): number => (performance.now() - start) / 1000;
    while (target.descriptors() >= before + CONNECTIONS / 2 && seconds() < PATIENCE_S) await sleep(100);
    for (const socket of sockets) socket.destroy();
    return [{ what: 'closed', value: seconds(), atMost: 40, unit: 's' }];
  },
};

export const unreadRepliesAtTheEnd: Attack = {
  name: 'SIGTERM while replies are not read',
  async run() {
    using target = await startTarget();
    const before = target.descriptors();
    const sockets = await openAll(target);
    while (target.descriptors() < before + CONNECTIONS) await sleep(10);
    await sleep(1_000);
    const start = performance.now();
    target.process.child.kill('SIGTERM');
    await target.process.ended;
    for (const socket of sockets) socket.destroy();
    return [{ what: 'ended', value: (performance.now() - start) / 1000, atMost: 4, unit: 's' }];
  },
};
