import type { Socket } from 'node:net';
import { Connection, type PoolClient } from 'pg';

const TIMEOUT_MS = 1_000;

/** What the types of pg leave out of a client. */
interface KnownClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/** What they leave out of a connection. */
interface CancelConnection {
  readonly stream: Socket;
  connect(...address: readonly [path: string] | readonly [port: number, host: string]): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Asks the server, or a pooler, to end what it does for a client. It closes the connection once it has taken the
 * request (PostgreSQL's protocol, "Canceling Requests in Progress"). Not encrypted, as libpq did it up to version 16:
 * every server takes that.
 */
export async function requestCancel(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as KnownClient;
  const connection = new Connection() as Connection & CancelConnection;
  connection.stream.setTimeout(TIMEOUT_MS, () => connection.stream.destroy());
  const ended = new Promise((resolve) => connection.on('end', resolve).on('error', resolve));
  connection.on('connect', () => {
    connection.cancel(processID, secretKey);
  });
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
  else connection.connect(port, host);
  await ended;
}
