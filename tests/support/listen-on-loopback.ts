import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

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
