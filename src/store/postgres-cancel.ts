import type { Socket } from 'node:net';
import { Connection, type PoolClient } from 'pg';

const TIMEOUT_MS = 1_000;

/** Members of a client that the types of pg do not declare. */
interface KnownClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/** Members of a connection that the types of pg do not declare. */
interface CancelConnection {
  readonly stream: Socket;
  connect(...address: readonly [path: string] | readonly [port: number, host: string]): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Asks the server, or a pooler, to cancel the query of a client. The server closes the connection when it has read the
 * request (PostgreSQL's protocol, "Canceling Requests in Progress"). The request is not encrypted, as in libpq up to
 * version 16: every server accepts that.
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
