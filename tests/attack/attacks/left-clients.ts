import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack';
import { startStandIn } from '../target';

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
