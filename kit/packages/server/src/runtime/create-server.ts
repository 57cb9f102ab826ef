// Creates the HTTP server of a service, with all its limits, and makes it listen.
import { once } from 'node:events';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createContractServer, type Listener, type ServerReports } from '../http/server';
import { createRenderer, type RefusalOptions } from '../errors/create-renderer';
import { limitRequestTime, timeFor } from '../http/request-time';
import { toProcessShare } from '../http/share';
import { BODY_LIMIT } from '../pipeline/serve-contract';
import { largestBodies } from '../request/body-limit';
import { existsSync, readFileSync } from 'node:fs';
import { ConfigError, KEEP_ALIVE_TIMEOUT_MS } from './config';

const TIMEOUTS = {
  // Measured from the first byte, or from the start of the connection, to the end of the headers.
  headersTimeout: 10_000,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: 1_000,
};

// The maximum number of connections. Each can have a request in flight, and 5,000 requests take about 200 ms on one processor.
const MAX_CONNECTIONS = 5_000;

export interface ContractServerOptions extends Omit<ServerReports, 'render'>, RefusalOptions {
  /** The maximum size of a request body in bytes, by default 1 MB. */
  readonly bodyLimit?: number | undefined;
  /** Options of node:http, such as timeouts. They override the limits of this module. */
  readonly http?: ServerOptions | undefined;
}

/**
 * Creates the server of an application, with limits for the size and duration of requests. It does not listen yet.
 *
 * @example createServer(express().use(await serveContract({ ...options, validator })), options).listen(3000)
 */
export function createServer(app: Listener, options: ContractServerOptions): Server {
  const { contract, render = createRenderer({ contract }), bodyLimit = BODY_LIMIT } = options;
  const requestTimeout = timeFor(Math.max(bodyLimit, largestBodies(contract.operations, bodyLimit).all));
  // A request with items can be endless, so each item has its own time limit.
  const hasItems = contract.operations.some(({ body }) => [...(body?.media.values() ?? [])].some(({ item }) => item));
  const times = { ...TIMEOUTS, requestTimeout: hasItems ? 0 : requestTimeout };
  const server = createContractServer(app, { ...options, render }, { ...times, ...options.http });
  // Clients get more time only for operations with a larger body limit.
  if (hasItems || requestTimeout > timeFor(bodyLimit)) limitRequestTime(server, timeFor(bodyLimit));
  server.maxConnections = readConnectionLimit(toProcessShare(MAX_CONNECTIONS));
  return server;
}

// A listening process with SQLite has 33 descriptors open. The other 15 are for the admin port, the database and the issuer.
const RESERVED_DESCRIPTORS = 48;

/** Returns the requested limit, lowered if the process cannot open that many files (see proc_pid_limits(5) on Linux). */
export function readConnectionLimit(maxConnections: number, file = '/proc/self/limits'): number {
  // The first column is the soft limit, which applies. It can be `unlimited` instead of a number.
  const [, descriptors] = /^Max open files +(\d+)/m.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  return descriptors === undefined
    ? maxConnections
    : Math.max(1, Math.min(maxConnections, Number(descriptors) - RESERVED_DESCRIPTORS));
}

const SAMPLE_INTERVAL_MS = 20;
// The delay that means overload: less than half of the time that a request should take, to leave time for earlier requests.
const MAX_DELAY_NS = (SAMPLE_INTERVAL_MS + 100) * 1e6;
// The median of this many samples is used, so that a single pause is not treated as overload.
const SAMPLE_COUNT = 5;

type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'count' | 'percentile' | 'reset' | 'disable'>;

/**
 * Watches the delay of the event loop, which slows down every request.
 *
 * @param delays the delays between ticks in nanoseconds, which tests replace
 */
export function createOverloadGuard(delays: Delays = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS })) {
  let isEventLoopDelayed = false;
  delays.enable();
  return {
    isOverloaded: (): boolean => {
      if (delays.count >= SAMPLE_COUNT) {
        isEventLoopDelayed = delays.percentile(50) > MAX_DELAY_NS;
        delays.reset();
      }
      return isEventLoopDelayed;
    },
    close: (): void => {
      delays.disable();
    },
  };
}

/** Listens, and returns the URL. @param settings the settings for an error's message @throws ConfigError if it cannot listen */
export async function listen(server: Server, settings: string, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new ConfigError(`- cannot listen on ${settings}: ${(error as Error).message}`);
  }
  return toUrl(server);
}

/** Returns the URL of a listening server, such as `http://127.0.0.1:3000`. */
export function toUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
}
