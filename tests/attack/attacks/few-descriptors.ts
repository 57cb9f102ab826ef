import { once } from 'node:events';
import { connect } from 'node:net';
import type { Attack } from '../attack';
import { startTarget } from '../target';

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
