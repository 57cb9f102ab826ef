import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port that accepts connections, and lets nothing through until it is opened. */
export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** When the first connection has come. */
  readonly tried: Promise<unknown>;
  readonly open: () => void;
}

export async function startGate(target: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  const waiting: Socket[] = [];
  let isOpen = false;

  function connectThrough(socket: Socket): void {
    const through = connect(target, '127.0.0.1').on('error', () => socket.destroy());
    socket.pipe(through).pipe(socket);
  }

  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (isOpen) connectThrough(socket);
    else waiting.push(socket);
  });
  const tried = once(server, 'connection');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    tried,
    open() {
      isOpen = true;
      waiting.splice(0).forEach(connectThrough);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
