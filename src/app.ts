import type { Server, ServerOptions } from 'node:http';
import express from 'express';
import { createContractServer } from './contract/http/server';
import { trackRequests } from './contract/http/track-requests';
import type { Middleware } from './contract/middleware';
import type { Contract } from './contract/operation/load-contract';
import { serveContract, type ServiceOptions } from './contract/serve-contract';
import { createDocs } from './docs/create-docs';
import { readConnectionLimit } from './process/connection-limit';
import { createCors, type Origins } from './process/cors';

const TIMEOUTS = {
  // From the first byte, or the start of the connection, to the end of the headers.
  headersTimeout: 10_000,
  // Longer than what load balancers usually wait, 60 s: they should be the ones to close an idle connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};
// A body may come at 100 kB/s, after 30 s for everything else.
const REQUEST_TIMEOUT_MS = 30_000;
const BYTES_PER_MS = 100;

// Each may have a request under way: so many of them take about 200 ms of one processor.
const MAX_CONNECTIONS = 5_000;

/** What the application is made of. */
export interface AppParts extends ServiceOptions, Pick<Middleware, 'before'> {
  readonly contract: Contract;
  /** Whether the contract is served as a page too. */
  readonly docs: boolean;
  /** Browser origins that may call it; none unless they are set. */
  readonly corsOrigins?: Origins;
  /** Of node:http, such as timeouts. */
  readonly http?: ServerOptions;
}

/** The whole pipeline: a server that is ready, but does not listen yet. */
export async function createApp({ contract, docs, corsOrigins = [], http, ...options }: AppParts): Promise<Server> {
  const operations = await serveContract(contract, options);
  const middleware = [...createCors(contract, corsOrigins), ...(options.before ?? [])];

  const app = express().disable('x-powered-by');
  if (middleware.length > 0) app.use(trackRequests(options), middleware);
  if (docs) app.use(createDocs(contract, options.prefix, options));
  app.use(operations);

  const limits = { ...TIMEOUTS, requestTimeout: toRequestTimeout(options.bodyLimit), ...http };
  const server = createContractServer(app, options, limits);
  server.maxConnections = readConnectionLimit(MAX_CONNECTIONS);
  return server;
}

function toRequestTimeout(bodyLimit: number): number {
  return REQUEST_TIMEOUT_MS + Math.ceil(bodyLimit / BYTES_PER_MS);
}
