import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import express from 'express';
import type { UntypedHandler } from '../src/contract/chain';
import type { Handlers } from '../src/contract/handler';
import type { Outcome } from '../src/contract/outcome';
import type { Verifier } from '../src/contract/security';
import { serveContract } from '../src/contract/serve-contract';
import { createContractServer } from '../src/contract/server';
import { loadText } from './load-text';

/** A contract that the kit was not written for. */
export const NOTES = readFileSync('tests/fixtures/notes.yaml', 'utf8');

/** What the kit makes of that contract, or of a changed one, with handlers and a verifier of the test's. */
export async function serveNotes(
  handlers: Record<string, UntypedHandler>,
  verify: Verifier = () => true,
  source: string = NOTES,
): Promise<AsyncDisposable & { readonly server: Server; readonly outcomes: readonly Outcome[] }> {
  const outcomes: Outcome[] = [];
  const report = (outcome: Outcome): void => void outcomes.push(outcome);
  const app = express();
  const unused: UntypedHandler = () => {
    throw new Error('not this one');
  };
  const options = {
    handlers: { listNotes: unused, putNotes: unused, maybeNote: unused, ...handlers } as unknown as Handlers,
    verifiers: { bearerAuth: verify },
    prefix: '',
    bodyLimit: 4 * 1024 ** 2,
    isUnavailable: (cause: unknown) => cause instanceof RangeError,
    report,
  };
  app.use(await serveContract(app, loadText(source), options));
  const server = createContractServer(app, report);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server,
    outcomes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
