import express from 'express';
import type { Server } from 'node:http';
import type { UntypedHandler, UntypedRequest } from '../../../server/src/contract/chain';
import { serveContract } from '../../../server/src/contract/serve-contract';
import { expressOpenapiValidator } from '../../../server/src/express-openapi-validator';
import { createContractServer } from '../../../server/src/contract/http/server';
import { createRenderer, type RendererParts } from '../../../server/src/contract/refusal/create-renderer';
import type { AppParts } from '../../../server/src/service';
import { createSituations } from '../../../server/src/situations';
import { FIXTURE_ERRORS, FORBIDDEN } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback, type ListeningServer } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import { unscopedNameOf, type Target, type Suite } from '@contract-kit/conformance';
import type { Verifier } from '../../../server/src/contract/enforcement/authenticate';
import { listScopes } from '../../../server/src/contract/operation/operation';
import { createStandIn, createStateStandIn } from './stand-in';
import { fromKit, readFiles } from './to-kit';
import { watchHandlers } from '../../../../tests/support/watch';

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** A target, and the same with handlers that say what depends on what went before. */
export interface StandIns extends Target, AsyncDisposable {
  readonly states: URL;
}

/** What else than the contract the stand-ins are made of. */
export interface StandInParts {
  /** What makes their refusals. */
  readonly errors?: Omit<RendererParts, 'contract'> | undefined;
  /** The contract that is enforced, where it is another one than they are held to. */
  readonly enforced?: string | undefined;
  /** What a verifier says of credentials without scopes. */
  readonly unscoped?: (scopes: readonly string[]) => ReturnType<Verifier>;
  /** Puts something round a server before it listens. */
  readonly install?: (server: Server) => void;
}

/** The kit with any contract, and handlers that return what the contract says. */
export async function startStandIns(
  source: string,
  suite: Suite,
  bodyLimit: number,
  {
    errors = { errors: { ...FIXTURE_ERRORS, FORBIDDEN } },
    enforced = source,
    unscoped = () => ({}),
    install = () => undefined,
  }: StandInParts = {},
): Promise<StandIns> {
  const { operations } = suite.model;
  const schemes = operations.flatMap(({ alternatives }) => alternatives.flat());
  const secrets = Object.fromEntries(
    schemes.flatMap(({ name, kind }) => {
      const user = kind === 'basic' ? 'user:' : '';
      return [
        [name, `${user}stand-in-${name}`],
        [unscopedNameOf(name), `${user}without-scopes-${name}`],
      ];
    }),
  );
  let latest: UntypedRequest | undefined;
  const good: Record<string, UntypedHandler> = {};
  const states: Record<string, UntypedHandler> = {};
  for (const operation of operations) {
    const standIn = createStandIn(suite.values, operation);
    const handler: UntypedHandler = async (request, reply) => {
      latest = { ...request, body: await readFiles(request.body) };
      return standIn(latest, reply);
    };
    good[operation.id] = handler;
    states[operation.id] = createStateStandIn(suite.values, operation) ?? handler;
  }
  const contract = loadText(enforced);
  const render = createRenderer({ contract, ...errors });

  const scopes = listScopes(contract.operations);
  const verifierOf =
    (name: string): Verifier =>
    (sent) => {
      if (sent === secrets[name]) return { scopes };
      return sent === secrets[unscopedNameOf(name)] ? unscoped(scopes) : undefined;
    };

  async function start({ handlers = good, http = {} }: Partial<AppParts>): Promise<ListeningServer> {
    const app = express().disable('x-powered-by');
    const options = {
      contract,
      validator: expressOpenapiValidator,
      handlers,
      verifiers: Object.fromEntries(schemes.map(({ name }) => [name, verifierOf(name)])),
      render,
      prefix: '',
      bodyLimit,
      isUnavailable: (cause: unknown) => cause instanceof RangeError,
      report: () => undefined,
    };
    app.use(await serveContract(options));
    const server = createContractServer(app, { render, report: () => undefined }, http);
    install(server);
    return listenOnLoopback(server);
  }

  const situations = createSituations(new RangeError('away'));
  const servers = {
    good: await start({}),
    states: await start({ handlers: states }),
    broken: await start(situations.broken),
    away: await start(situations.away),
    impatient: await start(situations.impatient),
  };
  return {
    base: servers.good.base,
    states: servers.states.base,
    secrets,
    timeout: 60_000,
    situations: { broken: servers.broken.base, away: servers.away.base, impatient: servers.impatient.base },
    watch: watchHandlers(({ place, name = '' }) =>
      fromKit(place === 'body' ? latest?.body : latest?.[GROUPS[place]][name]),
    ),
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
    },
  };
}
