import express from 'express';
import type { Server } from 'node:http';
import type { UntypedHandler, UntypedRequest } from '../../../server/src/pipeline/pipeline';
import { serveContract } from '../../../server/src/pipeline/serve-contract';
import * as OpenApiValidator from 'express-openapi-validator';
import { createContractServer } from '../../../server/src/http/server';
import { createRenderer, type RendererOptions } from '../../../server/src/errors/create-renderer';
import type { AppOptions } from '../../../server/src/runtime/service';
import { createSituations } from '../../../server/src/runtime/situations';
import { FIXTURE_ERRORS } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback, type ListeningServer } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import { unscopedNameOf } from '@contract-kit/conformance';
import type { Verifier } from '../../../server/src/auth/authenticate';
import { listScopes } from '../../../contract/src/5-messages/operation';
import { createStandIn, createStateStandIn, fromKit, readFiles } from './stand-in';
import { watchHandlers } from '../../../../tests/support/start-target';
import type { CaseResult } from '../../src/oracle/checks';
import type { Level } from '../../src/contract/standards';
import { titleOf, type Case } from '../../src/generators/case';
import { mapInOrder } from '../../src/exchange/pool';
import { findUncovered } from '../../src/report/uncovered';
import { runCase } from '../../src/exchange/run-case';
import type { Target } from '../../src/exchange/exchange';
import { chooseCases, runSuite } from '../../src/runner/run-suite';
import { createSuite, type Suite } from '../../src/suite';

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** A target, and the same with handlers that say what depends on what went before. */
interface StandIns extends Target, AsyncDisposable {
  readonly states: URL;
}

/** What else than the contract the stand-ins are made of. */
export interface StandInParts {
  /** What makes their refusals. */
  readonly errors?: Omit<RendererOptions, 'contract'> | undefined;
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
  { errors = FIXTURE_ERRORS, enforced = source, unscoped = () => ({}), install = () => undefined }: StandInParts = {},
): Promise<StandIns> {
  const { operations } = suite.model;
  const schemes = operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
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

  async function start({ handlers = good, http = {} }: Partial<AppOptions>): Promise<ListeningServer> {
    const app = express().disable('x-powered-by');
    const options = {
      contract,
      validator: OpenApiValidator,
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
      fromKit(
        place === 'body' || place === 'querystring'
          ? (latest as Partial<Record<typeof place, unknown>> | undefined)?.[place]
          : latest?.[GROUPS[place]][name],
      ),
    ),
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
    },
  };
}

// The server waits for what a client may still send; what it refuses leaves no trace, so that others need not wait.
const AT_ONCE = 16;

export interface JudgeOptions {
  readonly bodyLimit: number;
  /** How many random bodies each operation gets. */
  readonly runs: number;
  readonly level?: Level;
  /** What makes its refusals. */
  readonly errors?: StandInParts['errors'];
}

/**
 * Everything that is wrong with the kit as it keeps a contract: cases that fail, and what is declared and never seen.
 */
export async function judgeKit(
  source: string,
  { bodyLimit, runs, level = 'robust', errors }: JudgeOptions,
): Promise<string[]> {
  const suite = createSuite(source, { bodyLimit, marker: 'text', level, hasUnscoped: () => true });
  await using target = await startStandIns(source, suite, bodyLimit, { errors });
  const failed: CaseResult[] = [];
  const keep = (result: CaseResult): void => {
    if (result.findings.length > 0) failed.push(result);
  };
  const options = {
    random: { seed: 1, runs, isMarked: false },
    // The handlers keep nothing that could be read again, and one at a time is asked what it got.
    isWanted: ({ class: kind, expect }: Pick<Case, 'class' | 'expect'>) => kind !== 'stateful' && expect === 'accepted',
  };
  for await (const result of runSuite(suite, target, options)) keep(result);
  const refused = chooseCases(suite, target, { isWanted: ({ expect }) => expect !== 'accepted' });
  const { base, secrets, timeout, situations = {} } = target;
  const others = { base, secrets, timeout, situations };
  (await runAll(suite, others, refused)).forEach(keep);
  (await runAll(suite, { ...others, base: target.states }, statesOf(suite))).forEach(keep);
  const problems = failed.map(
    ({ case: one, findings }) => `${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`,
  );
  // At the level `contract`, not all that is declared is tried.
  const gaps = level === 'robust' ? findUncovered(suite.coverage.list()) : [];
  return [...problems, ...gaps.map(({ operation, kind, name }) => `${operation} ${kind} ${name}: produced by no case`)];
}

function runAll({ coverage, oracleFor }: Suite, target: Target, cases: readonly Case[]): Promise<CaseResult[]> {
  const oracle = oracleFor(target.secrets);
  return Array.fromAsync(
    mapInOrder(cases, AT_ONCE, async (one) => {
      const result = await runCase(oracle, target, one);
      coverage.record(result);
      return result;
    }),
  );
}

// One request for each reply that an operation may have; of the same operation they come one after the other.
function statesOf({ model, cases }: Suite): Case[] {
  return model.operations.flatMap(({ id, replies }) => {
    const request = cases.find(({ operation, expect }) => operation === id && expect === 'accepted');
    return request ? [...replies].map(([status]) => ({ ...request, label: `${request.label}, for ${status}` })) : [];
  });
}
