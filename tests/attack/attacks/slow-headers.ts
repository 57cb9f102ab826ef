import { connect } from 'node:net';
import type { Attack } from '../attack';
import { startTarget } from '../target';

const CONNECTIONS = 500;

/** Connections that send half a header and then nothing; no credentials. */
export const slowHeaders: Attack = {
  name: 'half a header on 500 connections',
  async run() {
    using target = await startTarget();
    const before = target.memory();
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(target.port, '127.0.0.1'));
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
