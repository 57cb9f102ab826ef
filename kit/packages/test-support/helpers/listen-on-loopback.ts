import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

/** A server that listens on loopback. When it is disposed of, its connections are cut. */
export interface ListeningServer extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  readonly base: URL;
}

/** @param port a free one unless it is given */
export async function listenOnLoopback(server: Server, port = 0): Promise<ListeningServer> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    server,
    port: taken,
    base: new URL(`http://127.0.0.1:${String(taken)}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Below the ports that systems give to outgoing connections, one of which could take it before it is used. Each of
// Jest's workers has its own hundreds.
const FIRST = 10_000;
const OF_A_WORKER = 500;
const WORKERS = 40;

const start = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * OF_A_WORKER;
let next = Math.floor(Math.random() * OF_A_WORKER);

/** A port that nobody listens on, and that stays free until somebody asks for just this one. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = start + (next++ % OF_A_WORKER);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
