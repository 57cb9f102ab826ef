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

interface CancelConnection {
  readonly stream: Socket;
  connect(...address: readonly [path: string] | readonly [port: number, host: string]): void;
  cancel(processID: number, secretKey: number): void;
}

/**
 * Asks the server, or a pooler, to cancel the query of a client. The server closes the connection when it has read the
 * request (PostgreSQL's protocol, "Canceling Requests in Progress"). Not encrypted, as in libpq up to version 16: every
 * server accepts that. A failed request is no error: a later one may mend it.
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

/** Asks on another connection whether the server has ended a client's; false also when it cannot be asked. */
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

export function ignore(): void {
  // The next use of the connection fails, and reports the error.
}
