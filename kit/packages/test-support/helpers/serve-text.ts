import express from 'express';
import { createServer, serveContract, type Outcome, type ServiceOptions, type Verifier } from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { renderFixture } from './fixture-errors';
import { listenOnLoopback, type ListeningServer } from './listen-on-loopback';
import { loadText } from './load-text';
import type { UntypedHandler } from './untyped-handler';
import { readFileSync } from 'node:fs';

export interface Served extends ListeningServer {
  readonly outcomes: readonly Outcome[];
}

/** What the kit makes of a contract, with handlers and verifiers of the test's. */
export async function serveText(
  source: string,
  handlers: Record<string, UntypedHandler>,
  verifiers: Readonly<Record<string, Verifier>> = {},
  { render = renderFixture, ...more }: Partial<ServiceOptions> = {},
): Promise<Served> {
  const outcomes: Outcome[] = [];
  const report = (outcome: Outcome): void => void outcomes.push(outcome);
  const app = express();
  const options = {
    contract: loadText(source),
    validator: OpenApiValidator,
    handlers,
    verifiers,
    render,
    prefix: '',
    bodyLimit: 4 * 1024 ** 2,
    isUnavailable: (cause: unknown) => cause instanceof RangeError,
    report,
    ...more,
  };
  app.use(await serveContract(options));
  return { ...(await listenOnLoopback(createServer(app, options))), outcomes };
}

/** A contract that the kit was not written for. */
export const NOTES = readFileSync('packages/test-support/fixtures/notes.yaml', 'utf8');

/** What the kit makes of that contract, or of a changed one, with handlers and a verifier of the test's. */
export function serveNotes(
  handlers: Record<string, UntypedHandler>,
  verify: (credentials: string) => boolean | Promise<boolean> = () => true,
  source: string = NOTES,
): Promise<Served> {
  const unused: UntypedHandler = () => {
    throw new Error('not this one');
  };
  return serveText(
    source,
    { listNotes: unused, putNotes: unused, maybeNote: unused, ...handlers },
    { bearerAuth: async (credentials) => ((await verify(credentials)) ? {} : undefined) },
  );
}
