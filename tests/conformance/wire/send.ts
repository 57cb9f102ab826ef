import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/**
 * Sends bytes on a connection of their own, and takes what comes until the server closes it.
 *
 * @param isCut whether to close our side after the last byte
 * @param timeout in milliseconds, for all of it
 */
export function send(base: URL, bytes: Buffer, isCut: boolean, timeout: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(base);
    const received: Buffer[] = [];
    const timer = setTimeout(() => {
      fail(
        `nothing ended the connection within ${String(timeout)} ms; ${String(Buffer.concat(received).length)} bytes came`,
      );
    }, timeout);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // A server that refuses early may reset what it did not read; what it said before counts.
    socket.on('error', (error) => {
      if (received.length === 0) fail(error.message);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(received));
    });
    if (isCut) socket.end(bytes);
    else socket.write(bytes);

    function fail(message: string): void {
      clearTimeout(timer);
      socket.destroy();
      reject(new Error(message));
    }
  });
}

function connect({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:') return connectSecure({ host, servername: host, port: Number(port || 443) });
  return connectPlain({ host, port: Number(port || 80), noDelay: true });
}
