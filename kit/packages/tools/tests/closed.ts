import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A server that closes and counts its connections, for the tests of the file that calls this. */
export function useCounter(): { connections: number; port: string } {
  const counter = { connections: 0, port: '' };
  const server = createServer((socket) => {
    counter.connections += 1;
    socket.destroy();
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    counter.port = String((server.address() as AddressInfo).port);
  });
  afterAll(() => {
    server.close();
  });
  return counter;
}

/** The message of what fails; empty where nothing does. */
export async function messageOf(work: () => unknown): Promise<string> {
  return Promise.resolve()
    .then(work)
    .then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
}
