import { once } from 'node:events';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { UntypedHandler, UntypedRequest } from '../../../packages/server/src/contract/chain';
import { serveContract } from '../../../packages/server/src/contract/serve-contract';
import { createContractServer } from '../../../packages/server/src/contract/http/server';
import { createRenderer, type RendererParts } from '../../../packages/server/src/contract/refusal/create-renderer';
import { FIXTURE_ERRORS } from '../../fixture-errors';
import { loadText } from '../../load-text';
import type { Meant, Target, Suite } from '@contract-kit/conformance';
import { createStandIn, createStateStandIn } from './stand-in';
import { fromKit } from './to-kit';

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** A target, and the same with handlers that say what depends on what went before. */
export interface StandIns extends Target, AsyncDisposable {
  readonly states: URL;
}

/**
 * The kit with any contract, and handlers that return what the contract says.
 *
 * @param errors what makes its refusals
 */
export async function startStandIns(
  source: string,
  suite: Suite,
  bodyLimit: number,
  errors: Omit<RendererParts, 'contract'> = { errors: FIXTURE_ERRORS },
): Promise<StandIns> {
  const { operations } = suite.model;
  const schemes = operations.flatMap(({ alternatives }) => alternatives.flat());
  const secrets = Object.fromEntries(
    schemes.map(({ name, kind }) => [name, kind === 'basic' ? `user:stand-in-${name}` : `stand-in-${name}`]),
  );
  let latest: UntypedRequest | undefined;
  const good = operations.map((operation) => {
    const standIn = createStandIn(suite.values, operation);
    const handler: UntypedHandler = (request, reply) => standIn((latest = request), reply);
    return [operation.id, handler] as const;
  });
  const failing = (cause: Error): [string, UntypedHandler][] =>
    operations.map(({ id }) => [id, () => Promise.reject(cause)]);
  const states = operations.map(
    (operation, index) => [operation.id, createStateStandIn(suite.values, operation) ?? good[index]?.[1]] as const,
  );
  const contract = loadText(source);
  const render = createRenderer({ contract, ...errors });

  async function start(
    handlers: Iterable<readonly [string, UntypedHandler | undefined]>,
    http: ServerOptions = {},
  ): Promise<Server> {
    const app = express().disable('x-powered-by');
    const options = {
      contract,
      handlers: Object.fromEntries(handlers) as Record<string, UntypedHandler>,
      verifiers: Object.fromEntries(
        Object.entries(secrets).map(([name, secret]) => [name, (sent: string) => (sent === secret ? {} : undefined)]),
      ),
      render,
      prefix: '',
      bodyLimit,
      isUnavailable: (cause: unknown) => cause instanceof RangeError,
      report: () => undefined,
    };
    app.use(await serveContract(options));
    const server = createContractServer(app, { render, report: () => undefined }, http);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  const servers = {
    good: await start(good),
    states: await start(states),
    broken: await start(failing(new Error('a bug'))),
    away: await start(failing(new RangeError('away'))),
    impatient: await start(good, { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 }),
  };
  return {
    base: baseOf(servers.good),
    states: baseOf(servers.states),
    secrets,
    timeout: 10_000,
    situations: { broken: baseOf(servers.broken), away: baseOf(servers.away), impatient: baseOf(servers.impatient) },
    received: ({ place, name = '' }: Meant) => fromKit(place === 'body' ? latest?.body : latest?.[GROUPS[place]][name]),
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function baseOf(server: Server): URL {
  return new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
}
