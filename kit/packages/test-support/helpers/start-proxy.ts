import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy in front of servers on this machine, such as a virtual address that moves to another server. */
export interface Proxy extends AsyncDisposable {
  /** Its own port. */
  readonly port: number;
  /** Sends new connections to another port. The open ones stay with the server that they lead to. */
  moveTo(port: number): void;
  /** Lets the open connections go nowhere from now on, without closing them. */
  stall(): void;
  /** Closes the open connections. */
  cut(): void;
}

/** @param target the port of the first server */
export async function startProxy(target: number): Promise<Proxy> {
  let current = target;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(current, '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      current = port;
    },
    stall() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
