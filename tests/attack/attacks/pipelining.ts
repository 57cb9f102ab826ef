import { connect } from 'node:net';
import type { Attack, Figure } from '../attack';
import { startTarget } from '../target';

const CONNECTIONS = 20;
const REQUESTS = 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(160_000);
const SMALL = ['--max-old-space-size=256'];

async function flood(isRead: boolean): Promise<readonly Figure[]> {
  using target = await startTarget({}, SMALL);
  const before = target.memory();
  const sockets = Array.from({ length: CONNECTIONS }, () =>
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
