import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers whatever it likes, once it has all of a request. */
export async function serveReplies(listener: RequestListener): Promise<AsyncDisposable & { readonly base: URL }> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      listener(req, res);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    base: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
