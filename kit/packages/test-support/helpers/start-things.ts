import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import request, { type Test } from 'supertest';
import {
  createTokenVerifier,
  serveContract,
  type BearerVerifier,
  type Outcome,
  type ServiceOptions,
} from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { renderFixture } from './fixture-errors';
import { listenOnLoopback } from './listen-on-loopback';
import { loadText } from './load-text';
import { serveApp, type ServedApp, type ServeParts } from './serve-app';
import type { UntypedHandler } from './untyped-handler';

export const TOKEN = 'a-token-for-the-tests';

/** A contract with one operation, which keeps what it is sent. */
export const THINGS = readFileSync('packages/test-support/fixtures/things.yaml', 'utf8');

/** What is kept of a request. */
export interface Thing {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/** The whole application on a socket, with that contract instead of the project's own. */
export interface ThingsApp extends ServedApp {
  rows(): readonly Thing[];
}

/** The handler of the operation, and what it keeps. */
function keepThings(): Pick<ThingsApp, 'rows'> & { readonly createThing: UntypedHandler } {
  const kept: Thing[] = [];
  return {
    rows: () => kept,
    createThing: ({ body }, reply) => {
      const { id, name, tag } = body as Omit<Thing, 'tag'> & { tag?: string };
      kept.push({ id, name, tag: tag ?? null });
      return reply(200, { name, ...(tag !== undefined && { tag }) });
    },
  };
}

/** @param verify whose tokens count */
export async function startThings({
  verify = createTokenVerifier([TOKEN]),
  ...parts
}: Partial<ServeParts> & { verify?: BearerVerifier['verify'] } = {}): Promise<ThingsApp> {
  const { createThing, rows } = keepThings();
  const app = await serveApp({
    contract: loadText(THINGS),
    handlers: { createThing },
    verifiers: { bearerAuth: verify },
    render: renderFixture,
    ...parts,
  });
  return { ...app, rows };
}

/** That contract in an application that exists, on a server of node:http. */
export async function startExisting(
  create: (options: ServiceOptions) => Express | Promise<Express>,
  parts: Partial<ServiceOptions> = {},
): Promise<ThingsApp> {
  const { createThing, rows } = keepThings();
  const outcomes: Outcome[] = [];
  const options: ServiceOptions = {
    contract: loadText(THINGS),
    validator: OpenApiValidator,
    handlers: { createThing },
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    ...{ render: renderFixture, bodyLimit: 10_000 },
    report: (outcome) => outcomes.push(outcome),
    ...parts,
  };
  return { ...(await listenOnLoopback(createServer(await create(options)))), outcomes, rows };
}

/** An application of Express with a contract, behind other middleware. */
export const behind =
  (...before: readonly RequestHandler[]) =>
  async (options: ServiceOptions): Promise<Express> =>
    express().use(...before, await serveContract(options));

/** POST /things with valid credentials and the body as it stands, so that numbers and escapes arrive as written. */
export function postThing(server: Server, body: string | Buffer, headers: Record<string, string> = {}): Test {
  return request(server)
    .post('/things')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((sent: unknown) => sent as string)
    .send(body);
}
