// Creates the HTTP server of a service, with all its limits.
import type { Server, ServerOptions } from 'node:http';
import { createContractServer, type Listener, type ServerReports } from '../http/server';
import { readFileSync } from 'node:fs';

const TIMEOUTS = {
  // From the first byte, or the start of the connection, to the end of the headers.
  headersTimeout: 10_000,
  // Longer than what load balancers usually wait, 60 s: they should be the ones to close an idle connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};
// A body may come at 100 kB/s, after 30 s for everything else.
const TIMEOUT_WITHOUT_BODY_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 100;

// Each may have a request in flight: 5,000 requests take about 200 ms of one processor.
const MAX_CONNECTIONS = 5_000;

/** What a server needs beside its application. */
export interface ContractServerOptions extends ServerReports {
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
  /** Options of node:http, such as timeouts, that replace the limits of this module. */
  readonly http?: ServerOptions | undefined;
}

/**
 * Creates the server of an application, with limits for what clients may send, and for how long. It does not listen yet.
 *
 * @example createServer(express().use(await serveContract({ ...options, validator })), options).listen(3000)
 */
export function createServer(app: Listener, options: ContractServerOptions): Server {
  const requestTimeout = TIMEOUT_WITHOUT_BODY_MS + Math.ceil(options.bodyLimit / SLOWEST_BYTES_PER_MS);
  const server = createContractServer(app, options, { ...TIMEOUTS, requestTimeout, ...options.http });
  server.maxConnections = readConnectionLimit(MAX_CONNECTIONS);
  return server;
}

// The process has 33 descriptors open when it listens, with SQLite. The rest is for admin port, database and issuer.
const RESERVED_DESCRIPTORS = 48;

/** The wanted number of connections, or fewer if the process may not open enough files: proc_pid_limits(5) on Linux. */
export function readConnectionLimit(wanted: number, file = '/proc/self/limits'): number {
  // The first column is the limit that counts, the soft one. It is `unlimited`, no number, if there is none.
  const [, descriptors] = /^Max open files +(\d+)/m.exec(readTextOrNothing(file)) ?? [];
  return descriptors === undefined ? wanted : Math.max(1, Math.min(wanted, Number(descriptors) - RESERVED_DESCRIPTORS));
}

function readTextOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
