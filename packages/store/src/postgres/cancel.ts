// Cancels a query of PostgreSQL that takes too long.
import type { Socket } from 'node:net';
import { Client, Connection, type ClientConfig, type PoolClient } from 'pg';

const CANCEL_TIMEOUT_MS = 1_000;

/** Members of a client that the types of pg do not declare. */
interface UndeclaredClient {
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
 *
 * @returns fulfilled when the request has been sent, or has failed, which a later request may mend
 */
export async function requestCancel(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as UndeclaredClient;
  const connection = new Connection() as Connection & CancelConnection;
  connection.stream.setTimeout(CANCEL_TIMEOUT_MS, () => connection.stream.destroy());
  const ended = new Promise((resolve) => connection.on('end', resolve).on('error', resolve));
  connection.on('connect', () => {
    connection.cancel(processID, secretKey);
  });
  // A host that is a path is the folder of a Unix socket.
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
  else connection.connect(port, host);
  await ended;
}

/**
 * Asks the server, on another connection, whether it has ended the connection of a client.
 *
 * @param options for that other connection
 * @returns false also when the server cannot be asked
 */
export async function isConnectionGone(client: PoolClient, options: ClientConfig): Promise<boolean> {
  const other = new Client(options);
  other.on('error', ignore);
  try {
    await other.connect();
    const { processID } = client as unknown as UndeclaredClient;
    const { rowCount } = await other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [processID]);
    return rowCount === 0;
  } catch {
    return false;
  } finally {
    await other.end();
  }
}

/** Listens to errors of a connection. */
export function ignore(): void {
  // The next use of the connection fails, and reports the error.
}
