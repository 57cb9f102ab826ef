import { connect, type Socket } from 'node:net';
import type { Attack, Figure } from '../attack';
import { startTarget, TOKEN, startStandIn, type Target } from '../target';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const SLOW_CONNECTIONS = 500;

/** Connections that send half a header and then nothing; no credentials. */
export const slowHeaders: Attack = {
  name: 'half a header on 500 connections',
  async run() {
    using target = await startTarget();
    const before = target.memory();
    const sockets = Array.from({ length: SLOW_CONNECTIONS }, () => connect(target.port, '127.0.0.1'));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve).on('error', resolve)));
    const start = performance.now();
    for (const socket of sockets) socket.resume().write('POST /plants HTTP/1.1\r\nHost: a\r\nX-');
    const next = await target.postPlant();
    await Promise.all(closed);
    return [
      { what: 'next request', value: next, atMost: 5, unit: 's' },
      { what: 'last one closed', value: (performance.now() - start) / 1000, atMost: 15, unit: 's' },
      { what: 'memory', value: target.peakMemory() - before, atMost: 60, unit: 'MB' },
    ];
  },
};

const BODIES = 400;
const SIZE = 1024 ** 2;
// All unfinished bodies take at most 128 MB. Twice that, since what was read but not collected yet comes on top: 188 to
// 212 MB were measured.
const MEMORY_MB = 256;

/** Bodies of 1 MB that lack one byte, with one token. */
export const unfinishedBodies: Attack = {
  name: '400 unfinished bodies of 1 MB',
  async run() {
    using target = await startTarget();
    await target.postPlant();
    const before = target.memory();
    const head = [
      'POST /plants HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/json',
      `Content-Length: ${String(SIZE)}`,
    ].join('\r\n');
    const part = Buffer.alloc(SIZE - 1, ' ');
    const sockets = Array.from({ length: BODIES }, () =>
      connect(target.port, '127.0.0.1').on('error', () => undefined),
    );
    const sent = sockets.map(async (socket) => {
      socket.resume().write(`${head}\r\n\r\n`);
      if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    });
    const meanwhile = await target.postPlant();
    await Promise.all(sent);
    const afterwards = await target.postPlant();
    const memory = target.peakMemory() - before;
    for (const socket of sockets) socket.destroy();
    return [
      { what: 'next request', value: meanwhile, atMost: 5, unit: 's' },
      { what: 'request while they are held', value: afterwards, atMost: 5, unit: 's' },
      { what: 'memory', value: memory, atMost: MEMORY_MB, unit: 'MB' },
    ];
  },
};

const UNREAD_CONNECTIONS = 20;
const PATIENCE_S = 60;

/** Clients that ask for more than the system keeps for them, and read none of it. */
async function openAll({ url, port }: Target): Promise<Socket[]> {
  const page = await fetch(`${url}/docs`, { headers: { Connection: 'close' } }).then((reply) => reply.text());
  const [path = ''] = /docs\/[^"]*\/swagger-ui-bundle\.js/.exec(page) ?? [];
  const request = `GET /${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n`;
  return Array.from({ length: UNREAD_CONNECTIONS }, () => {
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
    while (target.descriptors() < before + UNREAD_CONNECTIONS) await sleep(10);
    const seconds = (): number => (performance.now() - start) / 1000;
    while (target.descriptors() >= before + UNREAD_CONNECTIONS / 2 && seconds() < PATIENCE_S) await sleep(100);
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
    while (target.descriptors() < before + UNREAD_CONNECTIONS) await sleep(10);
    await sleep(1_000);
    const start = performance.now();
    target.process.child.kill('SIGTERM');
    await target.process.ended;
    for (const socket of sockets) socket.destroy();
    return [{ what: 'ended', value: (performance.now() - start) / 1000, atMost: 4, unit: 's' }];
  },
};

const CLIENTS = 600;
const CONTRACT = `
openapi: 3.1.0
info: { title: Clients that leave, version: 1.0.0 }
paths:
  /hang: { get: { operationId: hang, responses: { '204': { description: Done } } } }
  /stall:
    get:
      operationId: stall
      responses: { '200': { description: Bytes, content: { application/octet-stream: {} } } }
`;

/** Clients that ask and close, as browsers do: nothing but a write would tell that they left. */
function leave(what: string, path: string): Attack {
  return {
    name: `${String(CLIENTS)} clients leave ${what}`,
    async run() {
      using target = await startStandIn(CONTRACT);
      const before = target.descriptors();
      const sockets = Array.from({ length: CLIENTS }, () =>
        connect(target.port, '127.0.0.1').on('error', () => undefined),
      );
      for (const socket of sockets) socket.resume().write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      while (target.descriptors() < before + CLIENTS) await sleep(10);
      await sleep(1_000);
      for (const socket of sockets) socket.destroy();
      await sleep(15_000);
      const left = Math.max(0, target.descriptors() - before);
      return [{ what: 'left after 15 s', value: left, atMost: 0, unit: 'connections' }];
    },
  };
}

export const leftBehindHang = leave('a request that is never answered', '/hang');

export const leftBehindStall = leave('a stream that stalls', '/stall');

const PIPELINES = 20;
const REQUESTS = 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(160_000);
const SMALL = ['--max-old-space-size=256'];

async function flood(isRead: boolean): Promise<readonly Figure[]> {
  using target = await startTarget({}, SMALL);
  const before = target.memory();
  const sockets = Array.from({ length: PIPELINES }, () =>
    connect(target.port, '127.0.0.1').on('error', () => undefined),
  );
  for (const socket of sockets) {
    if (isRead) socket.resume();
    socket.write(REQUESTS);
  }
  const next = await target.postPlant();
  const { signalCode } = target.process.child;
  if (signalCode !== null) throw new Error(`the process ended with ${signalCode}`);
  const cpu = target.cpu();
  const memory = target.peakMemory() - before;
  for (const socket of sockets) socket.destroy();
  return [
    { what: 'next request', value: next, atMost: 5, unit: 's' },
    { what: 'memory', value: memory, atMost: 250, unit: 'MB' },
    { what: 'CPU', value: cpu, atMost: 15, unit: 's' },
  ];
}

/** Requests without credentials, pipelined. */
export const pipelining: Attack = {
  name: 'pipelining 4 MB on 20 connections',
  run: () => flood(true),
};

/** The same from a client that reads none of the replies. */
export const pipeliningUnread: Attack = {
  name: 'pipelining 4 MB on 20 connections, replies unread',
  run: () => flood(false),
};

const CONNECTIONS = 100;
const ASKED = 20;

/** Connections that send nothing, to a service that may open 64 files; no credentials. */
export const fewDescriptors: Attack = {
  name: '100 connections to a service with 64 file descriptors',
  async run() {
    using target = await startTarget({}, [], 64);
    const sockets = Array.from({ length: CONNECTIONS }, () =>
      connect(target.port, '127.0.0.1').on('error', () => undefined),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    let unanswered = 0;
    const start = performance.now();
    for (let asked = 0; asked < ASKED; asked++) if (!(await isAlive(target.admin))) unanswered += 1;
    const seconds = (performance.now() - start) / 1000;
    for (const socket of sockets) socket.destroy();
    const next = await target.postPlant();
    return [
      { what: 'liveness unanswered', value: unanswered, atMost: 0, unit: `of ${String(ASKED)}` },
      { what: 'in', value: seconds, atMost: 5, unit: 's' },
      { what: 'request after them', value: next, atMost: 5, unit: 's' },
    ];
  },
};

async function isAlive(admin: string): Promise<boolean> {
  return fetch(`${admin}/livez`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
