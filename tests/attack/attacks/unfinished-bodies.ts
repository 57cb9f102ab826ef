import { once } from 'node:events';
import { connect } from 'node:net';
import type { Attack } from '../attack';
import { startTarget, TOKEN } from '../target';

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
