import express, { type Express, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import {
  serveContract,
  trackRequests,
  createDocs,
  createCors,
  createServer,
  type AppOptions,
  type Outcome,
} from '@contract-kit/server';
import { sha256 } from '../plants/generated/contract';
import { createApp } from '../plants/src/app';
import { listenOnLoopback, type ListeningServer } from './listen-on-loopback';
import { loadContract } from '@contract-kit/contract';

/** An application with middleware of the test's in front. */
export async function createAppBehind(before: readonly RequestHandler[], parts: AppOptions): Promise<Express> {
  const app = express().disable('x-powered-by');
  app.use(trackRequests(parts), createCors(parts), ...before);
  if (parts.docs) app.use(createDocs(parts));
  return app.use(await serveContract({ ...parts, validator: OpenApiValidator }));
}

/** The application on a socket. */
export interface ServedApp extends ListeningServer {
  /** What became of each request. */
  readonly outcomes: readonly Outcome[];
  /** Whether what an operation created is kept, by its properties; where somebody can look behind the service. */
  readonly keeps?: (operation: string, created: Readonly<Record<string, unknown>>) => boolean;
  /** Changes whenever something is kept. */
  readonly version?: () => unknown;
  /** How much is kept. */
  readonly count?: () => number;
}

/** What stands behind the contract. All other parts are as good as any. */
export type ServeParts = Pick<AppOptions, 'handlers' | 'verifiers'> &
  Partial<AppOptions> & {
    /** Middleware in front. */
    readonly before?: readonly RequestHandler[];
    readonly createApp?: (parts: AppOptions) => Promise<Express>;
  };

/** Serves the contract of this project, unless the parts have another one. */
export async function serveApp(parts: ServeParts): Promise<ServedApp> {
  const outcomes: Outcome[] = [];
  const { contract = loadContract('packages/test-support/plants/openapi.yaml', sha256) } = parts;
  const whole: AppOptions = {
    contract,
    docs: true,
    corsOrigins: [],
    ...parts,
    report: (outcome) => {
      outcomes.push(outcome);
      // With its promise, if a test returns one.
      return parts.report?.(outcome);
    },
  };
  const app = await (parts.before ? createAppBehind(parts.before, whole) : (parts.createApp ?? createApp)(whole));
  return { ...(await listenOnLoopback(createServer(app, whole))), outcomes };
}
