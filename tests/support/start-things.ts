import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import request, { type Test } from 'supertest';
import type { BearerVerifier } from '../../packages/server/src/auth/bearer-verifier';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { renderFixture } from './fixture-errors';
import { loadText } from './load-text';
import { serveApp, type ServedApp, type ServeParts } from './serve-app';

export const TOKEN = 'a-token-for-the-tests';

/** A contract with one operation, which keeps what it is sent. */
export const THINGS = readFileSync('tests/fixtures/things.yaml', 'utf8');

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

/** @param verify whose tokens count */
export async function startThings({
  verify = createTokenVerifier([TOKEN]),
  ...parts
}: Partial<ServeParts> & { verify?: BearerVerifier['verify'] } = {}): Promise<ThingsApp> {
  const kept: Thing[] = [];
  const createThing: UntypedHandler = ({ body }, reply) => {
    const { id, name, tag } = body as Omit<Thing, 'tag'> & { tag?: string };
    kept.push({ id, name, tag: tag ?? null });
    return reply(200, { name, ...(tag !== undefined && { tag }) });
  };
  const app = await serveApp({
    contract: loadText(THINGS),
    handlers: { createThing },
    verifiers: { bearerAuth: verify },
    render: renderFixture,
    isUnavailable: () => false,
    ...parts,
  });
  return { ...app, rows: () => kept };
}

/** POST /things with valid credentials and the body as it stands, so that numbers and escapes arrive as written. */
export function postThing(server: Server, body: string | Buffer, headers: Record<string, string> = {}): Test {
  return request(server)
    .post('/things')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((sent: unknown) => sent as string)
    .send(body);
}
