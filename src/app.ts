import type { Server, ServerOptions } from 'node:http';
import express from 'express';
import { createTokenVerifier } from './auth/token-verifier';
import type { Contract } from './contract/load-contract';
import type { Report } from './contract/outcome';
import { serveContract } from './contract/serve-contract';
import { createContractServer } from './contract/server';
import { createDocs } from './docs/create-docs';
import { createHandlers } from './handlers';
import { StoreUnavailable, type PlantStore } from './store/plant-store';

/** What the application is made of. */
export interface AppParts {
  readonly contract: Contract;
  readonly store: PlantStore;
  readonly tokens: readonly string[];
  readonly prefix: string;
  readonly bodyLimit: number;
  /** Whether the contract is served as a page too. */
  readonly docs: boolean;
  readonly report: Report;
  /** Of node:http, such as timeouts. */
  readonly http?: ServerOptions;
}

/** The whole pipeline: a server that is ready, but does not listen yet. */
export async function createApp(parts: AppParts): Promise<Server> {
  const { contract, store, tokens, prefix, bodyLimit, docs, report, http } = parts;
  const app = express().disable('x-powered-by');
  const service = await serveContract(app, contract, {
    handlers: createHandlers(store),
    verifiers: { bearerAuth: createTokenVerifier(tokens) },
    prefix,
    bodyLimit,
    isUnavailable: (cause) => cause instanceof StoreUnavailable,
    report,
  });
  if (docs) app.use(createDocs(contract, prefix, report));
  app.use(service);
  return createContractServer(app, report, http);
}
