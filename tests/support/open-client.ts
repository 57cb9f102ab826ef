import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';

/** A client that keeps what it receives. */
export interface RawClient {
  readonly socket: Socket;
  received: string;
  readonly closed: Promise<unknown>;
}

/** Connects to a server on loopback; what goes wrong with the connection later ends it, and no test. */
export function openClient(port: number, options: Partial<TcpNetConnectOpts> = {}): RawClient {
  const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined);
  const client = { socket, received: '', closed: new Promise((resolve) => socket.once('close', resolve)) };
  socket.setEncoding('latin1').on('data', (data: string) => (client.received += data));
  return client;
}
